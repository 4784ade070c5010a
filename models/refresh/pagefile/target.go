package pagefile

// This file opens files for writing, compressed or not, and closes them.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
)

// A Target is a file to be written: a name alone, "-" for standard output, or a
// writer with the name it is to have in messages. The name says how it is compressed, and
// its format if that is not given; it is CSV if the name does not tell.
//
// A file appears under its name when it is complete: until then it is beside it,
// under a name that ends in .mdpsolve.partial. What a killed program has left there is
// removed by the next that writes the file. One that is replaced hands its permissions
// on, and a symbolic link stays and leads to the new file. Pipes and devices are
// written to straight away.
type Target struct {
	Name   string
	Writer io.Writer
	Format Format
}

// output is an opened Target. It ends with finish.
type output struct {
	name   string
	writer io.Writer
	format Format
	packer packer          // nil if it is not compressed
	file   *wholefile.File // nil if somebody else closes writer
}

// A packer is a compressor.
type packer interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// open opens a target.
func (t Target) open() (*output, error) {
	out := &output{name: t.Name, writer: t.Writer}
	format, compressed, _ := byName(t.Name)
	out.format = cmp.Or(t.Format, format, CSV)
	switch {
	case out.writer != nil:
	case t.Name == "-":
		out.writer = os.Stdout
		out.name = "standard output"
	default:
		file, err := wholefile.Create(t.Name, 0o666) // users' own masks apply
		if err != nil {
			return nil, err
		}
		out.writer, out.file = file, file
	}
	switch compressed {
	case gzipped:
		out.packer = gzip.NewWriter(out.writer)
	case zstandard:
		writer, err := zstd.NewWriter(out.writer)
		if err != nil {
			return nil, err // of the options, of which there are none
		}
		out.packer = writer
	case uncompressed:
	}
	if out.packer != nil {
		out.writer = out.packer
	}
	return out, nil
}

// finish closes the file after everything has been written, or after failed; in
// that case no file is left.
func (out *output) finish(ctx context.Context, failed error) error {
	if failed != nil && ctx.Err() == nil {
		failed = fmt.Errorf("%s: %w", out.name, failed)
	}
	if out.packer != nil {
		if failed != nil {
			out.packer.Reset(io.Discard) // or a truncated file would end like a complete one
		}
		if err := out.packer.Close(); err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", out.name, err)
		}
	}
	switch {
	case out.file == nil:
		return failed
	case failed != nil:
		out.file.Abort()
		return failed
	}
	return out.file.Commit()
}
