// Package csvscan reads CSV row by row, and knows line and column of each field, so that
// errors can name the place.
//
// It takes RFC 4180: lines end in "\n" or "\r\n", and fields may stand in quotes. Between
// them may be commas, semicolons or tabs.
package csvscan

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

// A Dialect is what separates the fields of a CSV file.
type Dialect struct {
	Delimiter byte
	Lines     int // a field in quotes may span
}

// Delimiters are tried in this order.
const Delimiters = ",;\t"

// Recognise returns what separates the fields of a text: such that its first row has names which
// are those of a header, or else by commas.
func Recognise(head []byte, lines int, isHeader func(names []string) bool) Dialect {
	for _, delimiter := range []byte(Delimiters) {
		d := Dialect{delimiter, lines}
		if s := New(d, head, 1); s.Next() && s.Fault == nil && isHeader(s.Names()) {
			return d
		}
	}
	return Dialect{Delimiters[0], lines}
}

// Cut returns the length of the whole rows: up to the last line break outside quotes.
// Where rows cannot be told apart, whoever scans the text finds the fault.
func (d Dialect) Cut(data []byte) (length int) {
	for at := 0; ; {
		quote := d.openingQuote(data, at)
		if line := bytes.LastIndexByte(data[at:quote], '\n'); line >= 0 {
			length = at + line + 1
		}
		if quote == len(data) {
			return length
		}
		end, lost := d.quoted(data[quote+1:])
		switch {
		case lost != "":
			return len(data)
		case end < 0:
			return length
		}
		at = quote + 1 + end + 1
	}
}

// openingQuote returns the place of the next quote at the beginning of a field, which alone
// opens a quoted part; the length of the text if there is none.
func (d Dialect) openingQuote(data []byte, at int) int {
	for {
		quote := bytes.IndexByte(data[at:], '"')
		if quote < 0 {
			return len(data)
		}
		at += quote
		if at == 0 || data[at-1] == d.Delimiter || data[at-1] == '\n' {
			return at
		}
		at++
	}
}

// quoted returns the length of what stands between a quote, behind which data begins, and
// the one that closes it; −1 if there is none. lost, where it is not "", says of the quote
// why the rows behind it cannot be told apart.
func (d Dialect) quoted(data []byte) (length int, lost string) {
	length = closingQuote(data)
	content := data[:max(length, 0)]
	if length < 0 {
		content = data
	}
	if len(content) >= d.Lines && bytes.Count(content, newline) >= d.Lines {
		if d.Lines == 1 {
			return length, "a quote that none closes on its line"
		}
		return length, fmt.Sprintf("a quote that none closes within %d lines", d.Lines)
	}
	if length < 0 {
		return length, ""
	}
	behind := bytes.TrimPrefix(data[length+1:], []byte("\r"))
	if len(behind) > 0 && behind[0] != d.Delimiter && behind[0] != '\n' && bytes.Contains(content, newline) {
		return length, "a quote whose next one, on another line, does not end a field"
	}
	return length, ""
}

// closingQuote returns the place of the first quote that is not one of a pair,
// −1 if there is none.
func closingQuote(data []byte) int {
	at := 0
	for {
		quote := bytes.IndexByte(data[at:], '"')
		if quote < 0 {
			return -1
		}
		at += quote
		if at+1 >= len(data) || data[at+1] != '"' {
			return at
		}
		at += 2
	}
}

// A Scanner reads a text row by row.
type Scanner struct {
	Dialect
	Columns int // of each row; 0 for any number

	// The row that Next has read.
	Fields []Field
	Line   int            // of its first byte
	Fault  *filepos.Error // what is wrong with it; nil if nothing is
	Lost   bool           // the rows behind Fault cannot be told apart: there is no next

	data   []byte
	quotes bool // data has any
	at     int
	line   int // of the next byte
	start  int // where that line begins
}

// A Field is a field of a row.
type Field struct {
	Text   []byte
	Column int // in bytes, from 1, of the line where it begins
}

const quoteExpected = `a quote at the end of the field, or "" for a quote in it`

// New returns a scanner of a text that begins on a line of its file.
func New(d Dialect, data []byte, line int) Scanner {
	return Scanner{Dialect: d, data: data, line: line, quotes: bytes.IndexByte(data, '"') >= 0}
}

// Rest returns what has not been read, and its first line.
func (s *Scanner) Rest() (data []byte, line int) { return s.data[s.at:], s.line }

// Names returns the fields of the row without spaces around them.
func (s *Scanner) Names() (names []string) {
	for _, field := range s.Fields {
		names = append(names, strings.TrimSpace(string(field.Text)))
	}
	return names
}

