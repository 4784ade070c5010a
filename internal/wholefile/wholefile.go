// Package wholefile writes files that other programs never see incomplete.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Suffix ends the name of a file until it is complete: its own name and Suffix or, if
// another program writes the same file, a number and Suffix. What a killed program has left
// is removed by the next that writes the file.
const Suffix = ".mdpsolve.partial"

// A File is a file that is being written. Commit or Abort closes it.
//
// A pipe, a device, and standard output and standard error under any name cannot be
// replaced: writes go to them directly.
type File struct {
	*os.File
	place  string // where the file is to be, "" if it is written to straight away
	lock   *lock  // tells other programs that the file is being written
	shared bool   // must not be closed
}

// open are the files of this program that are being written.
var open struct {
	sync.Mutex
	files map[*File]bool // nil after Discard
}

func init() { open.files = map[*File]bool{} }

// Discard removes all files that are not complete; no file can be completed after it. A
// program calls it before it ends while other goroutines may still be writing.
func Discard() {
	open.Lock()
	defer open.Unlock()
	for file := range open.files {
		_ = os.Remove(file.Name()) // at worst the file remains
	}
	open.files = nil
}

// Create begins a file. It has another name until Commit (see [Suffix]), so that two
// programs can write it at once: each writes a complete file, and the last one stays. If
// the name is a symbolic link, Create writes the file to which the link leads. The new file
// has the permissions of the one that it replaces; otherwise mode, less the user's mask.
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
	removeLeft(place)
	name := place + Suffix
	for number := 2; ; number++ {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			if locked, mine := lockNew(file); mine {
				return begin(&File{File: file, place: place, lock: locked}), nil
			}
			_ = file.Close() // another program took it for one that was left, and removed it
			err = fs.ErrExist
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		name = partial(place, number)
	}
}

// partial returns the name of a file until it is complete if others are taken.
func partial(place string, number int) string { return fmt.Sprintf("%s.%d%s", place, number, Suffix) }

// begin notes that a file is being written.
func begin(f *File) *File {
	open.Lock()
	defer open.Unlock()
	if open.files != nil { // otherwise Commit fails
		open.files[f] = true
	}
	return f
}

var errDiscarded = errors.New("the program is ending")

// removeLeft removes what killed programs have left of a file.
func removeLeft(place string) {
	folder, base := filepath.Split(place)
	in, err := os.Open(folder + ".")
	if err != nil {
		return // its files can be written, perhaps, but not listed
	}
	defer func() { _ = in.Close() }()
	names, _ := in.Readdirnames(-1) // what cannot be listed stays
	for _, name := range names {
		number, begins := strings.CutPrefix(name, base)
		number, ends := strings.CutSuffix(number, Suffix)
		if !begins || !ends {
			continue
		}
		if _, err := strconv.ParseUint(strings.TrimPrefix(number, "."), 10, 64); number == "" || err == nil && number[0] == '.' {
			removeUnlocked(folder + name)
		}
	}
}

// find follows symbolic links to the place of a file, and returns what is there, nil
// for nothing.
func find(name string) (place string, there fs.FileInfo, err error) {
	there, err = os.Stat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	if err == nil && !there.Mode().IsRegular() {
		return name, there, nil
	}
	for { // ends, as Stat has resolved the links
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

// Same reports whether two names are those of one file, which need not exist.
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

// Check returns the error with which creating a file would fail, as far as it can tell
// without creating one.
func Check(name string) error {
	place, before, err := find(name)
	switch {
	case err != nil:
		return err
	case before == nil:
	case before.IsDir():
		return errors.New("a folder")
	case !before.Mode().IsRegular():
		return nil // the reader of a pipe would see it opened and closed
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

// Sync waits until everything written is on disk, if the file is on one.
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

// Commit closes the file and gives it its name. If that fails, the file that was there
// before stays, and the new one is removed.
func (f *File) Commit() error {
	err := f.close()
	if f.place == "" {
		return err
	}
	defer f.lock.release()
	open.Lock() // so that Discard comes before or after
	defer open.Unlock()
	if open.files == nil {
		err = errDiscarded
	}
	if err == nil {
		err = os.Rename(f.Name(), f.place)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // err counts
	}
	delete(open.files, f)
	return err
}

// Abort closes the file and removes it. The file that was there before stays. Writes to a
// pipe or a device are not undone.
func (f *File) Abort() {
	_ = f.close() // the file is discarded
	if f.place != "" {
		_ = os.Remove(f.Name()) // at worst the file remains
		f.lock.release()
		open.Lock()
		defer open.Unlock()
		delete(open.files, f)
	}
}

// Write creates a file, calls write, and commits the file or, after an error, aborts it.
// If the file must survive a loss of power, write calls its Sync at the end.
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
