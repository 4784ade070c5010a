package pagefile

// This file is one row, whatever format it comes from, and how its cells are read.

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// A cell is the content of one field of one row.
type cell struct {
	kind   cellKind
	text   []byte  // of all kinds but float and moment; valid until the next row
	number float64 // of kinds float and moment
	column int     // from 1, in bytes of a text; number of the column of a Parquet file
}

type cellKind uint8

const (
	missing cellKind = iota // no such column, or null
	text                    // of CSV, or a string
	digits                  // a number as a text of JSON
	float                   // a number as such
	moment                  // a point in time, in seconds since 1970
	boolean                 // true or false
	other                   // an object, a list
)

// A record is one row.
type record struct {
	line  int // of a text, or row of a Parquet file, from 1
	cells [maxFields]cell
	id    []byte // the name in the first cell; nil if that may be empty, and is
	last  bool   // what is wrong with it ends reading
}

// show returns the content of a cell for a message.
func (c *cell) show() string {
	switch c.kind {
	case missing:
		return "nothing"
	case text:
		if len(c.text) == 0 {
			return "nothing"
		}
		return wording.Quote(string(c.text))
	case float:
		return strconv.FormatFloat(c.number, 'g', -1, 64)
	case moment:
		return time.UnixMicro(int64(c.number * 1e6)).UTC().Format("2006-01-02T15:04:05.999999Z")
	case digits, boolean, other:
		return strings.Trim(wording.Quote(string(c.text)), `"`)
	}
	return "?"
}

// fault says what is wrong with a cell.
func (r *record) fault(field int, expected string) *FileError {
	c := &r.cells[field]
	return faultAt(r.line, max(c.column, 1), c.show(), expected)
}

// readName reads the name of the row.
func (r *record) readName(first *field) (fault *FileError) {
	switch {
	case first.blank && r.cells[0].empty():
		r.id = nil
	case first.holds == hostNames:
		r.id, fault = r.hostName(0)
	default:
		r.id, fault = r.name(0, contents[first.holds].expected)
	}
	return fault
}

// name returns the name in a field: a text that is not empty, or a number as it
// is written.
func (r *record) name(field int, expected string) ([]byte, *FileError) {
	c := &r.cells[field]
	if c.kind != text && c.kind != digits || len(c.text) == 0 {
		return nil, r.fault(field, expected)
	}
	if !utf8.Valid(c.text) {
		return nil, r.fault(field, "a name in UTF-8 (the file may be in Latin-1 or Windows-1252)")
	}
	return c.text, nil
}

// empty reports whether nothing is in a cell.
func (c *cell) empty() bool {
	return c.kind == missing || c.kind == text && len(c.text) == 0
}

// isNull reports whether a cell has the word by which databases write nothing.
func (c *cell) isNull() bool { return c.kind == text && bytes.EqualFold(c.text, []byte("null")) }

// value returns the number in a cell, finite or not.
func (c *cell) value() (value float64, ok bool) {
	switch c.kind {
	case float:
		return c.number, true
	case digits:
		return number.Fast(c.text)
	case text:
		if len(c.text) > 0 && (c.text[0] == ' ' || c.text[len(c.text)-1] == ' ') {
			return number.Fast(bytes.Trim(c.text, " "))
		}
		return number.Fast(c.text)
	case missing, moment, boolean, other:
	}
	return 0, false
}

// time returns a number, or a point in time in seconds since 1970.
func (c *cell) time() (x float64, calendar, ok bool) {
	if c.kind == moment {
		return c.number, true, true
	}
	if x, ok = c.value(); ok {
		return x, false, math.Abs(x) <= math.MaxFloat64
	}
	at, ok := c.pointInTime()
	return float64(at.Unix()) + float64(at.Nanosecond())/1e9, true, ok
}

// pointInTime returns a point in time: of texts to the nanosecond, of others to the
// microsecond, as they are kept in seconds.
func (c *cell) pointInTime() (at time.Time, ok bool) {
	switch c.kind {
	case moment:
		return time.UnixMicro(int64(math.Round(c.number * 1e6))).UTC(), math.Abs(c.number) <= math.MaxInt64/1e6
	case text:
		at, err := unit.ParseTime(string(c.text))
		return at, err == nil
	case missing, digits, float, boolean, other:
	}
	return at, false
}
