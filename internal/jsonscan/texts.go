// This file reads texts and their escapes, and writes them.

package jsonscan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// special marks the bytes that end a text or need decoding.
var special = func() (table [256]bool) {
	for c := range table {
		table[c] = c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf
	}
	return table
}()

// Text reads a text, which is valid until the scanner reads on.
func (s *Scanner) Text(expected string) ([]byte, error) {
	if s.Peek() != '"' {
		return nil, s.Unexpected(expected)
	}
	s.token = s.here()
	s.at++
	text, begin, wide, escaped := s.copied[:0], s.at, false, false // what is read: text, then data[begin:at]
	for {
		rest := s.data[s.at:]
		plain := 0
		for plain < len(rest) && !special[rest[plain]] {
			plain++
		}
		s.at += plain
		if s.at == len(s.data) {
			text = append(text, s.data[begin:]...)
			if len(text) > maxText {
				return nil, s.Fail(fmt.Sprintf("a text of more than %d bytes", maxText), "a shorter one")
			}
			if !s.more() {
				return nil, s.Unexpected("a quotation mark at the end of a text")
			}
			begin = s.at
			continue
		}
		switch c := s.data[s.at]; {
		case c >= utf8.RuneSelf:
			wide = true
			s.at++
		case c == '\\': // and the next byte, even a quotation mark
			escaped = true
			s.at++
			text = append(text, s.data[begin:s.at]...)
			more := s.more()
			if begin = s.at; more {
				s.at++
			}
		case c == '"':
			part := s.data[begin:s.at]
			s.at++
			if len(text) > 0 {
				text = append(text, part...)
				s.copied, part = text, text
			}
			if (wide || escaped) && !utf8.Valid(part) {
				return nil, s.Fail(wording.Quote(string(part)), "a text in UTF-8")
			}
			if escaped {
				return s.unescape(part)
			}
			return part, nil
		default:
			return nil, s.FailAt(s.here(), "a control character in a text", `\n, \t or \u001f`)
		}
	}
}

// unescape decodes a text with escapes.
func (s *Scanner) unescape(text []byte) ([]byte, error) {
	var plain string
	err := json.Unmarshal(slices.Concat([]byte{'"'}, text, []byte{'"'}), &plain)
	const replacement = string(utf8.RuneError) // what half a surrogate pair is read as
	written := strings.Count(string(text), replacement) + strings.Count(strings.ToLower(string(text)), `\ufffd`)
	if err != nil || strings.Count(plain, replacement) > written {
		return nil, s.Fail(wording.Quote(string(text)), `a text whose backslashes begin one of \" \\ \/ \b \f \n \r \t \u0000 … \uffff`)
	}
	return []byte(plain), nil
}

// AppendText appends a text, which is valid UTF-8, in quotation marks.
func AppendText[T string | []byte](dst []byte, text T) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0 // of what is not appended yet
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[start:i]...)
		if start = i + 1; c < ' ' {
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		} else {
			dst = append(dst, '\\', c)
		}
	}
	return append(append(dst, text[start:]...), '"')
}
