package mdpio

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
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
	format, compressed, err := formatOf(path)
	if err != nil {
		return Header{}, err
	}
	switch format {
	case prismFormat:
		return readTra(path, func(*prismReader, *traReader) error { return nil })
	case drnFormat:
		return openAndRead(path, compressed, func(r io.Reader) (Header, error) { return readDRNHeader(r, path) })
	default:
		return openAndRead(path, compressed, func(r io.Reader) (Header, error) { return readJSONHeader(r, path) })
	}
}

// HasFractions reports whether [Options.Exact] keeps what a model file says of
// its probabilities or rates: whether it declares its numbers as exact ones, or
// for a .tra file, which is read for that, whether one of its values is a
// fraction.
func HasFractions(path string) (bool, error) {
	if format, _, err := formatOf(path); err != nil || format != prismFormat {
		h, err := ReadHeader(path)
		return h.Rational, err
	}
	found := false
	_, err := readTra(path, func(p *prismReader, t *traReader) error {
		columns := 3 // state, next state, value
		if t.choices >= 0 {
			columns = 4
		}
		for !found {
			more, err := p.nextFilled(prismComment)
			if err != nil || !more {
				return err
			}
			var word []byte
			for range columns {
				word = p.word()
			}
			found = bytes.IndexByte(word, '/') >= 0
		}
		return nil
	})
	return found, err
}

func readDRNHeader(r io.Reader, name string) (Header, error) {
	d := &drnReader{lineReader: newLineReader(r, name), builder: newBuilder(Options{})}
	if err := d.readHeader(); err != nil {
		return Header{}, err
	}
	return Header{
		Kind: d.builder.model.Kind, Rational: d.header.rational,
		States: d.header.states, Choices: d.header.choices, Transitions: -1,
	}, nil
}

// errStates ends the reading of a JSON header.
var errStates = errors.New("mdpio: the states come next")

func readJSONHeader(r io.Reader, name string) (Header, error) {
	j := &jsonModel{jsonReader: newJSONReader(r, name), builder: newBuilder(Options{}), far: farthest{state: -1}}
	err := j.object("a model in curly brackets", func(member string) error {
		if member == "states" {
			return errStates
		}
		return j.readMember(member)
	})
	if err != nil && !errors.Is(err, errStates) {
		return Header{}, err
	}
	return Header{Kind: j.builder.model.Kind, Rational: j.rational, States: -1, Choices: -1, Transitions: -1}, nil
}

// readTra reads the header of a .tra file, and what more is wanted of it.
func readTra(path string, more func(*prismReader, *traReader) error) (Header, error) {
	h, t := Header{}, &traReader{}
	folder := filepath.Dir(path)
	p := &prismReader{folder: os.DirFS(folder), base: strings.TrimSuffix(filepath.Base(path), ".tra"), builder: newBuilder(Options{})}
	found, err := p.read(".tra", func() error {
		if err := p.readTraHeader(t); err != nil {
			return err
		}
		return more(p, t)
	})
	if err == nil && !found {
		err = missing(p.base + ".tra")
	}
	if err != nil {
		return h, inFolder(folder, err)
	}
	return Header{Kind: p.builder.model.Kind, States: t.states, Choices: t.choices, Transitions: t.transitions}, nil
}
