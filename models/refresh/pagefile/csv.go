package pagefile

import (
	"bytes"
	"fmt"
	"strings"
)

// cutCSV returns the length of the whole rows: up to the last line break outside
// quotes. Only a quote at the beginning of a field opens a quoted part.
func cutCSV(data []byte) int {
	end, at := 0, 0
	for {
		quote := bytes.IndexByte(data[at:], '"')
		plain := data[at:]
		if quote >= 0 {
			plain = data[at : at+quote]
		}
		if line := bytes.LastIndexByte(plain, '\n'); line >= 0 {
			end = at + line + 1
		}
		if quote < 0 {
			return end
		}
		at += quote + 1
		if at > 1 && data[at-2] != ',' && data[at-2] != '\n' {
			continue
		}
		closing := closingQuote(data[at:])
		if closing < 0 {
			return end
		}
		at += closing + 1
	}
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

// A csvHeader says in which column each field is.
type csvHeader struct {
	fields  []int8 // of each column: the field, −1 for none
	columns int
}

// parseHeader takes the first line that is not blank from a block; without one
// it returns no header and no error.
func (l layout) parseHeader(piece block) (*csvHeader, block, error) {
	allowed := "a header with " + l.describe()
	for len(piece.data) > 0 {
		line, rest := cutLine(piece.data)
		if len(line) > 0 {
			break
		}
		piece = block{rest, piece.line + 1}
	}
	if len(piece.data) == 0 {
		return nil, piece, nil
	}
	scanner := csvScanner{data: piece.data, line: piece.line}
	var names []string
	for more := true; more; {
		var name []byte
		var fault *FileError
		if name, _, more, fault = scanner.field(); fault != nil {
			return nil, piece, fault
		}
		names = append(names, strings.TrimSpace(string(name)))
	}
	columns, err := l.choose(names)
	if err != nil {
		return nil, piece, faultAt(piece.line, 1, err.Error(), allowed)
	}
	h := &csvHeader{fields: bytesOf(-1, len(names)), columns: len(names)}
	for i := range l {
		if columns[i] >= 0 {
			h.fields[columns[i]] = int8(i)
		}
	}
	return h, block{scanner.data[scanner.at:], scanner.line}, nil
}

func bytesOf(value int8, n int) []int8 {
	values := make([]int8, n)
	for i := range values {
		values[i] = value
	}
	return values
}

// cutLine splits off the first line, without its line break.
func cutLine(data []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(data, newline)
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// parse hands the rows of a block to a collector.
func (h *csvHeader) parse(piece block, into collector, reject func(*FileError)) {
	if bytes.IndexByte(piece.data, '"') >= 0 {
		h.parseQuoted(piece, into, reject)
		return
	}
	var r record
	data := piece.data
	for r.line = piece.line; len(data) > 0; r.line++ {
		var line []byte
		if end := bytes.IndexByte(data, '\n'); end >= 0 {
			line, data = data[:end], data[end+1:]
		} else {
			line, data = data, nil
		}
		if last := len(line) - 1; last >= 0 && line[last] == '\r' {
			line = line[:last]
		}
		if len(line) == 0 {
			continue
		}
		column, start := 0, 0
		for more := true; more; column++ {
			end := bytes.IndexByte(line[start:], ',')
			if more = end >= 0; more {
				end += start
			} else {
				end = len(line)
			}
			if column < h.columns {
				if field := h.fields[column]; field >= 0 {
					c := &r.cells[field]
					c.kind, c.text, c.column = text, line[start:end], start+1
				}
			}
			start = end + 1
		}
		h.take(&r, column, len(line)+1, into, reject)
	}
}

// take hands a row over, provided it has the right number of columns.
func (h *csvHeader) take(r *record, columns, end int, into collector, reject func(*FileError)) {
	if columns != h.columns {
		reject(faultAt(r.line, end, fmt.Sprintf("a row of %d columns", columns), fmt.Sprintf("%d, as in the header", h.columns)))
	} else if fault := into.take(r); fault != nil {
		reject(fault)
	}
}

// parseQuoted is parse for blocks with quotes.
func (h *csvHeader) parseQuoted(piece block, into collector, reject func(*FileError)) {
	s := csvScanner{data: piece.data, line: piece.line}
	var r record
	for s.at < len(s.data) {
		if blank := s.blankLine(); blank {
			continue
		}
		r = record{line: s.line}
		column, end := 0, 0
		var fault *FileError
		for more := true; more; column++ {
			start := s.column()
			var content []byte
			content, end, more, fault = s.field()
			if fault != nil {
				break
			}
			if column < h.columns {
				if field := h.fields[column]; field >= 0 {
					r.cells[field] = cell{kind: text, text: content, column: start}
				}
			}
		}
		if fault != nil {
			reject(fault)
			s.skipRow()
			continue
		}
		h.take(&r, column, end, into, reject)
	}
}

// A csvScanner takes a text with quotes apart, field by field.
type csvScanner struct {
	data  []byte
	at    int
	line  int64
	start int // where the line begins
}

func (s *csvScanner) column() int { return s.at - s.start + 1 }

// newLine has just passed a line break.
func (s *csvScanner) newLine() {
	s.line++
	s.start = s.at
}

func (s *csvScanner) blankLine() bool {
	for _, blank := range []string{"\n", "\r\n"} {
		if bytes.HasPrefix(s.data[s.at:], []byte(blank)) {
			s.at += len(blank)
			s.newLine()
			return true
		}
	}
	if string(s.data[s.at:]) == "\r" { // at the end of the file
		s.at++
		return true
	}
	return false
}

// skipRow goes on to the next row after a fault, outside quotes, in the way of
// cutCSV: the rows of a file do not depend on where it is cut.
func (s *csvScanner) skipRow() {
	for s.at < len(s.data) {
		length := bytes.IndexAny(s.data[s.at:], "\"\n")
		if length < 0 {
			break
		}
		s.at += length + 1
		if s.data[s.at-1] == '\n' {
			s.newLine()
			return
		}
		if s.at-1 > s.start && s.data[s.at-2] != ',' {
			continue
		}
		closing := closingQuote(s.data[s.at:])
		if closing < 0 {
			break
		}
		s.passQuoted(s.data[s.at : s.at+closing])
	}
	s.at = len(s.data)
}

// passQuoted steps over quoted content, which begins here, and its last quote.
func (s *csvScanner) passQuoted(content []byte) {
	if last := bytes.LastIndexByte(content, '\n'); last >= 0 {
		s.line += int64(bytes.Count(content, newline))
		s.start = s.at + last + 1
	}
	s.at += len(content) + 1
}

// field returns the next field, the column behind it, and whether the row has
// more of them.
func (s *csvScanner) field() (content []byte, end int, more bool, fault *FileError) {
	if s.at < len(s.data) && s.data[s.at] == '"' {
		return s.quotedField()
	}
	rest := s.data[s.at:]
	length := bytes.IndexAny(rest, ",\n")
	if length < 0 {
		length = len(rest)
	}
	content = rest[:length]
	if quote := bytes.IndexByte(content, '"'); quote >= 0 {
		return nil, 0, false, faultAt(s.line, s.column()+quote, `a quote inside a field without quotes`, `"…" around the field, and "" for a quote in it`)
	}
	s.at += length
	if more = s.at < len(s.data) && s.data[s.at] == ','; more {
		s.at++
		return content, s.column(), true, nil
	}
	end = s.column()
	if last := len(content) - 1; last >= 0 && content[last] == '\r' {
		content = content[:last]
		end--
	}
	s.endRow()
	return content, end, false, nil
}

// endRow steps over the line break.
func (s *csvScanner) endRow() {
	if s.at < len(s.data) {
		s.at++
		s.newLine()
	}
}

func (s *csvScanner) quotedField() (content []byte, end int, more bool, fault *FileError) {
	closing := closingQuote(s.data[s.at+1:])
	if closing < 0 {
		fault = faultAt(s.line, s.column(), "a quote without an end", `a quote at the end of the field`)
		s.at = len(s.data)
		return nil, 0, false, fault
	}
	first, firstStart := s.line, s.column()
	content = s.data[s.at+1 : s.at+1+closing]
	s.at++
	s.passQuoted(content)
	if bytes.IndexByte(content, '"') >= 0 {
		content = bytes.ReplaceAll(content, []byte(`""`), []byte(`"`))
	}
	end = s.column()
	rest := s.data[s.at:]
	switch {
	case len(rest) == 0:
	case rest[0] == ',':
		s.at++
		return content, end, true, nil
	case rest[0] == '\n':
		s.endRow()
	case bytes.HasPrefix(rest, []byte("\r\n")) || len(rest) == 1 && rest[0] == '\r':
		s.at++
		s.endRow()
	default:
		return nil, 0, false, faultAt(first, firstStart, "a field that goes on behind its quotes", `"…" around the whole field, and "" for a quote in it`)
	}
	return content, end, false, nil
}
