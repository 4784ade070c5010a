package mdpio

import (
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// ErrRange is reported where a number that follows from those of a model is one that
// float64 does not hold with all its digits.
var ErrRange = errors.New("beyond float64")

// ErrFormat is wrapped by the errors of [ReadFile] and [WriteFile] where the
// name of a file tells no format that is known.
var ErrFormat = errors.New("unknown file format")

// SyntaxError is a fault in a file with its place. Everything that is wrong
// with what a file says comes as a *SyntaxError; what keeps a file from being
// read at all (a missing file, a damaged gzip stream) does not.
type SyntaxError struct {
	File    string // as it was named to the reader
	Line    int    // from 1
	Column  int    // from 1, in bytes
	Found   string // what stands there
	Allowed string // what may stand there
}

// Error returns "file:line:column: … found; … is allowed", one line.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s found; %s is allowed", e.File, e.Line, e.Column, e.Found, e.Allowed)
}

// fault is what is wrong, before the place is known.
type fault struct {
	found, allowed string
}

// place is a position in a file.
type place struct {
	line, column int
}

// at returns the fault as an error with its place.
func (f *fault) at(file string, p place) error {
	return &SyntaxError{File: file, Line: p.line, Column: p.column, Found: f.found, Allowed: f.allowed}
}

// maxQuoted is how many bytes of what is no name a message repeats.
const maxQuoted = 40

// quote returns text in quotes, cut where it is long.
func quote(text []byte) string { return wording.Quote(string(text)) }
