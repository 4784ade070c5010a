package pagefile

// This file opens Parquet files, and reads them batch by batch of their rows. Decoding is
// left to parquet-go.

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

const (
	// parquetMagic is what files begin and end with.
	parquetMagic = "PAR1"
	// parquetBatch is the number of rows that are decoded at a time.
	parquetBatch = 1 << 12
)

var (
	errNoParquet = errors.New("not a readable Parquet file")
	// errContradiction stands for what the decoder could not cope with.
	errContradiction = errors.New("the file contradicts itself")
)

// guard turns a panic of the decoder, which trusts what it reads, into an error. It is to be
// deferred.
func guard(err *error) {
	if value := recover(); value != nil {
		*err = fmt.Errorf("%w: %v", errContradiction, value)
	}
}

// A parquetTable is an opened file, whose columns are read side by side.
type parquetTable struct {
	file   *parquet.File
	data   io.ReaderAt    // the bytes of file
	leaves [maxFields]int // the column of each field; −1 for none
	fields int

	group   int              // number of the next row group, from 0
	columns []*parquetColumn // of the row group that is being read
	left    int64            // its rows that have not been read
	row     int              // number of the next row in the file, from 1
}

// parquetPieces cuts a Parquet file. One that is compressed, or not a regular file, is
// copied to a temporary file first, as its table of contents is at its end.
func (in *input) parquetPieces(ctx context.Context, l layout) (next func() (piece, error), err error) {
	data, size := in.file, in.size
	if data == nil {
		if data, err = os.CreateTemp("", "mdpsolve-*.parquet"); err != nil {
			return nil, err
		}
		_ = os.Remove(data.Name()) // an open file needs no name, and leaves none if the program is killed
		in.closers = append(in.closers, func() error {
			_ = data.Close()              // all has been read
			return os.Remove(data.Name()) // on Windows, where it was open
		})
		if size, err = copyParquet(ctx, data, in.reader); err != nil {
			return nil, err
		}
	}
	file, err := openParquet(data, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoParquet, err)
	}
	t := &parquetTable{file: file, data: data, fields: len(l), row: 1}
	in.closers = append(in.closers, t.closeColumns)
	if t.leaves, err = l.chooseParquet(file); err != nil {
		return nil, faultAt(1, 1, err.Error(), l.describe())
	}
	rows := float64(min(file.NumRows(), size)) // files with more rows than bytes are rare, false numbers are not
	return func() (piece, error) {
		batch, err := t.next()
		return piece{parse: batch.parse, share: float64(batch.rows) / rows}, err
	}, nil
}

