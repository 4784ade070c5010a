package pagefile

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

const (
	// parquetBatch is the number of values that are read from a column at a time.
	parquetBatch = 1024
	// parquetBlock is the number of rows that go to one collector. A row group has
	// many of them: a million rows in one piece would be copied again and again as
	// they grow.
	parquetBlock = 1 << 13
)

// readGroup hands the rows of a row group to collectors, of parquetBlock rows each.
func (l layout) readGroup(ctx context.Context, rows parquet.RowGroup, columns [maxFields]int, first int64, create func() (into collector, reject func(*FileError))) (err error) {
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
	var into collector
	var reject func(*FileError)
	r := record{line: first}
	for ; ; r.line++ {
		if (r.line-first)%parquetBlock == 0 {
			into, reject = create()
		}
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
