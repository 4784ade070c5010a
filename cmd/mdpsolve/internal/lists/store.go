package lists

// The file of --store.

import (
	"errors"
	"io/fs"

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

// ReadStore is WithStore for verbs that only read: the file need not be writable.
func ReadStore(a *ui.Arguments, use func(*store.Store) error) error {
	name := a.Text("store", "the file of a store")
	pages, err := store.OpenToRead(a.CLI.Context, name)
	return WithOpened(a, name, pages, err, use)
}

// Backup writes a copy of a store to a file, which it replaces once the copy is whole and on disk.
func Backup(s *store.Store, name string) error {
	const mode = 0o600 // as that of a store
	return wholefile.Write(name, mode, func(file *wholefile.File) error { return s.Backup(file) })
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
