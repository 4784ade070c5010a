// This file holds the errors of files.

package mdpio

import (
	"errors"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
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
	File         string // as it was named to the reader
	Line, Column int    // from 1; columns count bytes
	Found        string // what stands there
	Expected     string // what may stand there
}

// Error returns "file:line:column: found …; expected …", one line.
func (e *SyntaxError) Error() string { return (*filepos.Error)(e).Error() }

// exported returns an error of a reader as callers get it: faults are of type
// *SyntaxError.
func exported(err error) error {
	if fault, ok := errors.AsType[*filepos.Error](err); ok {
		return (*SyntaxError)(fault)
	}
	return err
}

// quote returns text in quotation marks, shortened where it is long.
func quote(text []byte) string { return wording.Quote(string(text)) }
