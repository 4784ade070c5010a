package pagefile

// This file reads CSV by RFC 4180: lines end in "\n" or "\r\n", and fields may stand
// in quotes. Between them may be commas, semicolons or tabs.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// A dialect is how a CSV file sets fields apart.
type dialect struct {
	delimiter byte
	lines     int // a field in quotes may span
}

// delimiters are tried in this order.
const delimiters = ",;\t"

// plainParts returns the parts of a text, from a place in it on, that are outside
// quotes. Only a quote at the beginning of a field opens a quoted part. One without
// its closing quote in the lines that a field may span, or in the text, is the last: its
// place and −1 are returned.
func (d dialect) plainParts(data []byte, at int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start := at; ; {
			quote := bytes.IndexByte(data[at:], '"')
			if quote < 0 {
				yield(start, len(data))
				return
			}
			at += quote + 1
			if at > 1 && data[at-2] != d.delimiter && data[at-2] != '\n' {
				continue
			}
			if !yield(start, at-1) {
				return
			}
			closing := closingQuote(data[at:])
			if closing < 0 || d.isLong(data[at:at+closing]) {
				yield(at-1, -1)
				return
			}
			at += closing + 1
			start = at
		}
	}
}

// isLong reports whether a quoted part has more lines than a field may span.
func (d dialect) isLong(quoted []byte) bool {
	return len(quoted) >= d.lines && bytes.Count(quoted, newline) >= d.lines
}

