package lists

// The file of --store.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// WithStore calls use with the store of --store, and closes the store.
func WithStore(a *ui.Arguments, use func(*store.Store) error) error {
	name := a.Text("store", "the file of a store")
	pages, err := store.Open(a.CLI.Context, name)
	return WithOpened(a, name, pages, err, use)
}

// SaveMemory has garbage collected more often, unless the user has set GOGC. By default, garbage may become as large
// as the memory in use, and that of a store is large as long as it is open. restore ends that, since a process may
// run other verbs later.
func SaveMemory() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	const garbage = 40
	before := debug.SetGCPercent(garbage)
	return func() { debug.SetGCPercent(before) }
}

// ReadStore is WithStore for verbs that only read: the file need not be writable.
func ReadStore(a *ui.Arguments, use func(*store.Store) error) error {
	name := a.Text("store", "the file of a store")
	defer SaveMemory()()
	pages, err := store.OpenToRead(a.CLI.Context, name)
	return WithOpened(a, name, pages, err, use)
}

// CopyFile reads a flag that names the file of copies of a store, which [Backup] can replace.
func CopyFile(a *ui.Arguments, flag string) string {
	name := TextFile(a, flag).Name
	if name == "" {
		a.Fault(flag, "a copy cannot go to standard output: name a file")
	}
	release, err := hold(name)
	if err == nil {
		err = release()
	}
	if err != nil {
		a.Fault(flag, "%v", err)
	}
	return name
}

// Backup writes a copy of a store to a file, which it replaces once the copy is whole and on disk.
// Of the files that are there, it replaces only stores that no other process has open.
func Backup(s *store.Store, name string) error {
	release, err := hold(name)
	if err != nil {
		return err
	}
	const mode = 0o600 // as that of a store
	err = wholefile.Write(name, mode, func(file *wholefile.File) error { return s.Backup(file) })
	return errors.Join(err, release())
}

// hold keeps other processes from a file that a copy is to replace. An empty file and a pipe have
// nothing that could be lost.
func hold(name string) (release func() error, err error) {
	if info, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) || err == nil && (!info.Mode().IsRegular() || info.Size() == 0) {
		return func() error { return nil }, nil
	}
	release, err = store.Hold(name)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be replaced: %w", name, err)
	}
	return release, nil
}

// WarnOfPlainPrior says that the rates of a store are less good than they could be.
func WarnOfPlainPrior(a *ui.Arguments) {
	a.Warn("no prior of change rates can be fitted to the accesses in the store: a plain one serves")
}

// WithOpened calls use with a store and closes it, unless opening it failed with err.
func WithOpened(a *ui.Arguments, name string, pages *store.Store, err error, use func(*store.Store) error) (fault error) {
	if err := StoreFault(a, name, err); err != nil {
		return err
	}
	defer func() { fault = errors.Join(fault, pages.Close()) }() // also if use panics, as Arguments.Fail does
	return use(pages)
}

// StoreFault words why a store cannot be opened; nil for nil.
func StoreFault(a *ui.Arguments, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case a.CLI.Err() != nil:
		return ui.EndEarly(ui.ExitInterrupted, "interrupted while opening the store: nothing is changed")
	case errors.Is(err, fs.ErrNotExist):
		return ui.UsageErrorf("%s: no such file: make a store with mdpsolve store set --store %s --bandwidth R/day", name, name)
	case errors.Is(err, store.ErrEmpty):
		return ui.UsageErrorf("--store: %q is empty: make it a store with mdpsolve store set --store %s --bandwidth R/day", name, name)
	}
	return ui.UsageErrorf("--store: %q cannot be used: %v", name, err)
}
