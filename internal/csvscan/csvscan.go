// Package csvscan reads CSV field by field, and knows line and column of each, so that
// errors can name the place.
//
// It takes RFC 4180: lines end in "\n" or "\r\n", and fields may stand in quotes. Between
// them may be commas, semicolons or tabs.
package csvscan

import (
	"bytes"
	"fmt"
	"iter"
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

// Recognise returns what separates the fields of a text: such that its first line has names which
// are those of a header, or else by commas.
func Recognise(head []byte, lines int, isHeader func(names []string) bool) Dialect {
	head = bytes.TrimLeft(head, "\r\n")
	for _, delimiter := range []byte(Delimiters) {
		d := Dialect{delimiter, lines}
		s := New(d, head, 1)
		if names, fault := s.Names(); fault == nil && isHeader(names) {
			return d
		}
	}
	return Dialect{Delimiters[0], lines}
}

// plainParts returns the parts of a text, from a place in it on, that are outside
// quotes. Only a quote at the beginning of a field opens a quoted part. The last part may
// be a quote that is not closed, or not as it should be: its place and −1 are returned.
func (d Dialect) plainParts(data []byte, at int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start := at; ; {
			quote := bytes.IndexByte(data[at:], '"')
			if quote < 0 {
				yield(start, len(data))
				return
			}
			at += quote + 1
			if at > 1 && data[at-2] != d.Delimiter && data[at-2] != '\n' {
				continue
			}
			if !yield(start, at-1) {
				return
			}
			length, lost := d.quoted(data[at:])
			if length < 0 || lost != "" {
				yield(at-1, -1)
				return
			}
			at += length + 1
			start = at
		}
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

// Cut returns the length of the whole rows: up to the last line break outside quotes.
// Where rows cannot be told apart, whoever scans the text finds the fault.
func (d Dialect) Cut(data []byte) (length int) {
	for start, end := range d.plainParts(data, 0) {
		if end < 0 {
			if _, lost := d.quoted(data[start+1:]); lost != "" {
				return len(data)
			}
			break
		}
		if line := bytes.LastIndexByte(data[start:end], '\n'); line >= 0 {
			length = start + line + 1
		}
	}
	return length
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

// A Scanner reads a text field by field.
type Scanner struct {
	Dialect
	data  []byte
	at    int
	line  int
	start int // where the line begins
	lost  *filepos.Error
}

const quoteExpected = `a quote at the end of the field, or "" for a quote in it`

// New returns a scanner of a text that begins on a line of its file.
func New(d Dialect, data []byte, line int) Scanner {
	return Scanner{Dialect: d, data: data, line: line}
}

// Rest returns what has not been read.
func (s *Scanner) Rest() []byte { return s.data[s.at:] }

// Line returns the line of the next byte.
func (s *Scanner) Line() int { return s.line }

// Lost returns what is wrong with a quote behind which rows cannot be told apart, so that
// nothing is left to be read; nil if there is none.
func (s *Scanner) Lost() *filepos.Error { return s.lost }

// Column returns the column of the next byte, from 1.
func (s *Scanner) Column() int { return s.at - s.start + 1 }

// PeekLine returns the rest of the line without the line break, and its length with
// it.
func (s *Scanner) PeekLine() (line []byte, length int) {
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

// PassLine steps over the rest of the line.
func (s *Scanner) PassLine(length int) {
	s.at += length
	s.line++
	s.start = s.at
}

// Names reads a row of names.
func (s *Scanner) Names() (names []string, fault *filepos.Error) {
	for more := true; more; {
		var name []byte
		if name, _, more, fault = s.Field(); fault != nil {
			return nil, fault
		}
		names = append(names, strings.TrimSpace(string(name)))
	}
	return names, nil
}

// SkipRow goes on to the next row after a fault. It sees quotes as Cut does, so
// that the rows of a file do not depend on where it is cut.
func (s *Scanner) SkipRow() {
	for start, end := range s.plainParts(s.data, s.at) {
		if end < 0 {
			_, lost := s.quoted(s.data[start+1:])
			_ = s.loseQuote(start, lost) // see Lost
			return
		}
		if line := bytes.IndexByte(s.data[start:end], '\n'); line >= 0 {
			s.line += bytes.Count(s.data[s.at:start+line+1], newline)
			s.at = start + line + 1
			s.start = s.at
			return
		}
	}
	s.at = len(s.data)
}

// loseQuote notes the fault of a quote in the rest of the text, behind which rows cannot be
// told apart, and gives the rest up.
func (s *Scanner) loseQuote(at int, found string) *filepos.Error {
	before := s.data[s.at:at]
	line, start := s.line+bytes.Count(before, newline), s.start
	if last := bytes.LastIndexByte(before, '\n'); last >= 0 {
		start = s.at + last + 1
	}
	if found == "" {
		found = "a quote without an end"
	}
	s.lost = faultAt(line, at-start+1, found, quoteExpected)
	s.at = len(s.data)
	return s.lost
}

// TakenIn returns the fault of a field of several lines in a row that cannot be used: a quote
// that is one too many takes in the rows up to the next.
func TakenIn(line, column int) *filepos.Error {
	return faultAt(line, column, "a field of several lines, and a fault in its row behind it", quoteExpected)
}

// Field reads a field. It returns the content, the column behind it, and whether the
// row has more fields.
func (s *Scanner) Field() (content []byte, end int, more bool, fault *filepos.Error) {
	if s.at < len(s.data) && s.data[s.at] == '"' {
		return s.quotedField()
	}
	content, length := s.PeekLine()
	if end := bytes.IndexByte(content, s.Delimiter); end >= 0 {
		content, more = content[:end], true
	}
	if quote := bytes.IndexByte(content, '"'); quote >= 0 {
		return nil, 0, false, faultAt(s.line, s.Column()+quote, `a quote inside a field without quotes`, `"…" around the field, and "" for a quote in it`)
	}
	end = s.Column() + len(content)
	if more {
		s.at += len(content) + 1
		end++
	} else {
		s.PassLine(length)
	}
	return content, end, more, nil
}

// quotedField reads a field that begins with a quote.
func (s *Scanner) quotedField() (content []byte, end int, more bool, fault *filepos.Error) {
	length, lost := s.quoted(s.data[s.at+1:])
	if length < 0 || lost != "" {
		return nil, 0, false, s.loseQuote(s.at, lost)
	}
	line, column := s.line, s.Column()
	content = s.data[s.at+1 : s.at+1+length]
	if last := bytes.LastIndexByte(content, '\n'); last >= 0 {
		s.line += bytes.Count(content, newline)
		s.start = s.at + 1 + last + 1
	}
	s.at += len(content) + 2
	if bytes.IndexByte(content, '"') >= 0 {
		content = bytes.ReplaceAll(content, []byte(`""`), []byte(`"`))
	}
	end = s.Column()
	switch rest, length := s.PeekLine(); {
	case len(rest) == 0:
		s.PassLine(length)
	case rest[0] == s.Delimiter:
		s.at++
		more = true
	default:
		fault = faultAt(line, column, "a field that goes on behind its quotes", `"…" around the whole field, and "" for a quote in it`)
	}
	return content, end, more, fault
}

var newline = []byte("\n")

// faultAt returns a fault whose file is named where it is reported.
func faultAt(line, column int, found, expected string) *filepos.Error {
	return &filepos.Error{Line: line, Column: column, Found: found, Expected: expected}
}
