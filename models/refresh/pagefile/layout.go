package pagefile

// This file says which columns a kind of file has, and finds them in a file.

import (
	"fmt"
	"slices"
	"strings"
)

// A layout is the fields that are read from each row.
type layout []field

type field struct {
	names    []string // of its column; the first that a file has counts
	expected string   // what its cells hold, for messages
	optional bool     // a file, or a row of JSON, need not have it
	blank    bool     // its cells may be empty
	absent   float64  // what an absent number counts as
	limited  bool     // its numbers are limited to those of refresh.Pages
}

// maxFields is the greatest number of fields of a layout.
const maxFields = 7

// idField is the first field of most layouts.
var idField = field{names: []string{"id", "url"}, expected: "the name of a page"}

// describe lists the columns for messages: "the columns id (or url), change_rate and,
// optional, weight".
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

// choose finds the column of each field among those of a file; −1 stands for none. No
// column is that of two fields: it is that of the first.
func (l layout) choose(names []string) (columns [maxFields]int, err error) {
	for i := range columns {
		columns[i] = -1
	}
	for i, f := range l {
		for _, own := range f.names {
			column := slices.Index(names, own)
			if column >= 0 && slices.Contains(names[column+1:], own) {
				return columns, fmt.Errorf("column %q twice", own)
			}
			if column >= 0 && columns[i] < 0 && !slices.Contains(columns[:i], column) {
				columns[i] = column
			}
		}
		if columns[i] < 0 && !f.optional {
			return columns, fmt.Errorf("no column %s", strings.Join(f.names, " or "))
		}
	}
	return columns, nil
}
