package pagefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"
)

// parquetBatch is the number of values that are read from a column at a time.
const parquetBatch = 1024

// readParquet reads a Parquet file: make a collector for each row group, and
// accept them in order. A file that is not a regular file, uncompressed, is
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
		if size, err = io.Copy(temporary, in.reader); err != nil {
			return r.named(err)
		}
		data = temporary
	}
	file, err := openParquet(data, size)
	if err != nil {
		return r.named(fmt.Errorf("not a Parquet file that can be read: %w", err))
	}
	columns, err := l.chooseParquet(file)
	if err != nil {
		return r.named(faultAt(1, 1, err.Error(), l.describe()))
	}

	groups := file.RowGroups()
	in.blocks = float64(len(groups))
	next, row := 0, int64(1)
	take := func(t taken[C]) error {
		for _, fault := range t.faults {
			if err := r.reject(fault); err != nil {
				return earlier(err, accept(t.content))
			}
		}
		return accept(t.content)
	}
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
	}, func(g group) parquetTaken[C] {
		t := parquetTaken[C]{taken: taken[C]{content: create()}}
		reject := func(fault *FileError) { t.faults = append(t.faults, fault) }
		if t.err = checkParquetPages(data, file, g.number, columns); t.err == nil {
			t.err = l.readGroup(ctx, groups[g.number], columns, g.row, t.content, reject)
		}
		return t
	}, func(t parquetTaken[C]) error {
		if t.err != nil {
			return t.err
		}
		return take(t.taken)
	})
	return r.named(err)
}

type parquetTaken[C collector] struct {
	taken[C]
	err error
}

// errDecoder stands for what the decoder could not cope with.
var errDecoder = errors.New("the file contradicts itself")

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

// readGroup hands the rows of a row group to a collector.
func (l layout) readGroup(ctx context.Context, rows parquet.RowGroup, columns [maxFields]int, first int64, into collector, reject func(*FileError)) (err error) {
	defer guard(&err)
	chunks := rows.ColumnChunks()
	var readers []*parquetColumn
	for i := range l {
		if columns[i] < 0 {
			continue
		}
		chunk := chunks[columns[i]]
		readers = append(readers, &parquetColumn{field: i, number: columns[i] + 1, pages: chunk.Pages(), meaning: meaningOf(chunk.Type())})
	}
	defer func() {
		for _, reader := range readers {
			reader.close()
		}
	}()
	r := record{line: first}
	for ; ; r.line++ {
		if r.line%parquetBatch == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ended, open := 0, 0
		for _, reader := range readers {
			value, err := reader.next()
			switch {
			case err == nil:
				open++
				c := &r.cells[reader.field]
				reader.fill(c, value)
				c.column = reader.number
			case errors.Is(err, io.EOF):
				ended++
			default:
				return fmt.Errorf("row %d, column %d: %w", r.line, reader.number, err)
			}
		}
		if ended > 0 {
			if open > 0 || r.line-first != rows.NumRows() {
				return fmt.Errorf("%w: a column ends at row %d of %d", errDecoder, r.line-first, rows.NumRows())
			}
			return nil
		}
		if fault := into.take(&r); fault != nil {
			reject(fault)
		}
	}
}

// A parquetColumn reads the values of one column of a row group.
type parquetColumn struct {
	field   int // of the layout
	number  int // in the file, from 1
	pages   parquet.Pages
	page    parquet.Page
	values  parquet.ValueReader
	buffer  [parquetBatch]parquet.Value
	read    int // values in buffer
	at      int
	meaning parquetMeaning
	scratch []byte
}

func (p *parquetColumn) close() {
	parquet.Release(p.page)
	_ = p.pages.Close() // it has been read
}

// next returns the next value, valid until the one after.
func (p *parquetColumn) next() (parquet.Value, error) {
	for p.at == p.read {
		if p.values == nil {
			page, err := p.pages.ReadPage()
			if err != nil {
				return parquet.Value{}, err
			}
			parquet.Release(p.page)
			p.page, p.values = page, page.Values()
		}
		n, err := p.values.ReadValues(p.buffer[:])
		p.read, p.at = n, 0
		if err != nil {
			p.values = nil
			if !errors.Is(err, io.EOF) {
				return parquet.Value{}, err
			}
		}
	}
	p.at++
	return p.buffer[p.at-1], nil
}
