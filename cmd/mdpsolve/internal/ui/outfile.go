package ui

import (
	"errors"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

// CanWrite finds out whether a file can be written.
func (a *Arguments) CanWrite(flag, name string) {
	err := errors.New("no name")
	if name != "" {
		err = wholefile.Check(name)
	}
	if err != nil {
		a.Fault(flag, "%q found; a file that can be written is allowed (%v)", name, err)
	}
}
