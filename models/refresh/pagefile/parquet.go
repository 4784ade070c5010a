package pagefile

// This file reads Parquet files, batch by batch of their rows. Decoding is left to parquet-go.

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

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

// guard turns a panic of the decoder, which trusts what it reads, into an error. Callers
// defer it.
func guard(err *error) {
	if value := recover(); value != nil {
		*err = fmt.Errorf("%w: %v", errContradiction, value)
	}
}

// A parquetColumn is a column that is read.
type parquetColumn struct {
	field  int           // of the layout
	number int           // in the file, from 0
	unit   time.Duration // of its points in time since 1970; 0 for other values
}

// parquetPieces cuts a Parquet file. One that is compressed, or not a regular file, is read
// into memory first, as its table of contents is at its end.
func (in *input) parquetPieces(ctx context.Context, l layout) (next func() (piece, error), err error) {
	defer guard(&err)
	var data io.ReaderAt = in.file
	size := in.size
	if in.file == nil {
		whole, err := readParquet(ctx, in.reader)
		if err != nil {
			return nil, err
		}
		data, size = bytes.NewReader(whole), int64(len(whole))
	}
	file, err := openParquet(data, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoParquet, err)
	}
	in.columns = file.Schema().String()
	columns, err := l.chooseParquet(file)
	if err != nil {
		return nil, err
	}
	if file.NumRows() == 0 {
		return func() (piece, error) { return piece{}, errEnd }, nil
	}
	all := parquet.MultiRowGroup(file.RowGroups()...)
	var chunks []parquet.ColumnChunk
	for _, column := range columns {
		chunks = append(chunks, all.ColumnChunks()[column.number])
	}
	rows := parquet.NewColumnChunkRowReader(chunks)
	in.closers = append(in.closers, rows.Close)
	first, count := 1, file.NumRows()
	return func() (piece, error) {
		batch, err := nextRows(rows, len(columns))
		if err != nil || len(batch) == 0 {
			if read := int64(first - 1); err == nil && read != count {
				err = fmt.Errorf("%w: it has %d of %d rows", errContradiction, read, count)
			}
			return piece{}, cmp.Or(err, errEnd)
		}
		p := piece{share: float64(len(batch)) / float64(min(count, size))} // the numbers of rows that files state are often wrong
		from := first
		p.parse = func(into sink) { parseRows(columns, from, batch, into) }
		first += len(batch)
		return p, nil
	}, nil
}

// readParquet reads a file that begins as Parquet does: other streams may be endless.
func readParquet(ctx context.Context, from *bufio.Reader) ([]byte, error) {
	head, err := from.Peek(len(parquetMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(head) != parquetMagic {
		return nil, fmt.Errorf("%w: it begins with %q, not with %q", errNoParquet, head, parquetMagic)
	}
	var whole bytes.Buffer
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := io.CopyN(&whole, from, 1<<20); err != nil {
			return whole.Bytes(), ignore(io.EOF, err)
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
		unit, ok := timeUnit(leaf.Type())
		if !ok {
			return nil, faultAt(1, leaf.Index()+1, fmt.Sprintf("column %q of type %v", leaf.Name(), leaf.Type()), "DOUBLE, INT64, STRING or TIMESTAMP")
		}
		for _, group := range file.Metadata().RowGroups {
			switch codec := group.Columns[leaf.Index()].MetaData.Codec; codec {
			case format.Uncompressed, format.Snappy, format.Gzip, format.Zstd:
			default: // with some codecs, parquet-go can read small pages only
				return nil, fmt.Errorf("column %q is compressed by %v; write it with Snappy, gzip or Zstandard, or without compression", leaf.Name(), codec)
			}
		}
		chosen = append(chosen, parquetColumn{field, leaf.Index(), unit})
	}
	return chosen, nil
}

// timeUnit returns the unit of the points in time of a column, and 0 for other values; ok says
// whether columns of the type are read.
func timeUnit(kind parquet.Type) (unit time.Duration, ok bool) {
	logical := kind.LogicalType()
	if logical == nil {
		return 0, kind.Kind() != parquet.Int96
	}
	switch t := logical.Value.(type) {
	case *format.TimestampType:
		if t.Unit.Value == nil {
			return 0, false
		}
		return t.Unit.Value.Duration(), true
	case *format.DateType:
		return 24 * time.Hour, true
	case *format.IntType:
		return 0, t.IsSigned
	case *format.StringType, *format.EnumType, *format.JsonType, *format.NullType:
		return 0, true
	}
	return 0, false
}

// nextRows reads the next rows; there are none at the end.
func nextRows(from parquet.RowReader, width int) (batch []parquet.Row, err error) {
	defer guard(&err)
	batch = make([]parquet.Row, parquetBatch)
	values := make([]parquet.Value, parquetBatch*width)
	for i := range batch {
		batch[i] = values[i*width : i*width : (i+1)*width]
	}
	n, err := from.ReadRows(batch)
	batch = batch[:n]
	if slices.ContainsFunc(batch, func(row parquet.Row) bool { return len(row) != width }) {
		return nil, fmt.Errorf("%w: columns have different numbers of rows", errContradiction)
	}
	return batch, ignore(io.EOF, err)
}

// parseRows hands on rows, of which the first has a number.
func parseRows(columns []parquetColumn, first int, rows []parquet.Row, into sink) {
	var r record
	var texts []byte // of cells
	for i, row := range rows {
		r.line = first + i
		for j, column := range columns {
			before := len(texts)
			texts = column.appendText(texts, row[j])
			r.cells[column.field] = cell{texts[before:len(texts):len(texts)], column.number + 1}
		}
		into.add(&r)
	}
}

// appendText appends a value as a text has it, nothing for null.
func (p *parquetColumn) appendText(dst []byte, value parquet.Value) []byte {
	switch value.Kind() {
	case parquet.Double:
		return strconv.AppendFloat(dst, value.Double(), 'g', -1, 64)
	case parquet.Float:
		return strconv.AppendFloat(dst, float64(value.Float()), 'g', -1, 64)
	case parquet.Int32, parquet.Int64:
		whole := value.Int64()
		if value.Kind() == parquet.Int32 {
			whole = int64(value.Int32())
		}
		if p.unit == 0 {
			return strconv.AppendInt(dst, whole, 10)
		}
		each := int64(max(time.Second/p.unit, 1)) // of a second
		return time.Unix(whole/each*int64(max(p.unit/time.Second, 1)), whole%each*int64(p.unit)).UTC().AppendFormat(dst, time.RFC3339Nano)
	case parquet.Boolean:
		return strconv.AppendBool(dst, value.Boolean())
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return append(dst, value.ByteArray()...)
	}
	return dst
}
