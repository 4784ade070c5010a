package ui

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ResultFile is a file for what a command finds. It is opened before there is
// anything to write, so that a long solve is not in vain.
type ResultFile struct {
	File  *os.File
	flag  string // that names it
	fresh bool   // did not exist before
	saved bool
}

// ResultFile opens the file that a flag names; nil where the flag is not set.
func (a *Arguments) ResultFile(flag, allowed string, extensions ...string) *ResultFile {
	if !a.CLI.IsSet(flag) {
		return nil
	}
	name := a.CLI.String(flag)
	if !slices.Contains(extensions, strings.ToLower(filepath.Ext(name))) {
		a.Fault(flag, "%q found; %s is allowed", name, allowed)
		return nil
	}
	_, err := os.Stat(name)
	fresh := os.IsNotExist(err)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666) // users' own masks apply
	if err != nil {
		a.Fault(flag, "%q found; %s is allowed (%v)", name, allowed, err)
		return nil
	}
	return &ResultFile{File: file, flag: flag, fresh: fresh}
}

// Discard removes what has been created and not been written to.
func (f *ResultFile) Discard() {
	if f == nil || f.saved {
		return
	}
	_ = f.File.Close() // nothing was written
	if f.fresh {
		_ = os.Remove(f.File.Name()) // at worst an empty file stays behind
	}
}

// Write replaces the content of the file.
func (f *ResultFile) Write(content func(io.Writer) error) error {
	if err := f.File.Truncate(0); err != nil {
		return err
	}
	if err := content(f.File); err != nil {
		return fmt.Errorf("--%s: %w", f.flag, err)
	}
	f.saved = true
	return f.File.Close()
}
