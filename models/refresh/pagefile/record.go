package pagefile

// This file is one row, whatever format it comes from, and how its cells are read.

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// A cell is the content of one field of one row.
type cell struct {
	kind   cellKind
	text   []byte  // of all kinds but number; valid until the next row
	number float64 // of kind number
	column int     // from 1, in bytes of a text; number of the column of a Parquet file
}

type cellKind uint8

const (
	missing cellKind = iota // no such column, or null
	text                    // of CSV, or a string
	digits                  // a number as a text of JSON
	number                  // a number as such
	boolean                 // true or false
	other                   // an object, a list
)

// A record is one row.
type record struct {
	line  int // of a text, or row of a Parquet file, from 1
	cells [maxFields]cell
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
	case number:
		return strconv.FormatFloat(c.number, 'g', -1, 64)
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

// name returns the name in a field: a text that is not empty, or a number as it
// is written.
func (r *record) name(field int, expected string) ([]byte, *FileError) {
	c := &r.cells[field]
	if c.kind != text && c.kind != digits || len(c.text) == 0 {
		return nil, r.fault(field, expected)
	}
	if !utf8.Valid(c.text) {
		return nil, r.fault(field, "a name in UTF-8")
	}
	return c.text, nil
}

// empty reports whether nothing is in a cell.
func (c *cell) empty() bool {
	return c.kind == missing || c.kind == text && len(c.text) == 0
}

// value returns the number in a cell, finite or not.
func (c *cell) value() (value float64, ok bool) {
	switch c.kind {
	case number:
		return c.number, true
	case digits:
		return parseNumber(c.text)
	case text:
		if len(c.text) > 0 && (c.text[0] == ' ' || c.text[len(c.text)-1] == ' ') {
			return parseNumber(bytes.Trim(c.text, " "))
		}
		return parseNumber(c.text)
	case missing, boolean, other:
	}
	return 0, false
}
