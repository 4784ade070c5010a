package pagefile

// This file reads the rows of CSV.

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/csvscan"
	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

// A csvHeader says which field each column holds.
type csvHeader struct {
	csvscan.Dialect
	fields []int8 // by column; −1 for none
}

// readHeader reads the first row that is not blank, and leaves those behind it.
func (l layout) readHeader(text *cutter, d csvscan.Dialect) (*csvHeader, error) {
	expected := "a header with " + l.describe()
	for {
		p, err := text.next()
		if errors.Is(err, errEnd) {
			return nil, faultAt(1, 1, "an empty file", expected)
		}
		if err != nil {
			return nil, err
		}
		s := csvscan.New(d, p.data, p.first)
		for len(s.Rest()) > 0 {
			line := s.Line()
			content, length := s.PeekLine()
			if len(content) == 0 {
				s.PassLine(length)
				continue
			}
			if bytes.IndexByte(content, '\r') >= 0 {
				return nil, faultAt(line, 1, `lines that end in "\r" alone`, `"\n" or "\r\n" behind each`)
			}
			names, fault := s.Names()
			if fault != nil {
				return nil, (*FileError)(fault)
			}
			columns, err := l.choose(names)
			if err != nil && len(names) == 1 && strings.ContainsAny(names[0], "|:^~ ") {
				expected += ", separated by commas, semicolons or tabs"
			}
			if err != nil {
				return nil, faultAt(line, 1, err.Error(), expected)
			}
			h := &csvHeader{d, slices.Repeat([]int8{-1}, len(names))}
			for i := range l {
				if columns[i] >= 0 {
					h.fields[columns[i]] = int8(i)
				}
			}
			text.held = &lines{s.Rest(), s.Line()}
			return h, nil
		}
	}
}

// dialect returns what separates the fields of a text. Columns that stand there twice are found by
// readHeader.
func (l layout) dialect(head []byte, lines int) csvscan.Dialect {
	return csvscan.Recognise(head, lines, func(names []string) bool {
		_, err := l.choose(names)
		return err == nil || errors.Is(err, errTwice)
	})
}

// parse hands on the rows of a piece.
func (h *csvHeader) parse(p lines, into sink) {
	quotes := bytes.IndexByte(p.data, '"') >= 0
	s := csvscan.New(h.Dialect, p.data, p.first)
	var r record
	for len(s.Rest()) > 0 {
		r.line = s.Line()
		line, length := s.PeekLine()
		var columns, end, long int
		switch {
		case quotes && bytes.IndexByte(line, '"') >= 0:
			var fault *filepos.Error
			columns, end, long, fault = h.quotedRow(&s, &r)
			switch {
			case s.Lost() != nil:
				into.end((*FileError)(s.Lost()))
				continue
			case long > 0 && (fault != nil || columns != len(h.fields)):
				into.end((*FileError)(csvscan.TakenIn(r.line, long)))
				return
			case fault != nil:
				into.reject((*FileError)(fault))
				if s.SkipRow(); s.Lost() != nil {
					into.end((*FileError)(s.Lost()))
				}
				continue
			}
		case len(line) == 0:
			s.PassLine(length)
			continue
		default:
			columns, end = h.plainRow(line, &r), len(line)+1
			s.PassLine(length)
		}
		if columns == len(h.fields) {
			into.add(&r)
		} else {
			found := fmt.Sprintf("a row of %d columns", columns)
			if columns == 1 {
				found = "a row of one column"
			}
			into.reject(faultAt(r.line, end, found, fmt.Sprintf("%d, as in the header", len(h.fields))))
		}
	}
}

// plainRow splits a line without quotes, and returns its number of columns.
func (h *csvHeader) plainRow(line []byte, r *record) (columns int) {
	start := 0
	for more := true; more; columns++ {
		end := bytes.IndexByte(line[start:], h.Delimiter)
		if more = end >= 0; more {
			end += start
		} else {
			end = len(line)
		}
		h.set(r, columns, line[start:end], start+1)
		start = end + 1
	}
	return columns
}

// quotedRow reads a row that may have quotes. It returns the number of its columns,
// the column of the text behind it, and that of its first field of several lines, 0 for none.
func (h *csvHeader) quotedRow(s *csvscan.Scanner, r *record) (columns, end, long int, fault *filepos.Error) {
	for more := true; more; columns++ {
		start := s.Column()
		var content []byte
		if content, end, more, fault = s.Field(); long == 0 && bytes.IndexByte(content, '\n') >= 0 {
			long = start
		}
		if fault != nil {
			return columns, end, long, fault
		}
		h.set(r, columns, content, start)
	}
	return columns, end, long, nil
}

// set keeps the content of a column if it holds a field.
func (h *csvHeader) set(r *record, column int, content []byte, start int) {
	if column < len(h.fields) && h.fields[column] >= 0 {
		c := &r.cells[h.fields[column]]
		c.kind, c.text, c.column = text, content, start
	}
}
