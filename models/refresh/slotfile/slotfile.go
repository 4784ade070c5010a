// Package slotfile writes files of schedules that may be interrupted, or even killed, and
// go on later.
package slotfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// ErrOtherContent says that a [File] has other rows than its schedule goes on
// with.
var ErrOtherContent = errors.New("differs from the schedule")

// A File is the file of a schedule whose program may be interrupted, or even
// killed, and goes on later. Once in a while the program makes sure that the rows so
// far are on the disk (Sync). Then it saves the state of its sequence
// together with Size, the number of bytes of these rows.
//
// A program that is killed has often written more rows than its last state knows of,
// and the last of them in part. [Resume] leaves them in place: a sequence that
// goes on from a state gives the same slots again, and Write compares them with what
// is there. After that it appends. Nothing is overwritten.
type File struct {
	*os.File
	size  int64  // bytes of the schedule that have been written or found there
	ahead int64  // bytes after them, to be compared
	saved int64  // size when opened
	there []byte // memory for what is compared
}

// Create begins a file; one of the same name is emptied.
func Create(name string) (*File, error) {
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return &File{File: file}, nil
}

// Resume opens a file in order to go on after its first size bytes, which a
// saved state knows of. A file with fewer bytes is an error. No other program should
// write to it.
func Resume(name string, size int64) (*File, error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err == nil && (size < 0 || info.Size() < size) {
		err = fmt.Errorf("%s has %d bytes; it had %d or more when the state was saved", name, info.Size(), size)
	}
	if err == nil {
		_, err = file.Seek(info.Size(), io.SeekStart)
	}
	if err != nil {
		_ = file.Close() // err counts
		return nil, err
	}
	return &File{File: file, size: size, saved: size, ahead: info.Size() - size}, nil
}

// Write writes the next rows, or finds that they are there. If something else is there
// the error is [ErrOtherContent], and the file is left alone.
func (f *File) Write(text []byte) (int, error) {
	same := int(min(f.ahead, int64(len(text))))
	if same > 0 {
		f.there = slices.Grow(f.there[:0], same)[:same]
		if _, err := f.ReadAt(f.there, f.size); err != nil {
			return 0, err
		}
		if !bytes.Equal(f.there, text[:same]) {
			at := 0
			for f.there[at] == text[at] {
				at++
			}
			return 0, fmt.Errorf("%s %w at byte %d; after its first %d bytes nothing but that schedule may follow",
				f.Name(), ErrOtherContent, f.size+int64(at)+1, f.saved)
		}
		f.size += int64(same)
		f.ahead -= int64(same)
	}
	n, err := f.File.Write(text[same:])
	f.size += int64(n)
	return same + n, err
}

// Size returns the number of bytes of the schedule so far.
func (f *File) Size() int64 { return f.size }

// Ahead returns the number of bytes that the file has after those.
func (f *File) Ahead() int64 { return f.ahead }
