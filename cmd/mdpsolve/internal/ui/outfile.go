package ui

// Files for results.

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// OutFile is a file for a result.
type OutFile struct {
	Name string
	flag string
}

// OutFile returns the file that a flag names, whose name ends in one of those given;
// nil if the flag is not set. OutFile checks that the file can be written, before a
// long solve would be in vain.
func (a *Arguments) OutFile(flag string, extensions ...string) *OutFile {
	if !a.CLI.IsSet(flag) {
		return nil
	}
	name := a.CLI.String(flag)
	if !slices.ContainsFunc(extensions, func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) }) {
		a.Fault(flag, "%q is not valid: use a name that ends in %s", name, wording.Alternatives(extensions))
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

// Beside returns a file beside this one, with a suffix to its name.
func (f *OutFile) Beside(suffix string) *OutFile { return &OutFile{f.Name + suffix, f.flag} }

// CanWrite ends the command if a file cannot be written, or if another flag writes it.
func (a *Arguments) CanWrite(flag, name string) {
	if name == "" {
		a.Fault(flag, "%q is not valid: give the name of a file", name)
	}
	for other, written := range a.written {
		if other != flag && wholefile.Same(name, written) {
			a.Fault(flag, "%q is also the file of --%s: use another file", name, other)
		}
	}
	if a.written == nil {
		a.written = map[string]string{}
	}
	if a.written[flag] = name; name == HandoverOf(a.CLI.Context).Returned {
		return
	}
	a.Fail(WriteFault(flag, name, wholefile.Check(name)))
}

// KeepInputs ends the command if the file that a flag names, to be written, is that of an operand
// or of another flag, whose content would be lost.
func (a *Arguments) KeepInputs(flag string) {
	name := a.CLI.String(flag)
	isSame := func(other string) bool { return other != "-" && wholefile.Same(name, other) }
	if slices.ContainsFunc(a.CLI.Args().Slice(), isSame) {
		a.Fault(flag, "%q is also what the verb reads: use another file", name)
	}
	for _, f := range a.Flags {
		other := f.Names()[0]
		if other == flag || !a.CLI.IsSet(other) {
			continue
		}
		text := a.CLI.String(other)
		if _, file, _ := strings.Cut(text, ":"); isSame(text) || isSame(file) { // sample:FILE is a law
			a.Fault(flag, "%q is also the file of --%s: use another file", name, other)
		}
	}
}

// WriteFault returns the [usageError] for the file of a flag that cannot be written; nil for
// no error.
func WriteFault(flag, name string, err error) error {
	if err == nil {
		return nil
	}
	return UsageErrorf("--%s: %s cannot be written: %s", flag, wording.Short(name), PathFault(err, "folder"))
}
