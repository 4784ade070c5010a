// This file writes and reads results as archives of NumPy arrays.

package certificate

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// arrays ends the names of files that hold a result as arrays.
const arrays = ".npz"

// rest is the member of such a file that has what no array has, as JSON.
const rest = "result.json"

// writtenAtOnce is the number of elements that become bytes at a time, which fit the cache.
const writtenAtOnce = 1 << 12

// array is a list of a result, with the name that it has in a file of arrays.
type array struct {
	name string
	list reflect.Value // a []float64 or, for actions, []int32 or [][]int32 by step, which can be set
	rows int           // steps of a list by step; 0 for another
}

// arrays returns the lists of a result that a file of arrays has members for. Those with
// fractions are not among them.
func (r *Result) arrays() (all []array) {
	// encoding/binary is fast for the types []float64 and []int32 themselves.
	add := func(name string, list any) { all = append(all, array{name: name, list: reflect.ValueOf(list).Elem()}) }
	vector := func(name string, v *Vector) {
		if v.Exact == nil {
			add(name, &v.High)
			add(name+"_low", &v.Low)
		}
	}
	add("values", (*[]float64)(&r.Values))
	add("lower", (*[]float64)(&r.Lower))
	add("upper", (*[]float64)(&r.Upper))
	add("relative_values", (*[]float64)(&r.Relative))
	add("policy", &r.Policy)
	if r.Steps() > 0 {
		all = append(all, array{"policies", reflect.ValueOf(&r.Policies).Elem(), r.Steps()})
	}
	c := r.Certificate
	if c == nil {
		return all
	}
	add("certificate.policy", &c.Policy)
	for _, side := range []struct {
		name string
		*Witness
	}{{"lower", &c.Lower}, {"upper", &c.Upper}, {"scale", c.Scale}} {
		if side.Witness != nil {
			vector("certificate."+side.name+".gain", &side.Gain)
			vector("certificate."+side.name+".value", &side.Value)
		}
	}
	if c.Cycle != nil {
		add("certificate.cycle.policy", &c.Cycle.Policy)
		vector("certificate.cycle.value", &c.Cycle.Value)
	}
	return all
}

// withoutArrays returns a copy of a result without the lists of arrays.
func (r *Result) withoutArrays() *Result {
	own := *r
	if r.Certificate != nil {
		c := *r.Certificate
		if c.Scale != nil {
			c.Scale = new(*c.Scale)
		}
		if c.Cycle != nil {
			c.Cycle = new(*c.Cycle)
		}
		own.Certificate = &c
	}
	for _, a := range own.arrays() {
		a.list.SetZero()
	}
	return &own
}

// item returns the type of the elements as NumPy names it, and their size in bytes.
func (a array) item() (descr string, size int) {
	if a.list.Type().Elem().Kind() == reflect.Float64 {
		return "<f8", 8
	}
	return "<i4", 4
}

// header returns the header of an array of length elements, in version 1.0 of the format .npy. It ends
// at a multiple of 64 bytes.
func (a array) header(length int) []byte {
	const magic, lengthBytes = "\x93NUMPY\x01\x00", 2
	descr, _ := a.item()
	shape := fmt.Sprintf("(%d,)", length)
	if a.rows > 0 {
		shape = fmt.Sprintf("(%d, %d)", a.rows, length/a.rows)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	text += strings.Repeat(" ", -(len(magic)+lengthBytes+len(text)+1)&63) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte(magic), uint16(len(text))), text...) //nolint:gosec // some 118
}

// write writes the header, and the elements after it, for which it uses the memory of buffer.
func (a array) write(w io.Writer, buffer []byte) error {
	length := a.list.Len()
	if a.rows > 0 {
		length *= a.list.Index(0).Len()
	}
	_, err := w.Write(a.header(length))
	for _, list := range a.lines() {
		for i := 0; i < list.Len() && err == nil; i += writtenAtOnce {
			buffer = encode(buffer, list.Slice(i, min(i+writtenAtOnce, list.Len())).Interface())
			_, err = w.Write(buffer)
		}
	}
	return err
}

// encode is binary.Append to an empty buffer, whose memory suffices, for the lists of arrays, several times as fast.
func encode(buffer []byte, list any) []byte {
	switch list := list.(type) {
	case []float64:
		buffer = buffer[:8*len(list)]
		for i, x := range list {
			binary.LittleEndian.PutUint64(buffer[8*i:], math.Float64bits(x))
		}
	case []int32:
		buffer = buffer[:4*len(list)]
		for i, x := range list {
			binary.LittleEndian.PutUint32(buffer[4*i:], uint32(x)) //nolint:gosec // the same bits
		}
	}
	return buffer
}

