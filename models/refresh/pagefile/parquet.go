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
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
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

// A parquetTable is an opened file, the rows of which are read in order.
type parquetTable struct {
	file    *parquet.File
	data    io.ReaderAt // the bytes of file
	columns []parquetColumn

	group int                       // number of the next row group, from 0
	rows  parquet.RowReadSeekCloser // of the row group that is being read
	left  int64                     // its rows that have not been read
	row   int                       // number of the next row in the file, from 1
}

// A parquetColumn is a column that is read.
type parquetColumn struct {
	field   int     // of the layout
	number  int     // in the file, from 0
	seconds float64 // the unit of its points in time since 1970; 0 for other values
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
	t := &parquetTable{file: file, data: data, row: 1}
	in.closers = append(in.closers, t.closeGroup)
	if t.columns, err = l.chooseParquet(file); err != nil {
		return nil, err
	}
	rows := float64(min(file.NumRows(), size)) // files with more rows than bytes are rare, false numbers are not
	return func() (piece, error) {
		batch, err := t.next()
		return piece{parse: batch.parse, share: float64(len(batch.rows)) / rows}, err
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
	if _, err := data.ReadAt(end[:], max(0, size-int64(len(end)))); err != nil {
		return nil, err
	}
	if contents := int64(binary.LittleEndian.Uint32(end[:])); contents > size {
		return nil, fmt.Errorf("it does not end with a table of contents and %q", parquetMagic)
	}
	return parquet.OpenFile(data, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}

// chooseParquet finds the columns of the fields among those of the table itself
// that have one value in each row.
func (l layout) chooseParquet(file *parquet.File) (chosen []parquetColumn, err error) {
	defer guard(&err)
	var names []string
	var leaves []*parquet.Column
	for _, column := range file.Root().Columns() {
		if column.Leaf() && !column.Repeated() {
			names = append(names, column.Name())
			leaves = append(leaves, column)
		}
	}
	columns, err := l.choose(names)
	if err != nil {
		return nil, faultAt(1, 1, err.Error(), l.describe())
	}
	for field := range l {
		if columns[field] < 0 {
			continue
		}
		leaf := leaves[columns[field]]
		seconds, ok := timeUnit(leaf.Type())
		if !ok {
			return nil, faultAt(1, leaf.Index()+1, fmt.Sprintf("column %q of type %v", leaf.Name(), leaf.Type()), "DOUBLE, INT64, STRING or TIMESTAMP")
		}
		chosen = append(chosen, parquetColumn{field, leaf.Index(), seconds})
	}
	return chosen, nil
}

// timeUnit returns the unit of the points in time of a column, in seconds, and 0 for other
// values; ok says whether columns of the type are read.
func timeUnit(kind parquet.Type) (seconds float64, ok bool) {
	logical := kind.LogicalType()
	if logical == nil {
		return 0, kind.Kind() != parquet.Int96
	}
	switch t := logical.Value.(type) {
	case *format.TimestampType:
		if t.Unit.Value == nil {
			return 0, false
		}
		return t.Unit.Value.Duration().Seconds(), true
	case *format.DateType:
		return 24 * 60 * 60, true
	case *format.IntType:
		return 0, t.IsSigned
	case *format.StringType, *format.EnumType, *format.JsonType, *format.NullType:
		return 0, true
	}
	return 0, false
}

// next reads the next rows, or returns errEnd.
func (t *parquetTable) next() (batch *parquetRows, err error) {
	defer guard(&err)
	batch = &parquetRows{first: t.row, columns: t.columns}
	for t.left == 0 {
		if t.group == len(t.file.RowGroups()) {
			return batch, errEnd
		}
		if err := t.openGroup(); err != nil {
			return batch, fmt.Errorf("row group %d, %w", t.group, err)
		}
	}
	rows := int(min(t.left, parquetBatch))
	wanted, width := rows, len(t.columns)
	if t.left == int64(rows) {
		wanted++ // no column has more
	}
	values := make([]parquet.Value, wanted*width)
	batch.rows = make([]parquet.Row, wanted)
	for i := range batch.rows {
		batch.rows[i] = values[i*width : i*width : (i+1)*width]
	}
	n, err := t.rows.ReadRows(batch.rows)
	if ignore(io.EOF, err) != nil {
		return batch, fmt.Errorf("rows from %d on: %w", t.row, err)
	}
	batch.rows = batch.rows[:n]
	if n != rows || slices.ContainsFunc(batch.rows, func(row parquet.Row) bool { return len(row) != width }) {
		return batch, fmt.Errorf("%w: columns of row group %d have not as many rows as the others", errContradiction, t.group)
	}
	t.left -= int64(rows)
	t.row += rows
	return batch, nil
}

// openGroup opens the columns of the next row group, whose pages it checks.
func (t *parquetTable) openGroup() error {
	_ = t.closeGroup() // it has been read
	group, metas := t.file.RowGroups()[t.group], t.file.Metadata().RowGroups[t.group].Columns
	t.group++
	var chunks []parquet.ColumnChunk
	for _, column := range t.columns {
		if column.number >= len(metas) {
			return fmt.Errorf("column %d: %w: there is none", column.number+1, errContradiction)
		}
		if err := checkChunk(t.data, t.file.Size(), &metas[column.number].MetaData); err != nil {
			return fmt.Errorf("column %d: %w", column.number+1, err)
		}
		chunks = append(chunks, group.ColumnChunks()[column.number])
	}
	t.rows, t.left = parquet.NewColumnChunkRowReader(chunks), group.NumRows()
	return nil
}

// closeGroup closes the row group that is being read.
func (t *parquetTable) closeGroup() error {
	if t.rows == nil {
		return nil
	}
	return t.rows.Close()
}

// parquetRows are some rows of a row group.
type parquetRows struct {
	first   int // number of the first row
	columns []parquetColumn
	rows    []parquet.Row
}

// parse hands on the rows.
func (b *parquetRows) parse(into sink) {
	var r record
	var texts []byte // of cells
	for i, row := range b.rows {
		r.line = b.first + i
		for j, column := range b.columns {
			c := &r.cells[column.field]
			c.column = column.number + 1
			texts = column.fill(c, row[j], texts)
		}
		into.add(&r)
	}
}

// fill puts a value into a cell, whose text it may append to texts.
func (p *parquetColumn) fill(c *cell, value parquet.Value, texts []byte) []byte {
	before := len(texts)
	switch value.Kind() {
	case parquet.Double:
		c.kind, c.number = float, value.Double()
	case parquet.Float:
		c.kind, c.number = float, float64(value.Float())
	case parquet.Int32, parquet.Int64:
		whole := value.Int64()
		if value.Kind() == parquet.Int32 {
			whole = int64(value.Int32())
		}
		if p.seconds > 0 {
			c.kind, c.number = moment, float64(whole)*p.seconds
			break
		}
		texts = strconv.AppendInt(texts, whole, 10)
		c.kind, c.text = digits, texts[before:]
	case parquet.Boolean:
		texts = strconv.AppendBool(texts, value.Boolean())
		c.kind, c.text = boolean, texts[before:]
	case parquet.ByteArray, parquet.FixedLenByteArray:
		c.kind, c.text = text, value.ByteArray()
	default:
		c.kind, c.text = missing, nil
	}
	return texts
}
