// Package csvscan reads CSV row by row, and knows line and column of each field, so that
// errors can name the place.
//
// It reads RFC 4180, except that a field in quotes must end on its line. Lines end in "\n" or
// "\r\n", and fields may stand in quotes. Commas, semicolons or tabs separate fields. A stray
// quote then costs its own row alone, and a text can be cut at any line break.
package csvscan

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

// Delimiters are tried in this order.
const Delimiters = ",;\t"

// Recognise returns the first delimiter with which the first row of a text has no fault and its
// fields are the names of a header; a comma if there is none.
func Recognise(head []byte, isHeader func(names []string) bool) (delimiter byte) {
	for _, delimiter := range []byte(Delimiters) {
		if s := New(delimiter, head, 1); s.Next() && s.Fault == nil && isHeader(s.Names()) {
			return delimiter
		}
	}
	return Delimiters[0]
}

// A Scanner reads a text row by row.
type Scanner struct {
	Columns int // of each row; 0 for any number

	// The row that Next has read.
	Fields []Field
	Line   int
	Fault  *filepos.Error // what is wrong with it; nil if nothing is

	delimiter byte
	quotes    bool   // the text has any
	rest      []byte // what has not been read
	next      int    // its first line
}

// A Field is a field of a row.
type Field struct {
	Text   []byte
	Column int // in bytes, from 1
}

// New returns a scanner of a text that begins on a line of its file.
func New(delimiter byte, text []byte, line int) Scanner {
	return Scanner{delimiter: delimiter, rest: text, next: line, quotes: bytes.IndexByte(text, '"') >= 0}
}

// Rest returns what has not been read, and its first line.
func (s *Scanner) Rest() (text []byte, line int) { return s.rest, s.next }

// Names returns the fields of the row without spaces around them.
func (s *Scanner) Names() (names []string) {
	for _, field := range s.Fields {
		names = append(names, strings.TrimSpace(string(field.Text)))
	}
	return names
}

// Next reads the next row that is not blank, and reports whether there is one.
func (s *Scanner) Next() bool {
	for len(s.rest) > 0 {
		line := s.rest
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line, s.rest = line[:end], line[end+1:]
		} else {
			s.rest = nil
		}
		if last := len(line) - 1; last >= 0 && line[last] == '\r' {
			line = line[:last]
		}
		s.Line, s.Fields, s.Fault = s.next, s.Fields[:0], nil
		s.next++
		switch {
		case len(line) == 0:
			continue
		case s.quotes && bytes.IndexByte(line, '"') >= 0:
			s.splitQuoted(line)
		default:
			s.split(line)
		}
		s.checkColumns(len(line) + 1)
		return true
	}
	return false
}

// split splits a line without quotes.
func (s *Scanner) split(line []byte) {
	start := 0
	for {
		end := bytes.IndexByte(line[start:], s.delimiter)
		if end < 0 {
			break
		}
		s.Fields = append(s.Fields, Field{line[start : start+end], start + 1})
		start += end + 1
	}
	s.Fields = append(s.Fields, Field{line[start:], start + 1})
}

// checkColumns makes a wrong number of columns the fault of a row that has no other.
func (s *Scanner) checkColumns(end int) {
	if s.Fault != nil || s.Columns == 0 || len(s.Fields) == s.Columns {
		return
	}
	found := fmt.Sprintf("a row of %d columns", len(s.Fields))
	if len(s.Fields) == 1 {
		found = "a row of one column"
	}
	s.fail(end, found, fmt.Sprintf("%d, as in the header", s.Columns))
}

// fail notes what is wrong with the row, if that is the first fault.
func (s *Scanner) fail(column int, found, expected string) {
	if s.Fault == nil { // whoever reports it names the file
		s.Fault = &filepos.Error{Line: s.Line, Column: column, Found: found, Expected: expected}
	}
}

// splitQuoted splits a line that has quotes.
func (s *Scanner) splitQuoted(line []byte) {
	for at := 0; at <= len(line); {
		field := Field{Column: at + 1}
		if at < len(line) && line[at] == '"' {
			field.Text, at = s.quoted(line, at)
		} else {
			field.Text = s.toDelimiter(line[at:])
			if quote := bytes.IndexByte(field.Text, '"'); quote >= 0 {
				s.fail(at+quote+1, `a quote inside a field without quotes`, `"…" around the field, and "" for a quote in it`)
			}
			at += len(field.Text)
		}
		s.Fields = append(s.Fields, field)
		at++ // after the delimiter, or the line
	}
}

// toDelimiter returns what comes before the next delimiter.
func (s *Scanner) toDelimiter(text []byte) []byte {
	if end := bytes.IndexByte(text, s.delimiter); end >= 0 {
		return text[:end]
	}
	return text
}

// quoted returns what stands in the quotes that open at a place, and where the field ends.
func (s *Scanner) quoted(line []byte, at int) (text []byte, end int) {
	text = line[at+1:]
	length := closingQuote(text)
	if length < 0 {
		s.fail(at+1, "a quote that none closes on its line", `a quote at the end of the field, or "" for a quote in it`)
		return text, len(line)
	}
	after := s.toDelimiter(text[length+1:])
	if len(after) > 0 {
		s.fail(at+1, "a field that goes on after its quotes", `"…" around the whole field, and "" for a quote in it`)
	}
	if text = text[:length]; bytes.IndexByte(text, '"') >= 0 {
		text = bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
	}
	return text, at + 1 + length + 1 + len(after)
}

// closingQuote returns the place of the first quote that is not one of a pair,
// −1 if there is none.
func closingQuote(text []byte) int {
	for at := 0; ; at += 2 {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			return -1
		}
		at += quote
		if at+1 >= len(text) || text[at+1] != '"' {
			return at
		}
	}
}
