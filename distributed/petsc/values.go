package petsc

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/binary"
	"github.com/mdpsolve/mdpsolve/internal/numberfile"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

// Values in files that all ranks see.

// ErrValues says that a file does not hold a value for each state.
var ErrValues = errors.New("no values for this model")

// WriteValues writes the values of all ranks' states to a file, as a binary vector of
// PETSc. The file appears under its name when it is whole.
func (r *Result) WriteValues(name string) error {
	w := r.sweeper.world
	states := float64(len(r.Policy))
	w.sum(&states)
	var (
		whole *wholefile.File
		err   error
		place string
	)
	if w.Rank == 0 {
		if whole, err = wholefile.Create(name, 0o644); err == nil {
			place = whole.Name()
			err = binary.WriteVectorHeader(whole, int(states))
		}
	}
	if err = w.Agree(err); err == nil {
		err = w.Agree(writePart(w.broadcast(place, 0), r.First, r.Values()))
	}
	switch {
	case whole == nil:
	case err != nil:
		whole.Abort()
	default:
		err = whole.Commit()
	}
	return w.Agree(err)
}

// writePart writes this rank's values to a file that is there.
func writePart(name string, first int, values []float64) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = binary.WriteVectorPart(file, first, values)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// ReadValues returns a reader of values for [Check]: of a binary vector of PETSc, of which
// each rank reads its part, or of a text file with a number for each state, separated by
// spaces, commas or lines.
func ReadValues(name string, states int) func(first, last int) ([]float64, error) {
	return func(first, last int) ([]float64, error) {
		values, err := readPart(name, states, first, last)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrValues, err)
		}
		return values, nil
	}
}

func readPart(name string, states, first, last int) ([]float64, error) {
	vector, err := binary.IsVector(name)
	switch {
	case err != nil:
		return nil, err
	case vector:
		return binary.ReadVectorPart(name, states, first, last)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	return readText(file, name, states, first, last)
}

func readText(r io.Reader, name string, states, first, last int) ([]float64, error) {
	rows, err := numberfile.Read(r, name)
	if err != nil {
		return nil, err
	}
	var values []float64
	for _, row := range rows {
		for _, cell := range row {
			values = append(values, cell.Value)
		}
	}
	if len(values) != states {
		return nil, fmt.Errorf("%s: %d numbers are not valid: use %d, one for each state", name, len(values), states)
	}
	return values[first:last], nil
}
