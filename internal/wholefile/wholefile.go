// Package wholefile writes files that are never seen half done.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix ends the name that a file has until it is complete: its own and Suffix, or a
// number and Suffix where there is one of that name, as another program writes it or has
// been killed.
const Suffix = ".mdpsolve.partial"

// A File is a file in the making. It ends with Commit or Abort, which close it.
//
// What is no regular file (a pipe, a device, and standard output and standard
// error under whatever name) cannot be replaced: it is written to straight away.
type File struct {
	*os.File
	place  string // where the file is to be, "" if it is written to straight away
	shared bool   // not to be closed
}

// Create begins a file: beside its name until Commit (see [Suffix]), so that of two
// programs that write it at once each writes a whole file, and that of the last
// stays. If the name is a symbolic link, the file it leads to is meant. A file that
// is replaced hands its permissions on; a new one has mode, less what users mask.
func Create(name string, mode fs.FileMode) (*File, error) {
	place, before, err := find(name)
	if err != nil {
		return nil, err
	}
	if before == nil {
		return createBeside(place, mode)
	}
	for _, standard := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := standard.Stat(); err == nil && os.SameFile(info, before) {
			return &File{File: standard, shared: true}, nil
		}
	}
	if !before.Mode().IsRegular() {
		file, err := os.OpenFile(place, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &File{File: file}, nil
	}
	mode = before.Mode().Perm()
	file, err := createBeside(place, mode)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().Perm() != mode { // users' masks apply to new files only
		err = file.Chmod(mode)
	}
	if err != nil {
		file.Abort()
		return nil, err
	}
	return file, nil
}

func createBeside(place string, mode fs.FileMode) (*File, error) {
	name := place + Suffix
	for number := 2; ; number++ {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			return &File{File: file, place: place}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		name = fmt.Sprintf("%s.%d%s", place, number, Suffix)
	}
}

// find follows symbolic links to the place of a file, and says what is there, nil
// for nothing.
func find(name string) (place string, there fs.FileInfo, err error) {
	there, err = os.Stat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	if err == nil && !there.Mode().IsRegular() {
		return name, there, nil
	}
	for { // it ends, as Stat has come to an end
		target, err := os.Readlink(name)
		if err != nil {
			return name, there, nil
		}
		if !filepath.IsAbs(target) {
			folder, _ := filepath.Split(name)
			target = folder + target // not cleaned: the folder may be a link, too
		}
		name = target
	}
}

// Same says whether two names are those of one file, there or yet to be created.
func Same(name, other string) bool {
	place, there, err := find(name)
	otherPlace, otherThere, otherErr := find(other)
	if err != nil || otherErr != nil || (there == nil) != (otherThere == nil) {
		return false
	}
	if there != nil {
		return os.SameFile(there, otherThere)
	}
	folder, base := filepath.Split(place)
	otherFolder, otherBase := filepath.Split(otherPlace)
	in, err := os.Stat(folder + ".")
	if err != nil {
		return false
	}
	otherIn, err := os.Stat(otherFolder + ".")
	return err == nil && os.SameFile(in, otherIn) && base == otherBase
}

// Check says what would keep a file from being created, as far as that can be
// known, and leaves everything as it was.
func Check(name string) error {
	place, before, err := find(name)
	switch {
	case err != nil:
		return err
	case before == nil:
	case before.IsDir():
		return errors.New("a folder")
	case !before.Mode().IsRegular():
		return nil // whoever reads a pipe would see it opened and closed
	default:
		file, err := os.OpenFile(place, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	file, err := createBeside(place, 0o600)
	if err != nil {
		return err
	}
	file.Abort()
	return nil
}

// Sync waits until all that has been written is on the disk, if there is one.
func (f *File) Sync() error {
	if f.place == "" {
		return nil
	}
	return f.File.Sync()
}

func (f *File) close() error {
	if f.shared {
		return nil
	}
	return f.Close()
}

// Commit closes the file and gives it its name. If that fails, what was there
// before stays, and nothing is left of the attempt.
func (f *File) Commit() error {
	err := f.close()
	if f.place == "" {
		return err
	}
	if err == nil {
		err = os.Rename(f.Name(), f.place)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // err counts
	}
	return err
}

// Abort closes the file. What was there before stays, and nothing is left of the
// attempt but what has gone into a pipe or a device.
func (f *File) Abort() {
	_ = f.close() // nobody wants it
	if f.place != "" {
		_ = os.Remove(f.Name()) // at worst it stays behind
	}
}

// Write creates a file, and commits or aborts it when write has returned. A write
// that is to survive a loss of power ends with the file's Sync.
func Write(name string, mode fs.FileMode, write func(file *File) error) error {
	file, err := Create(name, mode)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Abort()
		return err
	}
	return file.Commit()
}

// WriteDurably writes a file of the given content that survives a loss of power.
func WriteDurably(name string, mode fs.FileMode, content []byte) error {
	return Write(name, mode, func(file *File) error {
		if _, err := file.Write(content); err != nil {
			return err
		}
		return file.Sync()
	})
}