// cut returns the length of the whole rows: up to the last line break outside quotes.
// Where a field has too many lines, whoever parses the text finds the fault.
func (d dialect) cut(data []byte) (length int) {
	for start, end := range d.plainParts(data, 0) {
		if end < 0 {
			if d.isLong(data[start+1:]) {
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

// A csvHeader says which field each column holds.
type csvHeader struct {
	dialect
	fields []int8 // by column; −1 for none
}

// readHeader reads the first row that is not blank. It also returns what follows it
// in its piece of the text.
func (l layout) readHeader(text *cutter, d dialect) (*csvHeader, piece, error) {
	expected := "a header with " + l.describe()
	for {
		p, err := text.next()
		if errors.Is(err, io.EOF) {
			return nil, p, faultAt(1, 1, "an empty file", expected)
		}
		if err != nil {
			return nil, p, err
		}
		s := csvScanner{dialect: d, data: p.data, line: p.line}
		for s.at < len(s.data) {
			line := s.line
			content, length := s.peekLine()
			if len(content) == 0 {
				s.passLine(length)
				continue
			}
			names, fault := s.names()
			if fault != nil {
				return nil, p, fault
			}
			columns, err := l.choose(names)
			if err != nil {
				return nil, p, faultAt(line, 1, err.Error(), expected)
			}
			h := &csvHeader{d, slices.Repeat([]int8{-1}, len(names))}
			for i := range l {
				if columns[i] >= 0 {
					h.fields[columns[i]] = int8(i)
				}
			}
			return h, piece{s.data[s.at:], s.line}, nil
		}
	}
}

// dialect returns how a text sets fields apart: such that its first line names the
// columns that are needed, or else by commas.
func (l layout) dialect(head []byte, lines int) dialect {
	head = bytes.TrimLeft(head, "\r\n")
	for _, delimiter := range []byte(delimiters) {
		d := dialect{delimiter, lines}
		s := csvScanner{dialect: d, data: head}
		if names, fault := s.names(); fault == nil {
			if _, err := l.choose(names); err == nil {
				return d
			}
		}
	}
	return dialect{delimiters[0], lines}
}

// parse adds the rows of a piece to a block.
func (h *csvHeader) parse(p piece, into *block) {
	quotes := bytes.IndexByte(p.data, '"') >= 0
	s := csvScanner{dialect: h.dialect, data: p.data, line: p.line}
	var r record
	for s.at < len(s.data) {
		r.line = s.line
		line, length := s.peekLine()
		var columns, end int
		switch {
		case quotes && bytes.IndexByte(line, '"') >= 0:
			var fault *FileError
			if columns, end, fault = h.quotedRow(&s, &r); fault != nil {
				if s.lost == nil {
					into.reject(fault)
					s.skipRow()
				}
				if s.lost != nil {
					into.end(s.lost)
				}
				continue
			}
		case len(line) == 0:
			s.passLine(length)
			continue
		default:
			columns, end = h.plainRow(line, &r), len(line)+1
			s.passLine(length)
		}
		if columns == len(h.fields) {
			into.add(&r)
		} else {
			into.reject(faultAt(r.line, end, fmt.Sprintf("a row of %d columns", columns), fmt.Sprintf("%d, as in the header", len(h.fields))))
		}
	}
}

// plainRow splits a line without quotes, and returns its number of columns.
func (h *csvHeader) plainRow(line []byte, r *record) (columns int) {
	start := 0
	for more := true; more; columns++ {
		end := bytes.IndexByte(line[start:], h.delimiter)
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
// and the column of the text behind it.
func (h *csvHeader) quotedRow(s *csvScanner, r *record) (columns, end int, fault *FileError) {
	for more := true; more; columns++ {
		start := s.column()
		var content []byte
		if content, end, more, fault = s.field(); fault != nil {
			return columns, end, fault
		}
		h.set(r, columns, content, start)
	}
	return columns, end, nil
}

// set keeps the content of a column if it holds a field.
func (h *csvHeader) set(r *record, column int, content []byte, start int) {
	if column < len(h.fields) && h.fields[column] >= 0 {
		c := &r.cells[h.fields[column]]
		c.kind, c.text, c.column = text, content, start
	}
}

// A csvScanner reads a text field by field.
type csvScanner struct {
	dialect
	data  []byte
	at    int
	line  int
	start int        // where the line begins
	lost  *FileError // the quote behind which no rows can be told apart
}

// column returns the column of the next byte, from 1.
func (s *csvScanner) column() int { return s.at - s.start + 1 }

// peekLine returns the rest of the line without the line break, and its length with
// it.
func (s *csvScanner) peekLine() (line []byte, length int) {
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
func (s *csvScanner) passLine(length int) {
	s.at += length
	s.line++
	s.start = s.at
}

// names reads a row of names.
func (s *csvScanner) names() (names []string, fault *FileError) {
	for more := true; more; {
		var name []byte
		if name, _, more, fault = s.field(); fault != nil {
			return nil, fault
		}
		names = append(names, strings.TrimSpace(string(name)))
	}
	return names, nil
}

// skipRow goes on to the next row after a fault. It sees quotes as cut does, so
// that the rows of a file do not depend on where it is cut.
func (s *csvScanner) skipRow() {
	for start, end := range s.plainParts(s.data, s.at) {
		if end < 0 {
			_ = s.loseQuote(start) // reported as s.lost
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

// loseQuote notes the fault of a quote in the rest of the text that has no end, or none in
// the lines that a field may span, and gives the rest up.
func (s *csvScanner) loseQuote(at int) *FileError {
	before := s.data[s.at:at]
	line, start := s.line+bytes.Count(before, newline), s.start
	if last := bytes.LastIndexByte(before, '\n'); last >= 0 {
		start = s.at + last + 1
	}
	found := "a quote without an end"
	if s.isLong(s.data[at+1:]) {
		found = fmt.Sprintf("a quote that none closes within %d lines", s.lines)
	}
	s.lost = faultAt(line, at-start+1, found, `a quote at the end of the field, or "" for a quote in it`)
	s.at = len(s.data)
	return s.lost
}

// field reads a field. It returns the content, the column behind it, and whether the
// row has more fields.
func (s *csvScanner) field() (content []byte, end int, more bool, fault *FileError) {
	if s.at < len(s.data) && s.data[s.at] == '"' {
		return s.quotedField()
	}
	content, length := s.peekLine()
	if end := bytes.IndexByte(content, s.delimiter); end >= 0 {
		content, more = content[:end], true
	}
	if quote := bytes.IndexByte(content, '"'); quote >= 0 {
		return nil, 0, false, faultAt(s.line, s.column()+quote, `a quote inside a field without quotes`, `"…" around the field, and "" for a quote in it`)
	}
	end = s.column() + len(content)
	if more {
		s.at += len(content) + 1
		end++
	} else {
		s.passLine(length)
	}
	return content, end, more, nil
}

// quotedField reads a field that begins with a quote.
func (s *csvScanner) quotedField() (content []byte, end int, more bool, fault *FileError) {
	closing := closingQuote(s.data[s.at+1:])
	if closing < 0 || s.isLong(s.data[s.at+1:s.at+1+closing]) {
		return nil, 0, false, s.loseQuote(s.at)
	}
	line, column := s.line, s.column()
	content = s.data[s.at+1 : s.at+1+closing]
	if last := bytes.LastIndexByte(content, '\n'); last >= 0 {
		s.line += bytes.Count(content, newline)
		s.start = s.at + 1 + last + 1
	}
	s.at += len(content) + 2
	if bytes.IndexByte(content, '"') >= 0 {
		content = bytes.ReplaceAll(content, []byte(`""`), []byte(`"`))
	}
	end = s.column()
	switch rest, length := s.peekLine(); {
	case len(rest) == 0:
		s.passLine(length)
	case rest[0] == s.delimiter:
		s.at++
		more = true
	default:
		fault = faultAt(line, column, "a field that goes on behind its quotes", `"…" around the whole field, and "" for a quote in it`)
	}
	return content, end, more, fault
}
