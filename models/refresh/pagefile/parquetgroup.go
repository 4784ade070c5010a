package pagefile

// This file reads the rows of a row group, value by value of its columns.

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/mdpsolve/mdpsolve/models/refresh/internal/parquetcheck"
)

const (
	// parquetBatch is the number of values that are read from a column at a time.
	parquetBatch = 1024
	// parquetBlock is the number of rows of a block. A row group has many of them: a
	// million rows in one piece would be copied again and again as they grow.
	parquetBlock = 1 << 13
)

// A rowGroup is a part of the rows of a file.
type rowGroup struct {
	rows   parquet.RowGroup
	table  *parquetTable
	number int // from 0
	first  int // number of the first row in the file, from 1

	blocks []*block // what has been read
	err    error
}

// read reads the rows into blocks.
func (g *rowGroup) read(ctx context.Context, reading *reading) (err error) {
	defer parquetcheck.Guard(&err)
	var columns []*parquetColumn
	defer func() {
		for _, column := range columns {
			_ = column.values.Close() // it has been read
		}
	}()
	metas := g.table.file.Metadata().RowGroups[g.number].Columns
	for field := range reading.layout {
		number := g.table.columns[field]
		if number < 0 {
			continue
		}
		if number >= len(metas) {
			return fmt.Errorf("%w: row group %d has %d columns", parquetcheck.ErrDamaged, g.number+1, len(metas))
		}
		if err := parquetcheck.Chunk(g.table.data, g.table.file.Size(), &metas[number].MetaData); err != nil {
			return fmt.Errorf("row group %d, column %d: %w", g.number+1, number+1, err)
		}
		chunk := g.rows.ColumnChunks()[number]
		columns = append(columns, &parquetColumn{field: field, number: number + 1, values: parquet.NewColumnChunkValueReader(chunk), meaning: meaningOf(chunk.Type())})
	}

	r := record{line: g.first}
	for ; ; r.line++ {
		if (r.line-g.first)%parquetBlock == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			g.blocks = append(g.blocks, reading.newBlock())
		}
		ended := 0
		for _, column := range columns {
			value, err := column.next()
			switch {
			case err == nil:
				c := &r.cells[column.field]
				column.fill(c, value)
				c.column = column.number
			case errors.Is(err, io.EOF):
				ended++
			default:
				return fmt.Errorf("row %d, column %d: %w", r.line, column.number, err)
			}
		}
		if ended == 0 {
			g.blocks[len(g.blocks)-1].add(&r)
			continue
		}
		if rows := int64(r.line - g.first); ended < len(columns) || rows != g.rows.NumRows() {
			return fmt.Errorf("%w: a column ends at row %d of %d", parquetcheck.ErrDamaged, rows, g.rows.NumRows())
		}
		return nil
	}
}

// A parquetColumn reads the values of one column of a row group.
type parquetColumn struct {
	field   int // of the layout
	number  int // in the file, from 1
	meaning parquetMeaning
	scratch []byte // memory for the text of a cell

	values parquet.ColumnChunkValueReader
	buffer [parquetBatch]parquet.Value
	read   int // values in buffer
	at     int // the next of them
}

// next returns the next value, which is valid until the one after, or io.EOF.
func (p *parquetColumn) next() (parquet.Value, error) {
	if p.at == p.read {
		n, err := p.values.ReadValues(p.buffer[:])
		if p.read, p.at = n, 0; n == 0 {
			return parquet.Value{}, err
		}
	}
	p.at++
	return p.buffer[p.at-1], nil
}
