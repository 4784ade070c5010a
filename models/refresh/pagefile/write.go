package pagefile

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// writeBlock is the number of rows that are put into words at a time.
const writeBlock = 1 << 13

// RateRows are the rows of a list of rates: page i is accessed Rates[i] times per
// unit of time and is fresh for the fraction Freshness[i] of it.
type RateRows struct {
	IDs       *IDs
	Rates     []float64
	Freshness []float64
}

// WriteRates writes a list of rates with the columns id, rate, interval and
// freshness, a row for each page in their order. The interval is 1/rate; a page
// of rate 0 has none: an empty field in CSV, null in JSON and Parquet. Numbers
// are written with as many digits as it takes to read the same float64 again.
// workers goroutines put rows into words; the file does not depend on their
// number.
//
// It panics where there is not one rate and one freshness for each name.
// Rates that are not finite numbers of 0 or more, and freshness that is not
// finite, are an error, and no file is left.
func WriteRates(ctx context.Context, target Target, rows RateRows, workers int) error {
	if len(rows.Rates) != rows.IDs.Len() || len(rows.Freshness) != rows.IDs.Len() {
		panic("pagefile: WriteRates needs a rate and a freshness for each page")
	}
	for i, rate := range rows.Rates {
		if !(rate >= 0 && rate <= math.MaxFloat64) {
			return fmt.Errorf("pagefile: page %d (%s) has the rate %v; allowed is %s", i, quoted(rows.IDs.Bytes(i)), rate, numberAllowed)
		}
		if !(math.Abs(rows.Freshness[i]) <= math.MaxFloat64) {
			return fmt.Errorf("pagefile: page %d (%s) has the freshness %v; a finite number is allowed", i, quoted(rows.IDs.Bytes(i)), rows.Freshness[i])
		}
	}
	out, err := target.open()
	if err != nil {
		return err
	}
	switch out.format {
	case Parquet:
		err = rows.writeParquet(ctx, out.writer)
	case JSONLines:
		err = writeText(ctx, out.writer, "", rows.IDs.Len(), workers, rows.appendJSON)
	default:
		err = writeText(ctx, out.writer, "id,rate,interval,freshness\n", rows.IDs.Len(), workers, rows.appendCSV)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s: %w", out.name, err)
	}
	return out.finish(err)
}

// writeText writes a head and n rows.
func writeText(ctx context.Context, w io.Writer, head string, n, workers int, row func(dst []byte, i int) []byte) error {
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
		dst := (*text)[:0]
		for i := part[0]; i < part[1]; i++ {
			dst = row(dst, i)
		}
		*text = dst
		return text
	}, func(text *[]byte) error {
		_, err := w.Write(*text)
		texts.Put(text)
		return err
	})
}

func appendFloat(dst []byte, x float64) []byte { return strconv.AppendFloat(dst, x, 'g', -1, 64) }

func (rows *RateRows) appendCSV(dst []byte, i int) []byte {
	dst = appendCSVField(dst, rows.IDs.Bytes(i))
	dst = appendFloat(append(dst, ','), rows.Rates[i])
	dst = append(dst, ',')
	if interval, ok := intervalOf(rows.Rates[i]); ok {
		dst = appendFloat(dst, interval)
	}
	dst = appendFloat(append(dst, ','), rows.Freshness[i])
	return append(dst, '\n')
}

func (rows *RateRows) appendJSON(dst []byte, i int) []byte {
	dst = appendJSONString(append(dst, `{"id":`...), rows.IDs.Bytes(i))
	dst = appendFloat(append(dst, `,"rate":`...), rows.Rates[i])
	dst = append(dst, `,"interval":`...)
	if interval, ok := intervalOf(rows.Rates[i]); ok {
		dst = appendFloat(dst, interval)
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendFloat(append(dst, `,"freshness":`...), rows.Freshness[i])
	return append(dst, "}\n"...)
}

// intervalOf returns 1/rate where that is a number: not for 0, nor for rates
// below 1/MaxFloat64.
func intervalOf(rate float64) (interval float64, ok bool) {
	interval = 1 / rate
	return interval, interval <= math.MaxFloat64
}

// appendCSVField appends a field, in quotes where it needs them.
func appendCSVField(dst, field []byte) []byte {
	quotes := len(field) == 0
	for _, c := range field {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			quotes = true
			break
		}
	}
	if !quotes {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	for _, c := range field {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// appendJSONString appends a string of JSON. Bytes that are not UTF-8 become
// U+FFFD; the readers of this package let none in.
func appendJSONString(dst, content []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, size := utf8.DecodeRune(content[i:])
			dst = utf8.AppendRune(dst, r)
			i += size - 1
		}
	}
	return append(dst, '"')
}

// parquetRow is a row as the Parquet writer wants it; an interval of 0 is null.
type parquetRow struct {
	ID        string  `parquet:"id"`
	Rate      float64 `parquet:"rate"`
	Interval  float64 `parquet:"interval,optional"`
	Freshness float64 `parquet:"freshness"`
}

// parquetRowGroup is the number of rows in a row group, which is what readers
// read in parallel.
const parquetRowGroup = 1 << 20

func (rows *RateRows) writeParquet(ctx context.Context, w io.Writer) error {
	writer := parquet.NewGenericWriter[parquetRow](w, parquet.MaxRowsPerRowGroup(parquetRowGroup),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.CreatedBy("mdpsolve", "", ""))
	batch := make([]parquetRow, 0, writeBlock)
	for i := range rows.IDs.Len() {
		interval, ok := intervalOf(rows.Rates[i])
		if !ok {
			interval = 0
		}
		batch = append(batch, parquetRow{rows.IDs.At(i), rows.Rates[i], interval, rows.Freshness[i]})
		if len(batch) < writeBlock && i < rows.IDs.Len()-1 {
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
