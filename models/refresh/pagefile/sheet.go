package pagefile

import (
	"context"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// writeBlock is the number of rows that are put into words at a time.
const writeBlock = 1 << 13

// A sheet is a table to be written. Its rows have a form in Parquet, a struct
// whose tags name the same columns.
type sheet[T any] struct {
	names   []string
	rows    int
	text    func(r *textRow, i int)
	parquet func(i int) T
}

// write writes all rows; workers goroutines put them into words, and the file does
// not depend on their number.
func (s *sheet[T]) write(ctx context.Context, target Target, workers int) error {
	out, err := target.open()
	if err != nil {
		return err
	}
	if out.format == Parquet {
		err = s.writeParquet(ctx, out.writer)
	} else {
		table := newTextTable(out.format, s.names...)
		err = writeText(ctx, out.writer, table.header, s.rows, workers, func(dst []byte, from, to int) []byte {
			row := textRow{textTable: table, text: dst}
			for i := from; i < to; i++ {
				s.text(&row, i)
				row.finish()
			}
			return row.text
		})
	}
	return out.finish(ctx, err)
}

// writeText writes a head and n rows.
func writeText(ctx context.Context, w io.Writer, head string, n, workers int, rows func(dst []byte, from, to int) []byte) error {
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	start := 0
	texts := sync.Pool{New: func() any { return new([]byte) }}
	return inOrder(ctx, workers, func() ([2]int, error) {
		if start >= n {
			return [2]int{}, io.EOF
		}
		from := start
		start = min(start+writeBlock, n)
		return [2]int{from, start}, nil
	}, func(part [2]int) *[]byte {
		text := texts.Get().(*[]byte)
		*text = rows((*text)[:0], part[0], part[1])
		return text
	}, func(text *[]byte) error {
		_, err := w.Write(*text)
		texts.Put(text)
		return err
	})
}

// parquetRowGroup is the number of rows in a row group, which is what readers
// read in parallel.
const parquetRowGroup = 1 << 20

func newParquetWriter[T any](w io.Writer) *parquet.GenericWriter[T] {
	return parquet.NewGenericWriter[T](w, parquet.MaxRowsPerRowGroup(parquetRowGroup),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.CreatedBy("mdpsolve", "", ""))
}

func (s *sheet[T]) writeParquet(ctx context.Context, w io.Writer) error {
	writer := newParquetWriter[T](w)
	batch := make([]T, 0, writeBlock)
	for start := 0; start < s.rows; start += writeBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch = batch[:0]
		for i := start; i < min(start+writeBlock, s.rows); i++ {
			batch = append(batch, s.parquet(i))
		}
		if _, err := writer.Write(batch); err != nil {
			return err
		}
	}
	return writer.Close()
}
