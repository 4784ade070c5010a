package pagefile

// This file opens Parquet files, and reads them row group by row group. Decoding is
// left to parquet-go.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/mdpsolve/mdpsolve/models/refresh/internal/parquetcheck"
)

// A parquetTable is an opened file.
type parquetTable struct {
	file    *parquet.File
	data    io.ReaderAt    // the bytes of file
	columns [maxFields]int // of each field; −1 for none
}

// readParquet reads a Parquet file. One that is compressed, or not a regular file, is
// copied to a temporary file first, as its table of contents is at its end.
func (r *reading) readParquet(ctx context.Context, in *input) error {
	data, size := in.file, in.size
	if data == nil {
		temporary, err := os.CreateTemp("", "mdpsolve-*.parquet")
		if err != nil {
			return err
		}
		_ = os.Remove(temporary.Name())   // an open file needs no name, and leaves none if the program is killed
		defer os.Remove(temporary.Name()) //nolint:errcheck // but on Windows
		defer temporary.Close()           //nolint:errcheck // all has been read
		if size, err = copyParquet(ctx, temporary, in.reader); err != nil {
			return err
		}
		data = temporary
	}
	file, err := parquetcheck.Open(data, size)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoParquet, err)
	}
	table := &parquetTable{file: file, data: data}
	if table.columns, err = r.layout.chooseParquet(file); err != nil {
		return faultAt(1, 1, err.Error(), r.layout.describe())
	}
	rows := min(file.NumRows(), size) // files with more rows than bytes are rare, false numbers are not
	r.blocks = float64(rows) / parquetBlock

	next, row := 0, 1
	return inOrder(ctx, r.options.Workers, func() (*rowGroup, error) {
		groups := file.RowGroups()
		if next == len(groups) {
			return nil, io.EOF
		}
		g := &rowGroup{rows: groups[next], table: table, number: next, first: row}
		row += int(groups[next].NumRows())
		next++
		return g, nil
	}, func(g *rowGroup) *rowGroup {
		g.err = g.read(ctx, r)
		return g
	}, func(g *rowGroup) error {
		for _, b := range g.blocks {
			if err := r.merge(b); err != nil {
				return err
			}
		}
		return g.err
	})
}

// copyParquet copies a file that begins as Parquet does: other streams may be
// endless.
func copyParquet(ctx context.Context, to io.Writer, from *bufio.Reader) (size int64, err error) {
	head, err := from.Peek(len(parquetcheck.Magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if string(head) != parquetcheck.Magic {
		return 0, fmt.Errorf("%w: it begins with %q, not with %q", errNoParquet, head, parquetcheck.Magic)
	}
	const part = 1 << 20
	for {
		if err := ctx.Err(); err != nil {
			return size, err
		}
		n, err := io.CopyN(to, from, part)
		if size += n; err != nil {
			return size, ignoreEOF(err)
		}
	}
}

var errNoParquet = errors.New("not a readable Parquet file")

// chooseParquet finds the columns of the fields among those of the table itself
// that have one value in each row.
func (l layout) chooseParquet(file *parquet.File) (columns [maxFields]int, err error) {
	defer parquetcheck.Guard(&err)
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