// lines returns the lists of numbers that an array consists of.
func (a array) lines() []reflect.Value {
	if a.rows == 0 {
		return []reflect.Value{a.list}
	}
	lines := make([]reflect.Value, a.list.Len())
	for i := range lines {
		lines[i] = a.list.Index(i)
	}
	return lines
}

// read reads what write has written, inAll bytes in total.
func (a array) read(r io.Reader, inAll int) error {
	descr, size := a.item()
	start := make([]byte, len(a.header(math.MaxInt32))) // of any length of list
	length, columns := (inAll-len(start))/size, 0
	if a.rows > 0 {
		columns = length / a.rows
	}
	if _, err := io.ReadFull(r, start); err != nil || length <= 0 || a.rows > 0 && length != a.rows*columns ||
		inAll != len(start)+length*size || !bytes.Equal(start, a.header(length)) {
		return fmt.Errorf("found another kind of array; expected one dimension of type %s, or policies with a row for each step", descr)
	}
	if a.rows == 0 {
		a.list.Set(reflect.MakeSlice(a.list.Type(), length, length))
	} else {
		a.list.Set(reflect.ValueOf(slices.Collect(slices.Chunk(make([]int32, length), columns))))
	}
	for _, list := range a.lines() {
		if err := binary.Read(r, binary.LittleEndian, list.Interface()); err != nil {
			return err
		}
	}
	_, err := io.ReadFull(r, start[:1]) // compares the checksum
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// WriteArrays writes a result as [WriteFile] writes a file .npz: a zip file that numpy.load reads.
func WriteArrays(w io.Writer, r *Result) error {
	if err := r.Validate(); err != nil {
		return err
	}
	arrays := r.arrays()
	if memory, is := w.(*bytes.Buffer); is { // which would be copied as it grows
		size := 1 << 14
		for _, a := range arrays {
			_, width := a.item()
			for _, list := range a.lines() {
				size += width * list.Len()
			}
		}
		memory.Grow(size)
	}
	archive := zip.NewWriter(w)
	buffer := make([]byte, 0, 8*writtenAtOnce)
	for _, a := range arrays {
		if a.list.Len() == 0 {
			continue
		}
		member, err := archive.CreateHeader(&zip.FileHeader{Name: a.name + ".npy"})
		if err == nil {
			err = a.write(member, buffer)
		}
		if err != nil {
			return fmt.Errorf("certificate: writing: %w", err)
		}
	}
	member, err := archive.CreateHeader(&zip.FileHeader{Name: rest})
	if err != nil {
		return fmt.Errorf("certificate: writing: %w", err)
	}
	d := documentOf(r)
	d.Result = r.withoutArrays()
	if err := d.write(member); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("certificate: writing: %w", err)
	}
	return nil
}

// readArrays reads a file that [WriteArrays] has written.
func readArrays(path string) (*Result, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it is only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w: use a file that solve --out writes", path, err)
	}
	first := slices.IndexFunc(archive.File, func(member *zip.File) bool { return member.Name == rest })
	if first < 0 {
		return nil, fmt.Errorf("%s: no member %s: use a file that solve --out writes", path, rest)
	}
	members := archive.File // the rest comes first: it says which parts the certificate has
	members[0], members[first] = members[first], members[0]
	d := document{Result: &Result{}}
	for i, member := range members {
		if err := d.readMember(member, i == 0, info.Size()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := cmp.Or(d.complete(), d.validate()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d.Result, nil
}

// readMember reads the rest of a result or, once that is known, one of its arrays.
func (d *document) readMember(member *zip.File, isRest bool, fileBytes int64) error {
	if member.Method != zip.Store || member.UncompressedSize64 > uint64(fileBytes) { //nolint:gosec // not negative
		return fmt.Errorf("%s: found compressed data; expected members that are only stored, as by numpy.savez", wording.Quote(member.Name))
	}
	content, err := member.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", wording.Quote(member.Name), err)
	}
	defer func() { _ = content.Close() }() // it is only read
	if isRest {
		return jsonscan.Decode(content, rest, true, d) // names the member itself
	}
	for _, a := range d.arrays() {
		if a.name+".npy" != member.Name || a.list.Len() > 0 {
			continue
		}
		if err := a.read(content, int(member.UncompressedSize64)); err != nil {
			return fmt.Errorf("%s: %w", member.Name, err)
		}
		return nil
	}
	return fmt.Errorf("%s: found a member that is unknown or repeated: use a file that solve --out writes", wording.Quote(member.Name))
}
