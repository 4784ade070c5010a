// Package gzfile reads and writes whole text files, compressed by gzip if their name
// ends in .gz.
package gzfile

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

// Suffix ends the names of compressed files.
const Suffix = ".gz"

const bufferSize = 1 << 18

// Read opens a file and reads its text, without a byte order mark.
func Read[T any](path string, read func(io.Reader) (T, error)) (result T, err error) {
	file, err := os.Open(path)
	if err != nil {
		return result, err
	}
	return From(file, path, read)
}

// From reads the text of a file of some name as [Read] does, and closes the file.
func From[T any](file fs.File, name string, read func(io.Reader) (T, error)) (result T, err error) {
	unchanged := Watch(file, name)
	defer func() {
		if change := unchanged(); change != nil {
			err = change
		}
		if closing := file.Close(); err == nil {
			err = closing
		}
	}()
	if !strings.HasSuffix(name, Suffix) {
		return read(text{withoutMark(file), file})
	}
	unpacked, err := gzip.NewReader(bufio.NewReaderSize(file, bufferSize))
	if err != nil {
		return result, fmt.Errorf("%s: %w", name, damaged(err))
	}
	return Ahead(unpacked, func(pieces io.Reader) (T, error) { return read(text{withoutMark(pieces), file}) })
}

// Watch returns a function that returns an error if the file has changed since Watch was
// called. The text that was read may then be parts of two texts, as when a program is still
// writing the file.
func Watch(file fs.File, name string) (unchanged func() error) {
	before, err := file.Stat()
	if err != nil || !before.Mode().IsRegular() {
		return func() error { return nil }
	}
	return func() error {
		after, err := file.Stat()
		if err != nil || after.Size() == before.Size() && after.ModTime().Equal(before.ModTime()) {
			return nil
		}
		return fmt.Errorf("%s: %w", name, errChanged)
	}
}

var errChanged = errors.New("the file changed while it was read: use it when it is complete")

// Ahead calls read with unpacked data, of which another goroutine unpacks the next piece
// while read works on the last one: unpacking takes about as long as reading. Errors of
// unpacked say that gzip data is damaged.
func Ahead[T any](unpacked io.Reader, read func(io.Reader) (T, error)) (T, error) {
	var ahead sync.WaitGroup
	pieces, sink := io.Pipe()
	ahead.Go(func() {
		_, err := io.CopyBuffer(sink, unpacked, make([]byte, bufferSize))
		_ = sink.CloseWithError(damaged(err)) // nil by contract; the reader gets the error, or io.EOF for nil
	})
	defer ahead.Wait()
	defer func() { _ = pieces.Close() }() // nil by contract; ends the copying
	return read(pieces)
}

// text is the text of a file.
type text struct {
	io.Reader
	file fs.File
}

// Share returns how much of the file has been read, from 0 to 1; 0 also if that is not known.
func (t text) Share() float64 {
	seeker, ok := t.file.(io.Seeker)
	if !ok {
		return 0
	}
	at, failure := seeker.Seek(0, io.SeekCurrent)
	info, err := t.file.Stat()
	if failure != nil || err != nil || info.Size() == 0 {
		return 0
	}
	return float64(at) / float64(info.Size())
}

// damaged returns an error for data that is not gzip, or ends too early.
func damaged(err error) error {
	if err == nil || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("damaged gzip data (%w): use a whole gzip file", err)
}

func withoutMark(r io.Reader) io.Reader {
	const mark = "\ufeff"
	text := bufio.NewReader(r)
	if start, _ := text.Peek(len(mark)); string(start) == mark { // an error comes again
		_, _ = text.Discard(len(mark)) // is there
	}
	return text
}

// Write writes a file, under another name until it is complete: if it fails, the file that
// was there before remains.
func Write(path string, write func(io.Writer) error) error {
	return wholefile.Write(path, 0o666, func(file *wholefile.File) error { // users' own masks apply
		if !strings.HasSuffix(path, Suffix) {
			return write(file)
		}
		packed := gzip.NewWriter(file)
		if err := write(packed); err != nil {
			return err
		}
		return packed.Close()
	})
}
