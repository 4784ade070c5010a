package ui

// Files that flags name for what a command finds.

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

// OutFile is a file for what a command finds.
type OutFile struct {
	Name string
	flag string
}

// OutFile returns the file that a flag names, whose name ends in one of those given;
// nil where the flag is not set. Whether it can be written is found out before there is
// anything to write, so that a long solve is not in vain.
func (a *Arguments) OutFile(flag string, extensions ...string) *OutFile {
	if !a.CLI.IsSet(flag) {
		return nil
	}
	name := a.CLI.String(flag)
	if !slices.ContainsFunc(extensions, func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) }) {
		a.Fault(flag, "%q is not valid: use a file that can be written, with a name that ends in %s", name, Enumerate(extensions))
	}
	a.CanWrite(flag, name)
	return &OutFile{name, flag}
}

// Write replaces the content of the file, once it is complete; of nil it does nothing.
func (f *OutFile) Write(content func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	const mode = 0o666 // users' own masks apply
	if err := wholefile.Write(f.Name, mode, func(file *wholefile.File) error { return content(file) }); err != nil {
		return fmt.Errorf("--%s: %w", f.flag, err)
	}
	return nil
}

// CanWrite finds out whether a file can be written.
func (a *Arguments) CanWrite(flag, name string) {
	err := errors.New("no name")
	if name != "" {
		err = wholefile.Check(name)
	}
	if err != nil {
		a.Fault(flag, "%q is not valid: use a file that can be written (%v)", name, err)
	}
}
