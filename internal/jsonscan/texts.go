// This file reads texts and their escapes, and writes them.

package jsonscan

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// special marks the bytes at which a text is more than what it looks like.
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
	text, begin, wide := s.copied[:0], s.at, false // what is read: text, then data[begin:at]
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
		case c == '"':
			part := s.data[begin:s.at]
			s.at++
			if len(text) > 0 {
				text = append(text, part...)
				s.copied, part = text, text
			}
			if wide && !utf8.Valid(part) {
				return nil, s.Fail(wording.Quote(string(part)), "a text in UTF-8")
			}
			return part, nil
		case c == '\\':
			text = append(text, s.data[begin:s.at]...)
			var err error
			if text, err = s.escape(text); err != nil {
				return nil, err
			}
			begin = s.at
		default:
			return nil, s.FailAt(s.here(), "a control character in a text", `\n, \t or \u001f`)
		}
	}
}

// escapes are the bytes that a letter behind a backslash stands for.
var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads what begins with a backslash, and appends what it stands for.
func (s *Scanner) escape(text []byte) ([]byte, error) {
	p := s.here()
	s.at++
	if !s.more() {
		return nil, s.Unexpected("the rest of an escape")
	}
	c := s.data[s.at]
	s.at++
	if plain, ok := escapes[c]; ok {
		return append(text, plain), nil
	}
	if c == 'u' {
		first := s.hexadecimal()
		if utf16.IsSurrogate(first) {
			second := utf8.RuneError
			if s.next('\\') && s.next('u') {
				second = s.hexadecimal()
			}
			if first = utf16.DecodeRune(first, second); first == utf8.RuneError {
				first = -1
			}
		}
		if first >= 0 {
			return utf8.AppendRune(text, first), nil
		}
	}
	return nil, s.FailAt(p, "a backslash that begins nothing", `one of \" \\ \/ \b \f \n \r \t \u0000 … \uffff`)
}

// next reads c if it is the next byte, and reports whether it was.
func (s *Scanner) next(c byte) bool {
	if !s.more() || s.data[s.at] != c {
		return false
	}
	s.at++
	return true
}

// hexadecimal reads four digits; −1 stands for anything else.
func (s *Scanner) hexadecimal() rune {
	var digits [4]byte
	for i := range digits {
		if !s.more() {
			return -1
		}
		digits[i] = s.data[s.at]
		s.at++
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
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
