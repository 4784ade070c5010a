package pagefile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

// readParquet reads a Parquet file: make collectors for the rows of each row group,
// and accept them in order. A file that is not a regular file, uncompressed, is
// copied to a temporary one first, as its table of contents is at its end.
func readParquet[C collector](ctx context.Context, in *input, l layout, r *reporter, create func() C, accept func(C) error) error {
	data, size := in.file, in.size
	if data == nil {
		temporary, err := os.CreateTemp("", "mdpsolve-*.parquet")
		if err != nil {
			return err
		}
		defer os.Remove(temporary.Name()) //nolint:errcheck // it is in the way of nobody
		defer temporary.Close()           //nolint:errcheck // all has been read
		if size, err = copyParquet(ctx, temporary, in.reader); err != nil {
			return r.named(err)
		}
		data = temporary
	}
	file, err := openParquet(data, size)
	if err != nil {
		return r.named(fmt.Errorf("%w: %w", errNoParquet, err))
	}
	columns, err := l.chooseParquet(file)
	if err != nil {
		return r.named(faultAt(1, 1, err.Error(), l.describe()))
	}

	groups := file.RowGroups()
	rows := min(file.NumRows(), size) // more than a row for each byte is rare, and what is not true is common
	in.blocks = float64(rows) / parquetBlock
	next, row := 0, int64(1)
	type group struct {
		number int
		row    int64 // the first
	}
	err = inOrder(ctx, r.options.Workers, func() (group, error) {
		if next == len(groups) {
			return group{}, io.EOF
		}
		g := group{next, row}
		row += groups[next].NumRows()
		next++
		return g, nil
	}, func(g group) (t takenGroup[C]) {
		if t.err = checkParquetPages(data, file, g.number, columns); t.err != nil {
			return t
		}
		var rows parquet.RowGroup
		if rows, t.err = unpackLZ4(data, file, g.number, columns); t.err == nil {
			t.err = l.readGroup(ctx, rows, columns, g.row, func() (collector, func(*FileError)) {
				t.blocks = append(t.blocks, &taken[C]{content: create()})
				last := t.blocks[len(t.blocks)-1]
				return last.content, func(fault *FileError) { last.reject(fault, r.options.OnFault != nil) }
			})
		}
		return t
	}, func(t takenGroup[C]) error {
		if t.err != nil {
			return t.err
		}
		for _, b := range t.blocks {
			if err := takeBlock(r, b, accept); err != nil {
				return err
			}
		}
		return nil
	})
	return r.named(err)
}

// copyParquet copies a file, provided that it begins as one: others may have no end.
func copyParquet(ctx context.Context, to io.Writer, from *bufio.Reader) (size int64, err error) {
	head, err := from.Peek(len(parquetMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if string(head) != parquetMagic {
		return 0, fmt.Errorf("%w: %s at its beginning found; allowed is %q", errNoParquet, quoted(head), parquetMagic)
	}
	const piece = 1 << 20
	for {
		if err := ctx.Err(); err != nil {
			return size, err
		}
		n, err := io.CopyN(to, from, piece)
		if size += n; err != nil {
			return size, ignoreEOF(err)
		}
	}
}

// takenGroup is what has been made of a row group.
type takenGroup[C collector] struct {
	blocks []*taken[C]
	err    error
}

var (
	errNoParquet = errors.New("not a Parquet file that can be read")
	// errDecoder stands for what the decoder could not cope with.
	errDecoder = errors.New("the file contradicts itself")
)

// guard turns a panic of the decoder, which trusts what it reads in places, into
// an error.
func guard(err *error) {
	if value := recover(); value != nil {
		*err = fmt.Errorf("%w: %v", errDecoder, value)
	}
}

// openParquet opens a file, after a look at the size of its table of contents.
func openParquet(data io.ReaderAt, size int64) (file *parquet.File, err error) {
	defer guard(&err)
	var end [8]byte
	if size < 12 {
		return nil, fmt.Errorf("%d bytes found; allowed are 12 or more", size)
	}
	if _, err := data.ReadAt(end[:], size-8); err != nil {
		return nil, err
	}
	if string(end[4:]) != parquetMagic {
		return nil, fmt.Errorf("%s at its end found; allowed is %q", quoted(end[4:]), parquetMagic)
	}
	if contents := int64(end[0]) | int64(end[1])<<8 | int64(end[2])<<16 | int64(end[3])<<24; contents > size-12 {
		return nil, fmt.Errorf("a table of contents of %d bytes found; allowed are up to %d", contents, size-12)
	}
	return parquet.OpenFile(data, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

// chooseParquet finds the columns of a file: columns of the table itself, of
// one value in each row.
func (l layout) chooseParquet(file *parquet.File) (columns [maxFields]int, err error) {
	defer guard(&err)
	var names []string
	var leaves []int
	for _, column := range file.Root().Columns() {
		if column.Leaf() && !column.Repeated() {
			names = append(names, column.Name())
			leaves = append(leaves, column.Index())
		}
	}
	columns, err = l.choose(names)
	for i, column := range columns {
		if column >= 0 {
			columns[i] = leaves[column]
		}
	}
	return columns, err
}
