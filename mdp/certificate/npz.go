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

// array is a list of a result, with the name that it has in a file of arrays.
type array struct {
	name string
	list reflect.Value // a []float64 or, for actions, []int32, which can be set
}

// arrays returns the lists of a result that a file of arrays has members for. Those with
// fractions are not among them.
func (r *Result) arrays() (all []array) {
	// encoding/binary is fast for the types []float64 and []int32 themselves.
	add := func(name string, list any) { all = append(all, array{name, reflect.ValueOf(list).Elem()}) }
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

// item returns the type of the elements in the words of NumPy, and their bytes.
func (a array) item() (descr string, size int) {
	if a.list.Type().Elem().Kind() == reflect.Int32 {
		return "<i4", 4
	}
	return "<f8", 8
}

// npyHeader returns what stands before the elements of an array: version 1.0 of the format
// .npy. It ends at a multiple of 64 bytes.
func npyHeader(descr string, length int) []byte {
	const magic, lengthBytes = "\x93NUMPY\x01\x00", 2
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", descr, length)
	text += strings.Repeat(" ", -(len(magic)+lengthBytes+len(text)+1)&63) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte(magic), uint16(len(text))), text...) //nolint:gosec // some 118
}

// write writes the elements behind their header.
func (a array) write(w io.Writer) error {
	descr, _ := a.item()
	if _, err := w.Write(npyHeader(descr, a.list.Len())); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, a.list.Interface())
}

// read reads what write has written, all in all so many bytes.
func (a array) read(r io.Reader, inAll int) error {
	descr, size := a.item()
	start := make([]byte, len(npyHeader(descr, math.MaxInt32))) // of any length of list
	length := (inAll - len(start)) / size
	if _, err := io.ReadFull(r, start); err != nil || length <= 0 || inAll != len(start)+length*size || !bytes.Equal(start, npyHeader(descr, length)) {
		return fmt.Errorf("found another kind of array; expected one dimension of type %s", descr)
	}
	a.list.Set(reflect.MakeSlice(a.list.Type(), length, length))
	if err := binary.Read(r, binary.LittleEndian, a.list.Interface()); err != nil {
		return err
	}
	_, err := io.ReadFull(r, start[:1]) // compares the checksum
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// writeArrays writes a result as a zip file that numpy.load reads: a member for each
// list without fractions, and JSON for the rest.
func writeArrays(w io.Writer, r *Result) error {
	if err := r.Validate(); err != nil {
		return err
	}
	archive := zip.NewWriter(w)
	for _, a := range r.arrays() {
		if a.list.Len() == 0 {
			continue
		}
		member, err := archive.CreateHeader(&zip.FileHeader{Name: a.name + ".npy"})
		if err == nil {
			err = a.write(member)
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

// readArrays reads a file that writeArrays has written.
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
