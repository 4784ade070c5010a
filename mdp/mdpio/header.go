// This file reads what a model file says of itself before its states.

package mdpio

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/mdpsolve/mdpsolve/internal/gzfile"
)

// Header is what a model file says of itself before it comes to its states.
type Header struct {
	// Kind is the kind of the model; 0 where the file does not say it (a .tra
	// file of a Markov chain).
	Kind Kind

	// Rational says that a file declares its numbers as exact ones. A .tra file
	// declares nothing: see [HasFractions].
	Rational bool

	// States, Choices and Transitions are the counts that the file announces,
	// −1 where it does not.
	States, Choices, Transitions int
}

// ReadHeader reads the header of a model file whose format its name tells, as
// for [ReadFile], without going through its states: what follows may be at
// fault, and fall short of what is announced.
func ReadHeader(path string) (Header, error) {
	format, err := formatOf(path)
	if err != nil {
		return Header{}, err
	}
	if format == prismFormat {
		h, _, err := readTraHeader(path, false)
		return h, err
	}
	read := readJSONHeader
	if format == drnFormat {
		read = readDRNHeader
	}
	return gzfile.Read(path, func(r io.Reader) (Header, error) { return read(r, path) })
}

// HasFractions reports whether [Options.Exact] keeps what a model file says of
// its probabilities or rates: whether it declares its numbers as exact ones, or
// for a .tra file, which is read for that, whether one of its values is a
// fraction.
func HasFractions(path string) (bool, error) {
	if format, err := formatOf(path); err != nil || format != prismFormat {
		h, err := ReadHeader(path)
		return h.Rational, err
	}
	_, fractions, err := readTraHeader(path, true)
	return fractions, err
}

func readDRNHeader(r io.Reader, name string) (Header, error) {
	d := newDRNReader(r, name, Options{})
	d.readHeader()
	if d.Err() != nil {
		return Header{}, exported(d.Err(), outside)
	}
	h := d.header
	return Header{Kind: d.builder.model.Kind, Rational: h.rational, States: h.states, Choices: h.choices, Transitions: -1}, nil
}

// errStates ends the reading of a JSON header.
var errStates = errors.New("mdpio: the states come next")

func readJSONHeader(r io.Reader, name string) (Header, error) {
	j := newJSONModel(r, name, Options{})
	err := j.Object("a model in curly brackets", func(member string) error {
		if member == "states" {
			return errStates
		}
		return j.readMember(member)
	})
	if err != nil && !errors.Is(err, errStates) {
		return Header{}, exported(err, outside)
	}
	return Header{Kind: j.builder.model.Kind, Rational: j.rational, States: -1, Choices: -1, Transitions: -1}, nil
}

// readTraHeader reads the header of a .tra file and, if asked to, up to the first
// value that is a fraction.
func readTraHeader(path string, search bool) (h Header, fractions bool, err error) {
	folder, base := splitTra(path)
	p := newPRISMReader(os.DirFS(folder), base, Options{})
	err = p.readTra(func(t *traReader) {
		h = Header{Kind: t.builder.model.Kind, States: t.states, Choices: t.choices, Transitions: t.transitions}
		columns := 3 // state, next state, value
		if t.choices >= 0 {
			columns = 4
		}
		for search && !fractions && t.Next() {
			var word []byte
			for range columns {
				word = t.Word()
			}
			fractions = bytes.IndexByte(word, '/') >= 0
		}
	})
	return h, fractions, inFolder(folder, exported(err, outside))
}
