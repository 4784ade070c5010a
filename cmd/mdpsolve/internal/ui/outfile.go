package main

import (
	"errors"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

// canWrite finds out whether a file can be written.
func (a *arguments) canWrite(flag, name string) {
	if a.err != nil {
		return
	}
	err := errors.New("no name")
	if name != "" {
		err = wholefile.Check(name)
	}
	if err != nil {
		a.fault(flag, "%q found; a file that can be written is allowed (%v)", name, err)
	}
}
