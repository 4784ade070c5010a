package pagefile

// This file writes tables whose rows are structs, in every format.

import (
	"context"
	"io"
	"math"
	"reflect"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// writeBlock is the number of rows that are formatted at a time.
const writeBlock = 1 << 13

// writeSheet writes n rows. T is a struct with a field for each column: a text
// ([]byte), a whole number (int64) or a number (float64, or *float64 that may be nil).
// Tags name the columns as parquet-go has it; an optional float64 of 0 is absent.
// workers goroutines format rows; the file does not depend on their number.
func writeSheet[T any](ctx context.Context, target Target, n, workers int, row func(i int) T) error {
	out, err := target.open()
	if err != nil {
		return err
	}
	if out.format == Parquet {
		err = writeParquet(ctx, out.writer, n, row)
	} else {
		var names []string
		var optional []bool
		for field := range reflect.TypeFor[T]().Fields() {
			name, options, _ := strings.Cut(field.Tag.Get("parquet"), ",")
			names = append(names, name)
			optional = append(optional, options == "optional")
		}
		table := newTextTable(out.format, names...)
		err = writeText(ctx, out.writer, table.header, n, workers, func(dst []byte, from, to int) []byte {
			text := textRow{textTable: table, text: dst}
			var values T
			fields := reflect.ValueOf(&values).Elem()
			for i := from; i < to; i++ {
				values = row(i)
				for column := range names {
					text.value(fields.Field(column), optional[column])
				}
				text.finish()
			}
			return text.text
		})
	}
	return out.finish(ctx, err)
}

// value formats a field of a struct.
func (r *textRow) value(field reflect.Value, optional bool) {
	switch field.Kind() {
	case reflect.Slice:
		r.name(field.Bytes())
	case reflect.Int64:
		r.whole(field.Int())
	case reflect.Float64:
		x := field.Float()
		if optional && x == 0 {
			x = math.NaN()
		}
		r.number(x)
	case reflect.Pointer:
		if field.IsNil() {
			r.number(math.NaN())
		} else {
			r.number(field.Elem().Float())
		}
	default:
		panic("pagefile: a column of " + field.Kind().String())
	}
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
			return 0, io.EOF
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

func newParquetWriter[T any](w io.Writer) *parquet.GenericWriter[T] {
	return parquet.NewGenericWriter[T](w, parquet.MaxRowsPerRowGroup(parquetRowGroup),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.CreatedBy("mdpsolve", "", ""))
}

func writeParquet[T any](ctx context.Context, w io.Writer, n int, row func(i int) T) error {
	writer := newParquetWriter[T](w)
	batch := make([]T, 0, writeBlock)
	for i := range n {
		if batch = append(batch, row(i)); len(batch) < writeBlock && i < n-1 {
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
	return writer.Close()
}
