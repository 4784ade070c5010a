// Package binary reads and writes files of vectors and matrices as PETSc does, with 32-bit
// indices and real numbers: what VecLoad, MatLoad, VecView and MatView read and write.
package binary

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// The first number of a file says what it holds. All numbers have their highest byte
// first.
const (
	vectorID = 1211214
	matrixID = 1211216
)

// headerBytes is the length of what stands before the numbers of a vector.
const headerBytes = 8

// VectorBytes is the size of a file with a vector.
func VectorBytes(states int) int64 { return headerBytes + 8*int64(states) }

// WriteVectorHeader writes what stands before the numbers.
func WriteVectorHeader(w io.WriterAt, states int) error {
	header := binary.BigEndian.AppendUint32(nil, vectorID)
	_, err := w.WriteAt(binary.BigEndian.AppendUint32(header, uint32(states)), 0)
	return err
}

// WriteVectorPart writes the numbers from a place on, which are some of the vector.
func WriteVectorPart(w io.WriterAt, first int, x []float64) error {
	out := bufio.NewWriterSize(io.NewOffsetWriter(w, VectorBytes(first)), 1<<20)
	if err := writeFloats(out, x); err != nil {
		return err
	}
	return out.Flush()
}

// IsVector says whether a file begins as one with a vector does.
func IsVector(name string) (bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	var id uint32
	switch err := binary.Read(file, binary.BigEndian, &id); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return false, nil
	case err != nil:
		return false, err
	case id == 0:
		var rest uint32
		if binary.Read(file, binary.BigEndian, &rest) == nil && rest == vectorID {
			return false, fmt.Errorf("%s: written by a PETSc with 64-bit indices: use one with 32-bit indices, or a text file with a number a line", name)
		}
	}
	return id == vectorID, nil
}

// ReadVectorPart reads the numbers first … last−1 of a vector of so many states.
func ReadVectorPart(name string, states, first, last int) ([]float64, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	var header [2]uint32
	if err := binary.Read(file, binary.BigEndian, &header); err != nil {
		return nil, fmt.Errorf("%s: no vector of PETSc: %w", name, err)
	}
	if header[0] != vectorID || int64(header[1]) != int64(states) {
		return nil, fmt.Errorf("%s: a vector of %d numbers is not valid: use one of %d, a number for each state", name, header[1], states)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(file, VectorBytes(first), 8*int64(last-first)), 1<<20)
	x := make([]float64, last-first)
	for i := range x {
		var bits [8]byte
		if _, err := io.ReadFull(in, bits[:]); err != nil {
			return nil, fmt.Errorf("%s: ends before number %d of %d: use a file that is whole", name, first+i, states)
		}
		x[i] = math.Float64frombits(binary.BigEndian.Uint64(bits[:]))
	}
	return x, nil
}

// Matrix is a sparse matrix whose rows are generated, in their order and as often as they
// are needed. A row has its columns in ascending order.
type Matrix struct {
	Rows, Columns int
	Each          func(row func(columns []int32, values []float64) error) error
}

// Write writes the matrix: its size, the lengths of all rows, all columns, all values. It
// generates the rows four times and holds none of them.
func (m Matrix) Write(w io.Writer) error {
	count := 0
	err := m.Each(func(columns []int32, _ []float64) error {
		count += len(columns)
		return nil
	})
	if err != nil {
		return err
	}
	if m.Rows > math.MaxInt32 || m.Columns > math.MaxInt32 || count > math.MaxInt32 {
		return fmt.Errorf("a matrix of %d rows, %d columns and %d entries is not valid: use at most %d of each, which PETSc counts in 32 bits", m.Rows, m.Columns, count, math.MaxInt32)
	}
	out := bufio.NewWriterSize(w, 1<<20)
	if err := writeInts(out, matrixID, int32(m.Rows), int32(m.Columns), int32(count)); err != nil {
		return err
	}
	for _, row := range []func(columns []int32, values []float64) error{
		func(columns []int32, _ []float64) error { return writeInts(out, int32(len(columns))) },
		func(columns []int32, _ []float64) error { return writeInts(out, columns...) },
		func(_ []int32, values []float64) error { return writeFloats(out, values) },
	} {
		if err := m.Each(row); err != nil {
			return err
		}
	}
	return out.Flush()
}

func writeInts(w io.Writer, numbers ...int32) error {
	var bytes [4]byte
	for _, x := range numbers {
		binary.BigEndian.PutUint32(bytes[:], uint32(x))
		if _, err := w.Write(bytes[:]); err != nil {
			return err
		}
	}
	return nil
}

func writeFloats(w io.Writer, numbers []float64) error {
	var bytes [8]byte
	for _, x := range numbers {
		binary.BigEndian.PutUint64(bytes[:], math.Float64bits(x))
		if _, err := w.Write(bytes[:]); err != nil {
			return err
		}
	}
	return nil
}
