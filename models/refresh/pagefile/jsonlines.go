package pagefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// parseJSONLines hands the objects of a block, one on each line, to a collector.
func (l layout) parseJSONLines(piece block, into collector, reject func(*FileError)) {
	data := piece.data
	var r record
	for line := piece.line; len(data) > 0; line++ {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			end = len(data)
		}
		object := data[:end]
		data = data[min(end+1, len(data)):]
		s := jsonScanner{data: object, line: line}
		if s.skipSpace(); s.at == len(object) {
			continue
		}
		r = record{line: line}
		fault := s.object(l, &r)
		if fault == nil {
			fault = into.take(&r)
		}
		if fault != nil {
			reject(fault)
		}
	}
}

// A jsonScanner takes one line apart.
type jsonScanner struct {
	data []byte
	at   int
	line int64
}

func (s *jsonScanner) skipSpace() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\t' || s.data[s.at] == '\r') {
		s.at++
	}
}

// unexpected returns a fault where the scanner is.
func (s *jsonScanner) unexpected(allowed string) *FileError {
	found := "the end of the line"
	if s.at < len(s.data) {
		found = quoted(s.data[s.at : s.at+1])
	}
	return faultAt(s.line, s.at+1, found, allowed)
}

// expect steps over one character.
func (s *jsonScanner) expect(c byte) *FileError {
	s.skipSpace()
	if s.at >= len(s.data) || s.data[s.at] != c {
		return s.unexpected(quoted([]byte{c}))
	}
	s.at++
	return nil
}

// object reads the object of the line into a record.
func (s *jsonScanner) object(l layout, r *record) *FileError {
	if fault := s.expect('{'); fault != nil {
		fault.Allowed = "an object with " + l.describe()
		return fault
	}
	var seen [maxFields]int // number of the name taken + 1
	s.skipSpace()
	if s.at < len(s.data) && s.data[s.at] == '}' {
		s.at++
		return s.end()
	}
	for {
		s.skipSpace()
		start := s.at
		name, fault := s.string()
		if fault != nil {
			return fault
		}
		if fault := s.expect(':'); fault != nil {
			return fault
		}
		s.skipSpace()
		c := cell{column: s.at + 1}
		if fault := s.value(&c); fault != nil {
			return fault
		}
		if fault := l.place(r, &seen, name, c, start); fault != nil {
			return fault
		}
		s.skipSpace()
		if s.at < len(s.data) && s.data[s.at] == ',' {
			s.at++
			continue
		}
		if fault := s.expect('}'); fault != nil {
			fault.Allowed = `"," or "}"`
			return fault
		}
		return s.end()
	}
}

// place puts a cell into the fields that its name fits.
func (l layout) place(r *record, seen *[maxFields]int, name []byte, c cell, start int) *FileError {
	for i := range l {
		for choice, own := range l[i].names {
			if string(name) != own {
				continue
			}
			switch {
			case seen[i] == 0 || choice+1 < seen[i]:
				seen[i] = choice + 1
				r.cells[i] = c
			case choice+1 == seen[i]:
				return faultAt(r.line, start+1, fmt.Sprintf("%q twice", own), "once")
			}
		}
	}
	return nil
}

// end makes sure that nothing follows.
func (s *jsonScanner) end() *FileError {
	if s.skipSpace(); s.at < len(s.data) {
		return s.unexpected("one object on each line")
	}
	return nil
}

// string reads a string and undoes its escapes.
func (s *jsonScanner) string() ([]byte, *FileError) {
	if s.at >= len(s.data) || s.data[s.at] != '"' {
		return nil, s.unexpected("a string")
	}
	start := s.at
	escaped := false
	for s.at++; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case c == '"':
			s.at++
			if !escaped {
				return s.data[start+1 : s.at-1], nil
			}
			return s.unescape(start)
		case c == '\\':
			escaped = true
			s.at++
		case c < ' ':
			return nil, s.unexpected("a string without control characters")
		}
	}
	s.at = min(s.at, len(s.data))
	return nil, s.unexpected(`a quote at the end of the string`)
}

// unescape leaves the rare strings with escapes to the standard library, which
// puts U+FFFD for halves of surrogate pairs: those name no page.
func (s *jsonScanner) unescape(start int) ([]byte, *FileError) {
	var content string
	raw := s.data[start:s.at]
	if json.Unmarshal(raw, &content) != nil || strings.ContainsRune(content, '\uFFFD') {
		return nil, faultAt(s.line, start+1, quoted(raw), "a string with the escapes of JSON")
	}
	return []byte(content), nil
}

// value reads any value.
func (s *jsonScanner) value(c *cell) (fault *FileError) {
	if s.at >= len(s.data) {
		return s.unexpected("a value")
	}
	start := s.at
	switch s.data[s.at] {
	case '"':
		c.kind = text
		c.text, fault = s.string()
		return fault
	case '{', '[':
		c.kind = other
		fault = s.skipNested()
	default:
		for s.at < len(s.data) && !endsWord(s.data[s.at]) {
			s.at++
		}
		c.kind = wordKind(s.data[start:s.at])
		if c.kind == other {
			found := s.data[start:s.at]
			s.at = start
			if fault = s.unexpected("a value of JSON"); len(found) > 0 {
				fault.Found = quoted(found)
			}
		}
	}
	c.text = s.data[start:s.at]
	return fault
}

func endsWord(c byte) bool {
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\r'
}

func wordKind(word []byte) cellKind {
	switch string(word) {
	case "null":
		return missing
	case "true", "false":
		return boolean
	}
	if isJSONNumber(word) {
		return digits
	}
	return other
}

// isJSONNumber: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func isJSONNumber(word []byte) bool {
	word = bytes.TrimPrefix(word, []byte("-"))
	whole := countDigits(word)
	if whole == 0 || whole > 1 && word[0] == '0' {
		return false
	}
	word = word[whole:]
	if len(word) > 0 && word[0] == '.' {
		fraction := countDigits(word[1:])
		if fraction == 0 {
			return false
		}
		word = word[1+fraction:]
	}
	if len(word) == 0 {
		return true
	}
	if word[0] != 'e' && word[0] != 'E' {
		return false
	}
	word = word[1:]
	if len(word) > 0 && (word[0] == '+' || word[0] == '-') {
		word = word[1:]
	}
	return len(word) > 0 && countDigits(word) == len(word)
}

func countDigits(word []byte) int {
	for i, c := range word {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(word)
}

// skipNested steps over an object or a list that is not read.
func (s *jsonScanner) skipNested() *FileError {
	start, depth, quotes := s.at, 0, false
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case quotes && c == '\\':
			s.at++
		case c == '"':
			quotes = !quotes
		case quotes:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				s.at++
				if !json.Valid(s.data[start:s.at]) {
					return faultAt(s.line, start+1, quoted(s.data[start:s.at]), "a value of JSON")
				}
				return nil
			}
		}
	}
	s.at = len(s.data)
	return s.unexpected("the end of an object or a list")
}
