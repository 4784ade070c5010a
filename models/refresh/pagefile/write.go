package pagefile

// This file writes lists whose rows are structs, in every format.

import (
	"context"
	"io"
	"iter"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// writeBlock is the number of rows that are formatted at a time.
const writeBlock = 1 << 13

// WriteRows writes a list of n rows: row returns row i. T is a struct with a field for
// each column, in their order, whose tag declares the column as parquet-go has it:
//
//	type visit struct {
//		ID       []byte   `parquet:"id,string"`         // a text
//		Accesses int64    `parquet:"accesses"`          // a whole number
//		Rate     float64  `parquet:"rate"`              // a number
//		Interval float64  `parquet:"interval,optional"` // a number, absent where it is 0
//		Cap      *float64 `parquet:"cap,optional"`      // a number, absent where it is nil
//	}
//
// A text is absent where it is nil and optional, and a whole number in milliseconds since
// 1970 is a point in time where its tag has timestamp(millisecond). The fields of an embedded
// struct are columns of their own. What is absent is an empty field in CSV, and null in JSON
// and Parquet. CSV and JSON have nothing for numbers that are not finite, either. Numbers have
// as many digits as it takes to read the same float64 again.
//
// workers goroutines format rows; the file does not depend on their number.
func WriteRows[T any](ctx context.Context, target Target, n, workers int, row func(i int) T) error {
	out, err := target.open()
	if err != nil {
		return err
	}
	if out.format == Parquet {
		err = writeParquet(ctx, out.writer, func(yield func(T, int) bool) {
			for i := 0; i < n && yield(row(i), 0); i++ {
			}
		})
	} else {
		header, _ := textRows[T](out.format)
		err = writeText(ctx, out.writer, header, n, workers, func(dst []byte, from, to int) []byte {
			_, appendRow := textRows[T](out.format)
			for i := from; i < to; i++ {
				dst = appendRow(dst, row(i))
			}
			return dst
		})
	}
	return out.finish(ctx, err)
}

// writeText writes a header and n rows, which rows appends to a text.
func writeText(ctx context.Context, w io.Writer, header string, n, workers int, rows func(dst []byte, from, to int) []byte) error {
	if _, err := io.WriteString(w, header); err != nil {
		return err
	}
	start := 0
	texts := sync.Pool{New: func() any { return new([]byte) }}
	return inOrder(ctx, workers, func() (from int, err error) {
		if start >= n {
			return 0, errEnd
		}
		start += writeBlock
		return start - writeBlock, nil
	}, func(from int) *[]byte {
		text := texts.Get().(*[]byte)
		*text = rows((*text)[:0], from, min(from+writeBlock, n))
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

// writeParquet writes rows, the columns of which tags name as parquet-go has it.
// With each comes how many bytes it may add to the dictionary of a row group, which is one
// page: row groups end early where it would get too large for readers.
func writeParquet[T any](ctx context.Context, w io.Writer, rows iter.Seq2[T, int]) error {
	const most = maxPageBytes / 2
	writer := parquet.NewGenericWriter[T](w, parquet.MaxRowsPerRowGroup(parquetRowGroup),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.CreatedBy("mdpsolve", "", ""))
	batch, size := make([]T, 0, writeBlock), 0
	for row, dictionary := range rows {
		batch = append(batch, row)
		if size += dictionary; len(batch) < writeBlock && size < most {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := writer.Write(batch); err != nil {
			return err
		}
		batch = batch[:0]
		if size >= most {
			if err := writer.Flush(); err != nil {
				return err
			}
			size = 0
		}
	}
	if _, err := writer.Write(batch); err != nil {
		return err
	}
	return writer.Close()
}
