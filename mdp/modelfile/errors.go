// This file holds the errors of reading and writing model files.

package modelfile

import (
	"errors"
	"fmt"

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
	Line, Column int    // from 1; columns count bytes; 0 in the binary members of a UMB file
	Found        string // what stands there
	Expected     string // what may stand there
	Within       string // the part of the model, as "state 0, action 1"; "" outside of states

	Member string // of a UMB file
	Index  int    // of a number in Member, from 0; −1 where the whole member is at fault
}

// Error returns "file:line:column: state 0, action 1: found …; expected …", one line; for a
// UMB file "file: member: index: …".
func (e *SyntaxError) Error() string {
	fault := filepos.Error{Found: e.Found, Expected: e.Expected}
	what := fault.What()
	if e.Within != "" {
		what = e.Within + ": " + what
	}
	place := e.File
	if e.Member != "" {
		place += ": " + e.Member
	}
	switch {
	case e.Line > 0:
		place += fmt.Sprintf(":%d:%d", e.Line, e.Column)
	case e.Index >= 0:
		place += fmt.Sprintf(": %d", e.Index)
	}
	return place + ": " + what
}

// exported returns an error of a reader in a part of a model as callers get it: faults
// are of type *SyntaxError.
func exported(err error, within part) error {
	if fault, ok := errors.AsType[*filepos.Error](err); ok {
		return &SyntaxError{
			File: fault.File, Line: fault.Line, Column: fault.Column,
			Found: fault.Found, Expected: fault.Expected, Within: within.String(),
		}
	}
	return err
}

// part is a part of a model: a state, and one of its actions, by their numbers, −1 for
// none.
type part struct{ state, action int }

// outside is what is of no state.
var outside = part{-1, -1}

// String returns "state 0, action 1", or less.
func (p part) String() string {
	switch {
	case p.state < 0:
		return ""
	case p.action < 0:
		return fmt.Sprintf("state %d", p.state)
	}
	return fmt.Sprintf("state %d, action %d", p.state, p.action)
}

// quote returns text in quotation marks, shortened where it is long.
func quote(text []byte) string { return wording.Quote(string(text)) }
