// Package leftover finds files and folders that a killed program has left, and removes
// them.
//
// Who makes one holds it: a lock that the system takes back when the process ends,
// however it does. What nobody holds has been left. Names have to be such that nobody
// else gives them to files.
package leftover

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// holder is the name of the file in a folder that is held for it.
const holder = "held"

// Folder makes a temporary folder, whose name begins with a prefix, and removes those of
// that prefix that have been left. remove removes it.
func Folder(prefix string) (name string, remove func(), err error) {
	sweep(prefix)
	name, err = os.MkdirTemp("", prefix)
	if err != nil {
		return "", nil, err
	}
	file, err := os.Create(filepath.Join(name, holder))
	if err != nil {
		return "", nil, err
	}
	held, ok := Hold(file)
	if !ok { // another process was faster than the lock, and removes the folder
		_ = file.Close()
		return Folder(prefix)
	}
	return name, func() {
		_ = file.Close() // nothing has been written
		_ = held.Close()
		_ = os.RemoveAll(name) // at worst it stays
	}, nil
}

// Join returns the path of the temporary folder of a name, which others may have made by
// Folder or Join. Where it is not there, it makes the folder, holds it as long as this
// process lives, and removes those of a prefix that have been left.
func Join(name, prefix string) (path string, err error) {
	path = filepath.Join(os.TempDir(), name)
	if err = os.Mkdir(path, 0o700); errors.Is(err, fs.ErrExist) {
		return path, nil
	}
	if err != nil {
		return "", err
	}
	file, err := os.Create(filepath.Join(path, holder))
	if err != nil {
		return "", err
	}
	held, _ := Hold(file) // if not, another process removes the folder
	joined.Store(path, [...]*os.File{file, held})
	sweep(prefix)
	return path, nil
}

// joined are the files that this process holds for Join.
var joined sync.Map

// sweep removes the folders of a prefix that have been left.
func sweep(prefix string) {
	others, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*", holder)) // the pattern is a good one
	for _, other := range others {
		if Remove(other) {
			_ = os.RemoveAll(filepath.Dir(other)) // at worst it stays
		}
	}
}
