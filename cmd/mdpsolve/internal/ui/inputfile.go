package ui

// What is wrong with files that flags name.

import (
	"errors"
	"io/fs"

	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// ListFault words what package pagefile says of the file that a flag names.
func ListFault(flag string, err error) error {
	if fault, ok := errors.AsType[*pagefile.FileError](err); ok {
		return UsageErrorf("%s", fault.Error())
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return UsageErrorf("--%s: %q is not valid: use a file that can be read (%v)", flag, path.Path, path.Err)
	}
	if column, ok := errors.AsType[*pagefile.ColumnError](err); ok {
		return UsageErrorf("--map: %v", column)
	}
	return UsageErrorf("--%s: %v", flag, err)
}

// StoreFault words what has kept the store of --store from being opened.
func StoreFault(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return UsageErrorf("--store: there is no %q: make one by mdpsolve store set --store %s --bandwidth R/day", name, name)
	case errors.Is(err, store.ErrEmpty):
		return UsageErrorf("--store: %q is empty: make it a store by mdpsolve store set --store %s --bandwidth R/day", name, name)
	}
	return UsageErrorf("--store: %q cannot be used: %v", name, err)
}
