// This file holds what a model file says of itself before its states.

package modelfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/mdpsolve/mdpsolve/internal/lines"
)

// Header is what a model file says of itself before it comes to its states: see
// [Options].Announced. What follows may be at fault, and fall short of what is
// announced.
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

// announce passes on what a file says of its states.
func (o *Options) announce(h Header) error {
	if o.Announced == nil {
		return nil
	}
	return o.Announced(h)
}

// errAnnounced ends a reading after the header.
var errAnnounced = errors.New("modelfile: the states come next")

// HasFractions reports whether [Options.Exact] keeps what a model file says of
// its probabilities or rates: whether it declares its numbers as exact ones, or
// for a .tra file, which is read for that, whether one of its values is a
// fraction.
func HasFractions(path string) (bool, error) {
	if format, err := formatOf(path); err == nil && format == prismFormat {
		return traHasFractions(path)
	}
	rational := false
	_, err := ReadFile(path, Options{Announced: func(h Header) error {
		rational = h.Rational
		return errAnnounced
	}})
	if errors.Is(err, errAnnounced) {
		err = nil
	}
	return rational, err
}

// traHasFractions looks for a value that is a fraction. Faults of the file are left to its
// reader.
func traHasFractions(path string) (found bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("modelfile: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	column := 0
	for l := lines.NewReader(file, path, "#"); l.Next() && !found; {
		words := bytes.Fields(l.Rest())
		if column == 0 { // counts: as many as columns before the value
			column = len(words)
		} else {
			found = len(words) > column && bytes.IndexByte(words[column], '/') >= 0
		}
	}
	return found, nil
}