// copyParquet copies a file that begins as Parquet does: other streams may be
// endless.
func copyParquet(ctx context.Context, to io.Writer, from *bufio.Reader) (size int64, err error) {
	head, err := from.Peek(len(parquetMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if string(head) != parquetMagic {
		return 0, fmt.Errorf("%w: it begins with %q, not with %q", errNoParquet, head, parquetMagic)
	}
	const part = 1 << 20
	for {
		if err := ctx.Err(); err != nil {
			return size, err
		}
		n, err := io.CopyN(to, from, part)
		if size += n; err != nil {
			return size, ignore(io.EOF, err)
		}
	}
}

// openParquet opens a file, after a look at the size of its table of contents, for
// which the decoder takes memory.
func openParquet(data io.ReaderAt, size int64) (file *parquet.File, err error) {
	defer guard(&err)
	var end [8]byte
	if size < 12 {
		return nil, fmt.Errorf("it has %d bytes, fewer than 12", size)
	}
	if _, err := data.ReadAt(end[:], size-8); err != nil {
		return nil, err
	}
	if string(end[4:]) != parquetMagic {
		return nil, fmt.Errorf("it ends with %q, not with %q", end[4:], parquetMagic)
	}
	if contents := int64(binary.LittleEndian.Uint32(end[:4])); contents > size-12 {
		return nil, fmt.Errorf("its table of contents has %d bytes; the file has room for %d", contents, size-12)
	}
	return parquet.OpenFile(data, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

// chooseParquet finds the columns of the fields among those of the table itself
// that have one value in each row.
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

// parquetRows are some rows of a row group, cell by cell of their columns.
type parquetRows struct {
	first int // number of the first row
	rows  int
	cells [][]cell // of each field; nil for none
}

// parse hands on the rows.
func (b *parquetRows) parse(into sink) {
	var r record
	for i := range b.rows {
		r.line = b.first + i
		for field, cells := range b.cells {
			if cells != nil {
				r.cells[field] = cells[i]
			}
		}
		into.add(&r)
	}
}

// next decodes the next rows, or returns errEnd.
func (t *parquetTable) next() (batch *parquetRows, err error) {
	batch = &parquetRows{first: t.row, cells: make([][]cell, t.fields)}
	defer guard(&err)
	for t.left == 0 {
		if t.group == len(t.file.RowGroups()) {
			return batch, errEnd
		}
		if err := t.openGroup(); err != nil {
			return batch, err
		}
	}
	batch.rows = int(min(t.left, parquetBatch))
	wanted := batch.rows
	if t.left == int64(wanted) {
		wanted++ // no column has more
	}
	for _, column := range t.columns {
		cells := make([]cell, 0, wanted)
		if cells, err = column.read(cells); err != nil {
			return batch, fmt.Errorf("row %d, column %d: %w", t.row+len(cells), column.number, err)
		}
		if len(cells) != batch.rows {
			return batch, fmt.Errorf("%w: a column of row group %d has not as many rows as the others", errContradiction, t.group)
		}
		batch.cells[column.field] = cells
	}
	t.left -= int64(batch.rows)
	t.row += batch.rows
	return batch, nil
}

// openGroup opens the columns of the next row group, whose pages it checks.
func (t *parquetTable) openGroup() error {
	_ = t.closeColumns() // they have been read
	group, metas := t.file.RowGroups()[t.group], t.file.Metadata().RowGroups[t.group].Columns
	t.group++
	for field := range t.fields {
		number := t.leaves[field]
		if number < 0 {
			continue
		}
		if number >= len(metas) {
			return fmt.Errorf("%w: row group %d has %d columns", errContradiction, t.group, len(metas))
		}
		if err := checkChunk(t.data, t.file.Size(), &metas[number].MetaData); err != nil {
			return fmt.Errorf("row group %d, column %d: %w", t.group, number+1, err)
		}
		chunk := group.ColumnChunks()[number]
		t.columns = append(t.columns, &parquetColumn{
			field: field, number: number + 1, meaning: meaningOf(chunk.Type()), values: parquet.NewColumnChunkValueReader(chunk),
		})
	}
	t.left = group.NumRows()
	return nil
}

func (t *parquetTable) closeColumns() error {
	for _, column := range t.columns {
		_ = column.values.Close() // reading is over: nothing is lost
	}
	t.columns = nil
	return nil
}

// A parquetColumn reads the values of one column of a row group.
type parquetColumn struct {
	field   int // of the layout
	number  int // in the file, from 1
	meaning parquetMeaning
	values  parquet.ColumnChunkValueReader
	buffer  [parquetBatch + 1]parquet.Value
	texts   []byte // of cells
}

// read appends cells as long as there is room and there are values.
func (p *parquetColumn) read(cells []cell) ([]cell, error) {
	p.texts = make([]byte, 0, len(p.texts)) // those of the batch before are in use
	for len(cells) < cap(cells) {
		n, err := p.values.ReadValues(p.buffer[:cap(cells)-len(cells)])
		for _, value := range p.buffer[:n] {
			c := cell{column: p.number}
			p.fill(&c, value)
			cells = append(cells, c)
		}
		if n == 0 {
			return cells, ignore(io.EOF, err)
		}
	}
	return cells, nil
}
