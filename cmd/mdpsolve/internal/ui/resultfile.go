package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// resultFile is a file for what a command finds. It is opened before there is
// anything to write, so that a long solve is not in vain.
type resultFile struct {
	file  *os.File
	flag  string // that names it
	fresh bool   // did not exist before
	saved bool
}

// resultFile opens the file that a flag names; nil where the flag is not set.
func (a *arguments) resultFile(flag, allowed string, extensions ...string) *resultFile {
	if a.err != nil || !a.context.IsSet(flag) {
		return nil
	}
	name := a.context.String(flag)
	if !slices.Contains(extensions, strings.ToLower(filepath.Ext(name))) {
		a.fault(flag, "%q found; %s is allowed", name, allowed)
		return nil
	}
	_, err := os.Stat(name)
	fresh := os.IsNotExist(err)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666) // users' own masks apply
	if err != nil {
		a.fault(flag, "%q found; %s is allowed (%v)", name, allowed, err)
		return nil
	}
	return &resultFile{file: file, flag: flag, fresh: fresh}
}

// discard removes what has been created and not been written to.
func (f *resultFile) discard() {
	if f == nil || f.saved {
		return
	}
	_ = f.file.Close() // nothing was written
	if f.fresh {
		_ = os.Remove(f.file.Name()) // at worst an empty file stays behind
	}
}

// write replaces the content of the file.
func (f *resultFile) write(content func(io.Writer) error) error {
	if err := f.file.Truncate(0); err != nil {
		return err
	}
	if err := content(f.file); err != nil {
		return fmt.Errorf("--%s: %w", f.flag, err)
	}
	f.saved = true
	return f.file.Close()
}
