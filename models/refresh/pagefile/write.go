package pagefile

// This file writes lists whose rows are structs, in every format.

import (
	"bufio"
	"context"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// writeBlock is the number of rows that are formatted at a time.
const writeBlock = 1 << 13

// WriteRows writes a list of n rows: row returns row i. T is a struct with a field for
// each column, in their order, whose tag declares the column as parquet-go has it; columns
// named in without are left out:
//
//	type visit struct {
//		ID       []byte   `parquet:"id,string"`         // a text
//		Accesses int64    `parquet:"accesses"`          // a whole number
//		Rate     float64  `parquet:"rate"`              // a number
//		Interval float64  `parquet:"interval,optional"` // a number, absent where it is 0
//		Cap      *float64 `parquet:"cap,optional"`      // a number, absent where it is nil
//	}
//
// A text is absent if it is nil and optional, and a whole number in milliseconds since
// 1970 is a point in time if its tag has timestamp(millisecond). What is absent is an empty
// field in CSV, and null in JSON and Parquet. CSV and JSON have nothing for numbers that are not
// finite, either. Numbers have as many digits as it takes to read the same float64 again.
//
// workers goroutines format rows; the file does not depend on their number.
func WriteRows[T any](ctx context.Context, target Target, n, workers int, row func(i int) T, without ...string) error {
	out, err := target.open()
	if err != nil {
		return err
	}
	if out.format == Parquet {
		err = writeInTurn(ctx, out, without, func(yield func(T) bool) {
			for i := 0; i < n && yield(row(i)); i++ {
			}
		})
	} else {
		header, _ := textRows[T](out.format, without)
		err = writeText(ctx, out.writer, header, n, workers, func(dst []byte, from, to int) []byte {
			_, appendRow := textRows[T](out.format, without)
			for i := from; i < to; i++ {
				dst = appendRow(dst, row(i))
			}
			return dst
		})
	}
	return out.finish(ctx, err)
}

// writeInTurn writes rows one by one, in any format.
func writeInTurn[T any](ctx context.Context, out *output, without []string, rows iter.Seq[T]) error {
	if out.format == Parquet {
		return writeParquet(ctx, out.writer, without, rows)
	}
	writer := bufio.NewWriterSize(out.writer, 1<<16)
	header, appendRow := textRows[T](out.format, without)
	text := []byte(header)
	for row := range rows {
		text = appendRow(text, row)
		if _, err := writer.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	if _, err := writer.Write(text); err != nil { // a header without rows
		return err
	}
	return writer.Flush()
}

// A column is a field of a row that is written.
type column struct {
	name    string
	options string // of its tag
	field   reflect.StructField
	left    bool // it is left out
}

// columnsOf returns the columns of a struct.
func columnsOf[T any](without []string) (columns []column) {
	for field := range reflect.TypeFor[T]().Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		columns = append(columns, column{name, options, field, slices.Contains(without, name)})
	}
	return columns
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
func writeParquet[T any](ctx context.Context, w io.Writer, without []string, rows iter.Seq[T]) error {
	options := []parquet.WriterOption{
		parquet.MaxRowsPerRowGroup(parquetRowGroup), parquet.DictionaryMaxBytes(1 << 27), // a dictionary is one page
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.CreatedBy("mdpsolve", "", ""),
	}
	for _, column := range columnsOf[T](without) {
		if column.left {
			options = append(options, parquet.StructTag(`parquet:"-"`, column.field.Name).(parquet.WriterOption))
		}
	}
	writer := parquet.NewGenericWriter[T](w, options...)
	batch := make([]T, 0, writeBlock)
	for row := range rows {
		if batch = append(batch, row); len(batch) < writeBlock {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := writer.Write(batch); err != nil {
			return err
		}
		batch = batch[:0]
	}
	if _, err := writer.Write(batch); err != nil {
		return err
	}
	return writer.Close()
}
