package pagefile

// This file says which columns a kind of file has, and finds them in a file.

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// A layout is the fields that are read from each row.
type layout []field

type field struct {
	names    []string // of its column, in any case; the first that a file has counts
	holds    content
	optional bool    // a file, or a row of JSON, need not have it
	blank    bool    // its cells may be empty
	absent   float64 // what an absent number counts as
	rate     bool    // its numbers are in the unit of the list
	interval bool    // they stand for 1 divided by them, a rate
}

// A content is what the cells of a column hold.
type content uint8

const (
	otherContent   content = iota // what the reader of the list says
	pageNames                     // names of pages
	hostNames                     // names of hosts
	groupNames                    // names of groups of hosts
	anyNumbers                    // numbers
	refreshNumbers                // numbers that refresh.Pages takes
	shares                        // those that are at most 1
	intervals                     // those above 0
)

// contents say which names and numbers are allowed: in words, and as ranges.
var contents = [...]struct {
	expected        string
	least, greatest float64 // of numbers other than 0
}{
	pageNames:      {expected: "the name of a page"},
	hostNames:      {expected: "the name of a host"},
	groupNames:     {expected: "the name of a group"},
	anyNumbers:     {"a finite number of 0 or more", math.SmallestNonzeroFloat64, math.MaxFloat64},
	refreshNumbers: {"0 or a number from 1e-100 to 1e100", refresh.LeastNumber, refresh.GreatestNumber},
	shares:         {"0 or a number from 1e-100 to 1", refresh.LeastNumber, 1},
	intervals:      {"a number from 1e-100 to 1e100", refresh.LeastNumber, refresh.GreatestNumber},
}

// expected says what may be in a cell, for messages.
func (f *field) expected() string {
	if f.blank {
		return contents[f.holds].expected + ", or nothing"
	}
	return contents[f.holds].expected
}

// allows reports whether a number may be in a cell.
func (f *field) allows(value float64) bool {
	c := &contents[f.holds]
	return value >= c.least && value <= c.greatest || value == 0 && f.holds != intervals
}

// fill extends numbers to a number of rows, with the value of absent ones.
func (f *field) fill(numbers []float64, rows int) []float64 {
	for len(numbers) < rows {
		numbers = append(numbers, f.absent)
	}
	return numbers
}

// maxFields is the greatest number of fields of a layout.
const maxFields = 12

// numbers returns the fields that are numbers of a table. They follow the name.
func (l layout) numbers() layout {
	end := 1
	for end < len(l) && l[end].holds >= anyNumbers {
		end++
	}
	return l[1:end]
}

// unitField is the last field of tables.
var unitField = field{names: []string{"unit"}, optional: true}

// idField is the first field of most layouts.
var idField = field{names: []string{"id", "url"}, holds: pageNames}

// describe lists the columns for messages: "the columns id (or url), change_rate and,
// optional, weight".
func (l layout) describe() string {
	var needed, optional []string
	for _, f := range l {
		if len(f.names) == 0 {
			continue // it is not wanted
		}
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
	if needed == nil {
		return "the columns, all optional, " + strings.Join(optional, ", ")
	}
	text := "the columns " + strings.Join(needed, ", ")
	if optional != nil {
		text += " and, optional, " + strings.Join(optional, ", ")
	}
	return text
}

// rank says how well a column goes with a field, the best being 1; 0 if it is not that of
// the field. Names in the case of the layout go before others.
func (f *field) rank(name string) int {
	folded := 0
	for i, own := range f.names {
		switch {
		case len(own) != len(name):
		case own == name:
			return 1 + i
		case folded == 0 && strings.EqualFold(own, name):
			folded = 1 + len(f.names) + i
		}
	}
	return folded
}

var errTwice = errors.New("twice")

// noColumn says that a file has none of the columns of these names.
func noColumn(names []string) string { return "no column " + strings.Join(names, " or ") }

// LacksColumn reports whether an error of a reader says that the file has none of the columns of
// these names, which it needs one of.
func LacksColumn(err error, names ...string) bool {
	var fault *FileError
	return errors.As(err, &fault) && fault.Found == noColumn(names)
}

// choose finds the column of each field among those of a file; −1 stands for none. No
// column is that of two fields: it is that of the first.
func (l layout) choose(names []string) (columns [maxFields]int, err error) {
	for i := range columns {
		columns[i] = -1
	}
	for i := range l {
		f := &l[i]
		best, twice := 0, false
		for column, name := range names {
			rank := f.rank(name)
			switch {
			case rank == 0 || slices.Contains(columns[:i], column):
			case best == 0 || rank < best:
				best, columns[i], twice = rank, column, false
			case rank == best:
				twice = true
			}
		}
		if twice {
			return columns, fmt.Errorf("column %q %w", names[columns[i]], errTwice)
		}
		if columns[i] < 0 && !f.optional {
			return columns, errors.New(noColumn(f.names))
		}
	}
	return columns, nil
}
