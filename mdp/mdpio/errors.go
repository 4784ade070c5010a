// This file holds the errors of reading and writing model files.

package mdpio

import (
	"errors"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// ErrRange is reported if a number computed from those of a model is outside the range
// in which float64 has all its digits.
var ErrRange = errors.New("beyond float64")

// ErrFormat is wrapped by the errors of [ReadFile] and [WriteFile] if the name of a
// file has no ending that stands for a known format.
var ErrFormat = errors.New("unknown file format")

// SyntaxError is a fault in a file with its place. Every fault in the contents of a
// file is a *SyntaxError. An error that keeps a file from being read at all (a missing
// file, a damaged gzip stream) is not.
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
