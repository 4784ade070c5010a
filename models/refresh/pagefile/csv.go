package pagefile

// This file reads the rows of CSV.

import (
	"errors"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/csvscan"
)

// A csvHeader says which field each column holds.
type csvHeader struct {
	delimiter byte
	fields    []int8   // by column; −1 for none
	names     []string // by column
}

// readHeader reads the first row that is not blank, and no more.
func (l layout) readHeader(text *cutter, delimiter byte) (*csvHeader, error) {
	expected := "a header with " + l.describe()
	for {
		p, err := text.next()
		if errors.Is(err, errEnd) {
			return nil, faultAt(1, 1, "an empty file", expected)
		}
		if err != nil {
			return nil, err
		}
		s := csvscan.New(delimiter, p.data, p.first)
		if !s.Next() {
			continue
		}
		if s.Fault != nil {
			return nil, (*FileError)(s.Fault)
		}
		names := s.Names()
		if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, "\r") }) {
			return nil, faultAt(s.Line, 1, `lines that end in "\r" alone`, `"\n" or "\r\n" after each`)
		}
		columns, err := l.choose(names)
		if err != nil && len(names) == 1 && strings.ContainsAny(names[0], "|:^~ ") {
			expected += ", separated by commas, semicolons or tabs"
		}
		if err != nil {
			return nil, faultAt(s.Line, 1, err.Error(), expected)
		}
		h := &csvHeader{delimiter, slices.Repeat([]int8{-1}, len(names)), names}
		for i := range l {
			if columns[i] >= 0 {
				h.fields[columns[i]] = int8(i)
			}
		}
		text.unread(s.Rest())
		return h, nil
	}
}

// delimiter returns what separates the fields of a text. Columns that occur twice are found
// by readHeader.
func (l layout) delimiter(head []byte) byte {
	return csvscan.Recognise(head, func(names []string) bool {
		_, err := l.choose(names)
		return err == nil || errors.Is(err, errTwice)
	})
}

// parse hands on the rows of a piece. A row equal to the header begins another file that was
// appended, and is skipped.
func (h *csvHeader) parse(p lines, into sink) {
	s := csvscan.New(h.delimiter, p.data, p.first)
	s.Columns = len(h.fields)
	var r record
	for s.Next() {
		if s.Fault != nil {
			into.reject((*FileError)(s.Fault))
			continue
		}
		if string(s.Fields[0].Text) == h.names[0] && slices.Equal(s.Names(), h.names) {
			continue
		}
		r.line = s.Line
		for column, content := range s.Fields {
			if field := h.fields[column]; field >= 0 {
				r.cells[field] = cell{content.Text, content.Column}
			}
		}
		into.add(&r)
	}
}
