package pagefile

// This file opens files for reading: it recognises compression and format.

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A Source is a file to be read: a name alone, "-" for standard input, or a
// reader with the name it is to have in messages.
type Source struct {
	Name   string
	Reader io.Reader
}

// input is an opened Source.
type input struct {
	name    string
	reader  *bufio.Reader // uncompressed
	format  Format
	columns string   // header and first rows of a text, or schema
	ignored []string // columns of CSV that the list does not have
	size    int64    // of an uncompressed regular file, 0 for others
	file    *os.File // that file, nil for others
	closers []func() error
}

// open opens a source.
func (s Source) open() (in *input, err error) {
	in = &input{name: s.Name}
	defer func() {
		if err != nil {
			in.close()
		}
	}()
	raw := s.Reader
	switch {
	case raw != nil:
	case s.Name == "-":
		raw = os.Stdin
		in.name = "standard input"
	default:
		file, err := os.Open(s.Name)
		if err != nil {
			return in, err
		}
		in.closers = append(in.closers, file.Close)
		raw = file
	}
	buffered := bufio.NewReaderSize(raw, 64<<10)
	head, err := buffered.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return in, fmt.Errorf("%s: %w", in.name, err)
	}
	compressed := compressionOf(head)
	if file, ok := raw.(*os.File); ok && compressed == uncompressed {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			in.size, in.file = info.Size(), file
		}
	}
	in.reader = buffered
	if compressed != uncompressed {
		unpacked, err := decompress(buffered, compressed)
		if err != nil {
			return in, fmt.Errorf("%s: %w", in.name, damaged(compressed, err))
		}
		in.closers = append(in.closers, unpacked.Close)
		in.reader = bufio.NewReaderSize(unpacking{unpacked, compressed}, 64<<10)
	}
	if in.format = ByName(s.Name); in.format == AnyFormat {
		in.format = formatOf(in.head(1 << 10))
	}
	return in, nil
}

// head returns up to n bytes that the text begins with. It does not wait for more than the
// first line that is not blank, since the next may come much later.
func (in *input) head(n int) []byte {
	for size := 1; ; size = max(size+1, in.reader.Buffered()) {
		head, err := in.reader.Peek(min(size, n)) // an error comes again
		if err != nil || size >= n || bytes.IndexByte(bytes.TrimLeft(head, " \t\r\n"), '\n') >= 0 {
			return head
		}
	}
}

// maxWindow is the greatest window that a Zstandard file may ask memory for.
const maxWindow = 256 << 20

// decompress returns what compressed data unpack to.
func decompress(packed io.Reader, compressed compression) (io.ReadCloser, error) {
	if compressed == gzipped {
		return gzip.NewReader(packed)
	}
	unpacked, err := zstd.NewReader(packed, zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return unpacked.IOReadCloser(), nil
}

// unpacking reads from a decompressor, and words its errors.
type unpacking struct {
	unpacked   io.Reader
	compressed compression
}

// Read implements io.Reader.
func (c unpacking) Read(data []byte) (int, error) {
	n, err := c.unpacked.Read(data)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damaged(c.compressed, err)
	}
	return n, err
}

// damaged words the error of a decompressor.
func damaged(compressed compression, err error) error {
	return fmt.Errorf("damaged %v data (%w); expected a whole compressed file", compressed, err)
}

// close closes the file and what decompresses it.
func (in *input) close() {
	for _, closer := range slices.Backward(in.closers) {
		_ = closer() // reading is over: nothing is lost
	}
}
