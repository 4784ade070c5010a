package pagefile

// This file formats rows as CSV or JSON lines.

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
)

// TimeLayout is that of points in time in texts: RFC 3339 in UTC, in milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// textRows returns the first line of a list in CSV or JSON lines, which is empty in the
// latter, and a function that appends a row. [WriteRows] says what T is.
func textRows[T any](format Format, without []string) (header string, appendRow func(dst []byte, row T) []byte) {
	values := new(T)
	var names, leads []string
	var columns []func(dst []byte) []byte // each appends what a field of values holds then
	asJSON := format == JSONLines
	for _, c := range columnsOf[T](without) {
		if c.left {
			continue
		}
		names = append(names, c.name)
		leads = append(leads, ",")
		if asJSON {
			leads[len(leads)-1] = `,"` + c.name + `":`
		}
		columns = append(columns, columnText(reflect.ValueOf(values).Elem().FieldByIndex(c.field.Index).Addr().Interface(), c.options, asJSON))
	}
	leads[0] = leads[0][1:]
	header, begin, end := strings.Join(names, ",")+"\n", "", "\n"
	if asJSON {
		header, begin, end = "", "{", "}\n"
	}
	return header, func(dst []byte, row T) []byte {
		*values = row
		dst = append(dst, begin...)
		for i, column := range columns {
			dst = column(append(dst, leads[i]...))
		}
		return append(dst, end...)
	}
}

// columnText returns a function that appends what a field of a struct holds then.
func columnText(field any, options string, asJSON bool) func(dst []byte) []byte {
	optional, nothing, quote := strings.Contains(options, "optional"), "", ""
	if asJSON {
		nothing, quote = "null", `"`
	}
	number := func(dst []byte, x float64) []byte {
		if math.Abs(x) <= math.MaxFloat64 {
			return strconv.AppendFloat(dst, x, 'g', -1, 64)
		}
		return append(dst, nothing...)
	}
	switch p := field.(type) {
	case *[]byte:
		return func(dst []byte) []byte {
			switch {
			case *p == nil && optional:
				return append(dst, nothing...)
			case asJSON:
				return jsonscan.AppendText(dst, *p)
			}
			return appendCSVField(dst, *p)
		}
	case *int64:
		if strings.HasPrefix(options, "timestamp(millisecond)") {
			return func(dst []byte) []byte {
				return append(time.UnixMilli(*p).UTC().AppendFormat(append(dst, quote...), TimeLayout), quote...)
			}
		}
		return func(dst []byte) []byte { return strconv.AppendInt(dst, *p, 10) }
	case *float64:
		return func(dst []byte) []byte {
			if optional && *p == 0 {
				return append(dst, nothing...)
			}
			return number(dst, *p)
		}
	case **float64:
		return func(dst []byte) []byte {
			if *p == nil {
				return append(dst, nothing...)
			}
			return number(dst, **p)
		}
	}
	panic(fmt.Sprintf("pagefile: a column of type %T", field))
}

// appendCSVField appends a field, in quotes if it needs them.
func appendCSVField(dst, field []byte) []byte {
	quotes := len(field) == 0
	for _, c := range []byte(",\"\n\r") {
		quotes = quotes || bytes.IndexByte(field, c) >= 0
	}
	if !quotes {
		return append(dst, field...)
	}
	dst = append(dst, '"')
	dst = append(dst, bytes.ReplaceAll(field, []byte(`"`), []byte(`""`))...)
	return append(dst, '"')
}
