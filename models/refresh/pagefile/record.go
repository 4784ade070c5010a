package pagefile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A layout names the columns that are read, each by the names it may have, the
// first of which that a file has counts.
type layout []field

type field struct {
	names    []string
	allowed  string  // what its cells hold, for messages
	optional bool    // a file, or a row of JSON, need not have it
	blank    bool    // a cell of it may be empty
	absent   float64 // what a number that is not there counts as
	limited  bool    // its numbers are those of refresh.Pages: see holds
}

// maxFields is the greatest number of fields of a layout.
const maxFields = 7

// idField is the first of most layouts.
var idField = field{names: []string{"id", "url"}, allowed: "the name of a page"}

// describe lists the columns for messages: id (or url), change_rate and so on.
func (l layout) describe() string {
	var needed, optional []string
	for _, f := range l {
		word := f.names[0]
		if len(f.names) > 1 {
			word += " (or " + strings.Join(f.names[1:], ", ") + ")"
		}
		if f.optional {
			optional = append(optional, word)
		} else {
			needed = append(needed, word)
		}
	}
	text := "the columns " + strings.Join(needed, ", ")
	if optional != nil {
		text += " and, optional, " + strings.Join(optional, ", ")
	}
	return text
}

// choose finds the columns of a file by their names: columns[i] is the one of
// field i, −1 for none. A column is that of one field, the first that it fits.
func (l layout) choose(names []string) (columns [maxFields]int, err error) {
	for i := range columns {
		columns[i] = -1
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] && l.has(name) {
			return columns, fmt.Errorf("column %q twice", name)
		}
		seen[name] = true
	}
	for i, f := range l {
	search:
		for _, wanted := range f.names {
			for column, name := range names {
				if name == wanted && !slices.Contains(columns[:i], column) {
					columns[i] = column
					break search
				}
			}
		}
		if columns[i] < 0 && !f.optional {
			return columns, fmt.Errorf("no column %s", strings.Join(f.names, " or "))
		}
	}
	return columns, nil
}

func (l layout) has(name string) bool {
	for _, f := range l {
		if slices.Contains(f.names, name) {
			return true
		}
	}
	return false
}

// A cell is the content of one field of one row.
type cell struct {
	kind   cellKind
	text   []byte  // of all kinds but number; valid until the next row
	number float64 // of kind number
	column int
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
	line  int64
	cells [maxFields]cell
}

// A collector takes the rows of a block.
type collector interface {
	// take keeps a row, or says what is wrong with it.
	take(r *record) *FileError
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
		return quoted(c.text)
	case number:
		return strconv.FormatFloat(c.number, 'g', -1, 64)
	case digits, boolean, other:
		return strings.Trim(quoted(c.text), `"`)
	}
	return "?"
}

func (r *record) fault(field int, allowed string) *FileError {
	c := &r.cells[field]
	return faultAt(r.line, max(c.column, 1), c.show(), allowed)
}

// id returns the name of a page.
func (r *record) id() ([]byte, *FileError) { return r.name(0, idField.allowed) }

// name returns the name in a field: a text that is not empty, or a number as it
// is written.
func (r *record) name(field int, allowed string) ([]byte, *FileError) {
	c := &r.cells[field]
	if c.kind != text && c.kind != digits || len(c.text) == 0 {
		return nil, r.fault(field, allowed)
	}
	if !utf8.Valid(c.text) {
		return nil, r.fault(field, "a name in UTF-8")
	}
	return c.text, nil
}

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
