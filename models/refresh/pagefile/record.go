package pagefile

// This file is one row of any format, and how its cells are read.

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// A cell is the content of one field of one row, as a text, which JSON and Parquet are made into.
type cell struct {
	text   []byte // none where there is no such column, or null; valid until the next row
	column int    // from 1, in bytes of a text; number of the column of a Parquet file
}

// A record is one row.
type record struct {
	line  int // of a text, or row of a Parquet file, from 1
	cells [maxFields]cell
	id    []byte // the name in the first cell; nil if that may be empty, and is
}

// show returns the content of a cell for a message.
func (c *cell) show() string {
	if c.empty() {
		return "nothing"
	}
	return wording.Quote(string(c.text))
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

// name returns the name in a field: a text that is not empty.
func (r *record) name(field int, expected string) ([]byte, *FileError) {
	c := &r.cells[field]
	if c.empty() {
		return nil, r.fault(field, expected)
	}
	if !utf8.Valid(c.text) {
		return nil, r.fault(field, "a name in UTF-8 (the file may be in Latin-1 or Windows-1252)")
	}
	return c.text, nil
}

// empty reports whether nothing is in a cell.
func (c *cell) empty() bool { return len(c.text) == 0 }

// isNull reports whether a cell has the word by which databases write nothing.
func (c *cell) isNull() bool { return len(c.text) == 4 && bytes.EqualFold(c.text, []byte("null")) }

// value returns the number in a cell, finite or not.
func (c *cell) value() (value float64, ok bool) {
	value, err := number.Parse(string(bytes.Trim(c.text, " ")))
	return value, err == nil
}

// time returns a number, or a point in time in seconds since 1970.
func (c *cell) time() (x float64, calendar, ok bool) {
	if x, ok = c.value(); ok {
		return x, false, math.Abs(x) <= math.MaxFloat64
	}
	at, err := unit.ParseTime(string(c.text))
	return float64(at.Unix()) + float64(at.Nanosecond())/1e9, true, err == nil
}
