// Package filepos has the errors of text files: file:line:column, what was found and what
// was expected.
package filepos

import (
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

// Place is a position in a text. Lines and columns count from 1, columns in bytes.
type Place struct {
	Line, Column int
}

// Error is a fault in a file.
//
// Packages that export such errors declare a type of their own with the same
// fields, so that their documentation shows them, and convert the pointer.
type Error struct {
	File         string // the name given to the reader
	Line, Column int    // from 1; columns count bytes
	Found        string // what is there
	Expected     string // what may stand there; "" where Found says all
}

// Fault returns an error without a place; [Error.At] adds it.
func Fault(found, expected string) *Error { return &Error{Found: found, Expected: expected} }

// BadNumber returns an error of package number as a fault.
func BadNumber(err error) *Error {
	if e, ok := errors.AsType[*number.Error](err); ok {
		return Fault(e.Found, e.Expected)
	}
	return Fault(err.Error(), "")
}

// At sets file and place, and returns the error itself.
func (e *Error) At(file string, p Place) error {
	e.File, e.Line, e.Column = file, p.Line, p.Column
	return e
}

// Error returns "file:line:column: found …; expected …".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.What())
}

// What returns "found …; expected …", without the place.
func (e *Error) What() string {
	if e.Expected == "" {
		return e.Found
	}
	return "found " + e.Found + "; expected " + e.Expected
}
