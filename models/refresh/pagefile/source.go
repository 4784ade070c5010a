package pagefile

import (
	"bufio"
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
	size    int64    // of an uncompressed regular file, 0 for others
	file    *os.File // that file, nil for others
	closers []func() error
}

// zstdMemory bounds the window that a Zstandard file may ask for.
const zstdMemory = 256 << 20

func (s Source) open(options Options) (in *input, err error) {
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
	compression := options.Compression
	if compression == AnyCompression {
		compression = compressionOf(head)
	}
	if file, ok := raw.(*os.File); ok && compression == Uncompressed {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			in.size, in.file = info.Size(), file
		}
	}
	if err := in.decompress(buffered, compression); err != nil {
		return in, fmt.Errorf("%s: %w", in.name, err)
	}
	in.format = options.Format
	if in.format == AnyFormat {
		in.format, _ = ByName(s.Name)
	}
	if in.format == AnyFormat {
		head, err := in.reader.Peek(1 << 10)
		if err != nil && !errors.Is(err, io.EOF) {
			return in, fmt.Errorf("%s: %w", in.name, err)
		}
		in.format = formatOf(head)
	}
	return in, nil
}

func (in *input) decompress(raw *bufio.Reader, compression Compression) error {
	switch compression {
	case Gzip:
		reader, err := gzip.NewReader(raw)
		if err != nil {
			return damaged(compression, err)
		}
		in.closers = append(in.closers, reader.Close)
		in.reader = bufio.NewReaderSize(unpacking{reader, compression}, 64<<10)
	case Zstandard:
		reader, err := zstd.NewReader(raw, zstd.WithDecoderMaxMemory(zstdMemory), zstd.WithDecoderMaxWindow(zstdMemory))
		if err != nil {
			return damaged(compression, err)
		}
		in.closers = append(in.closers, func() error { reader.Close(); return nil })
		in.reader = bufio.NewReaderSize(unpacking{reader, compression}, 64<<10)
	default:
		in.reader = raw
	}
	return nil
}

// unpacking words the errors of a decompressor.
type unpacking struct {
	io.Reader
	compression Compression
}

// Read implements io.Reader.
func (c unpacking) Read(data []byte) (int, error) {
	n, err := c.Reader.Read(data)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damaged(c.compression, err)
	}
	return n, err
}

func damaged(compression Compression, err error) error {
	return fmt.Errorf("damaged %v data found (%w); allowed is a file compressed as a whole", compression, err)
}

func (in *input) close() {
	for _, closer := range slices.Backward(in.closers) {
		_ = closer() // reading is over: nothing is lost
	}
}