// Next reads the next row that is not blank, and reports whether there is one.
func (s *Scanner) Next() bool {
	for s.at < len(s.data) {
		line, length := s.peekLine()
		if len(line) == 0 {
			s.passLine(length)
			continue
		}
		s.Fields, s.Line, s.Fault = s.Fields[:0], s.line, nil
		if s.quotes && bytes.IndexByte(line, '"') >= 0 {
			s.quotedRow()
		} else {
			s.plainRow(line)
			s.passLine(length)
		}
		return true
	}
	return false
}

// peekLine returns the rest of the line without the line break, and its length with
// it.
func (s *Scanner) peekLine() (line []byte, length int) {
	line = s.data[s.at:]
	length = len(line)
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line, length = line[:end], end+1
	}
	if last := len(line) - 1; last >= 0 && line[last] == '\r' {
		line = line[:last]
	}
	return line, length
}

// passLine steps over the rest of the line.
func (s *Scanner) passLine(length int) {
	s.at += length
	s.line++
	s.start = s.at
}

// column returns the column of the next byte, from 1.
func (s *Scanner) column() int { return s.at - s.start + 1 }

// plainRow splits a line without quotes.
func (s *Scanner) plainRow(line []byte) {
	start := 0
	for {
		end := bytes.IndexByte(line[start:], s.Delimiter)
		if end < 0 {
			break
		}
		s.Fields = append(s.Fields, Field{line[start : start+end], start + 1})
		start += end + 1
	}
	s.Fields = append(s.Fields, Field{line[start:], start + 1})
	s.checkColumns(len(line) + 1)
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
	s.Fault = faultAt(s.Line, end, found, fmt.Sprintf("%d, as in the header", s.Columns))
}

// quotedRow reads a row that has quotes. A field of several lines in a row with a fault is
// taken for a quote that is one too many, and takes in the rows up to the next.
func (s *Scanner) quotedRow() {
	long := 0 // column of the first field of several lines
	for more := true; more; {
		field := Field{Column: s.column()}
		var fault *filepos.Error
		if field.Text, fault = s.field(); s.Fault == nil || s.Lost {
			s.Fault = fault
		}
		if s.Lost {
			s.at = len(s.data)
			return
		}
		if long == 0 && bytes.IndexByte(field.Text, '\n') >= 0 {
			long = field.Column
		}
		s.Fields = append(s.Fields, field)
		if more = s.at < len(s.data) && s.data[s.at] == s.Delimiter; more {
			s.at++
		}
	}
	s.checkColumns(s.column())
	_, length := s.peekLine()
	s.passLine(length)
	if s.Fault != nil && long > 0 {
		s.Fault, s.Lost = faultAt(s.Line, long, "a field of several lines, and a fault in its row", quoteExpected), true
		s.at = len(s.data)
	}
}

// field reads a field, up to what separates it from the next.
func (s *Scanner) field() (text []byte, fault *filepos.Error) {
	line, column := s.line, s.column()
	quoted := s.at < len(s.data) && s.data[s.at] == '"'
	if quoted {
		length, lost := s.quoted(s.data[s.at+1:])
		if length < 0 && lost == "" {
			lost = "a quote without an end"
		}
		if s.Lost = lost != ""; s.Lost {
			return nil, faultAt(line, column, lost, quoteExpected)
		}
		text = s.data[s.at+1 : s.at+1+length]
		if last := bytes.LastIndexByte(text, '\n'); last >= 0 {
			s.line += bytes.Count(text, newline)
			s.start = s.at + 1 + last + 1
		}
		s.at += length + 2
		if bytes.IndexByte(text, '"') >= 0 {
			text = bytes.ReplaceAll(text, []byte(`""`), []byte(`"`))
		}
	}
	rest, _ := s.peekLine() // all of the field, or what is behind its quotes
	if end := bytes.IndexByte(rest, s.Delimiter); end >= 0 {
		rest = rest[:end]
	}
	s.at += len(rest)
	if !quoted {
		if quote := bytes.IndexByte(rest, '"'); quote >= 0 {
			fault = faultAt(line, column+quote, `a quote inside a field without quotes`, `"…" around the field, and "" for a quote in it`)
		}
		return rest, fault
	}
	if len(rest) > 0 {
		fault = faultAt(line, column, "a field that goes on behind its quotes", `"…" around the whole field, and "" for a quote in it`)
	}
	return text, fault
}

var newline = []byte("\n")

// faultAt returns a fault whose file is named where it is reported.
func faultAt(line, column int, found, expected string) *filepos.Error {
	return &filepos.Error{Line: line, Column: column, Found: found, Expected: expected}
}
