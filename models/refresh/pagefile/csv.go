package pagefile

// This file reads CSV by RFC 4180: lines end in "\n" or "\r\n", and fields may stand
// in quotes.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// plainParts returns the parts of a text, from a place in it on, that are outside
// quotes. Only a quote at the beginning of a field opens a quoted part.
func plainParts(data []byte, at int) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for start := at; ; {
			quote := bytes.IndexByte(data[at:], '"')
			if quote < 0 {
				yield(start, len(data))
				return
			}
			at += quote + 1
			if at > 1 && data[at-2] != ',' && data[at-2] != '\n' {
				continue
			}
			closing := closingQuote(data[at:])
			if !yield(start, at-1) || closing < 0 {
				return
			}
			at += closing + 1
			start = at
		}
	}
}

// cutCSV returns the length of the whole rows: up to the last line break outside
// quotes.
func cutCSV(data []byte) (length int) {
	for start, end := range plainParts(data, 0) {
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
	fields []int8 // by column; −1 for none
}

// readHeader reads the first row that is not blank. It also returns what follows it
// in its piece of the text.
func (l layout) readHeader(text *cutter) (*csvHeader, piece, error) {
	expected := "a header with " + l.describe()
	for {
		p, err := text.next()
		if errors.Is(err, io.EOF) {
			return nil, p, faultAt(1, 1, "an empty file", expected)
		}
		if err != nil {
			return nil, p, err
		}
		s := csvScanner{data: p.data, line: p.line}
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
			h := &csvHeader{fields: slices.Repeat([]int8{-1}, len(names))}
			for i := range l {
				if columns[i] >= 0 {
					h.fields[columns[i]] = int8(i)
				}
			}
			return h, piece{s.data[s.at:], s.line}, nil
		}
	}
}

// parse adds the rows of a piece to a block.
func (h *csvHeader) parse(p piece, into *block) {
	quotes := bytes.IndexByte(p.data, '"') >= 0
	s := csvScanner{data: p.data, line: p.line}
	var r record
	for s.at < len(s.data) {
		r.line = s.line
		line, length := s.peekLine()
		var columns, end int
		switch {
		case quotes && bytes.IndexByte(line, '"') >= 0:
			var fault *FileError
			if columns, end, fault = h.quotedRow(&s, &r); fault != nil {
				into.reject(fault)
				s.skipRow()
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
		end := bytes.IndexByte(line[start:], ',')
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
	data  []byte
	at    int
	line  int
	start int // where the line begins
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

// skipRow goes on to the next row after a fault. It sees quotes as cutCSV does, so
// that the rows of a file do not depend on where it is cut.
func (s *csvScanner) skipRow() {
	for start, end := range plainParts(s.data, s.at) {
		if line := bytes.IndexByte(s.data[start:end], '\n'); line >= 0 {
			s.line += bytes.Count(s.data[s.at:start+line+1], newline)
			s.at = start + line + 1
			s.start = s.at
			return
		}
	}
	s.at = len(s.data)
}

// field reads a field. It returns the content, the column behind it, and whether the
// row has more fields.
func (s *csvScanner) field() (content []byte, end int, more bool, fault *FileError) {
	if s.at < len(s.data) && s.data[s.at] == '"' {
		return s.quotedField()
	}
	content, length := s.peekLine()
	if comma := bytes.IndexByte(content, ','); comma >= 0 {
		content, more = content[:comma], true
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
	if closing < 0 {
		fault = faultAt(s.line, s.column(), "a quote without an end", `a quote at the end of the field`)
		s.at = len(s.data)
		return nil, 0, false, fault
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
	case rest[0] == ',':
		s.at++
		more = true
	default:
		fault = faultAt(line, column, "a field that goes on behind its quotes", `"…" around the whole field, and "" for a quote in it`)
	}
	return content, end, more, fault
}
