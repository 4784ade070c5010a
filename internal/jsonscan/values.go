// This file reads values: objects, lists, numbers, words.

package jsonscan

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// maxDepth is the greatest depth of the values that [Scanner.Value] reads.
const maxDepth = 1000

// Member reads the name of member i of an object, up to its value, and returns it. The
// opening bracket and the members before it have been read; more is false after the end
// of the object. The name is valid until the next read. The caller checks for repeated
// names.
func (s *Scanner) Member(i int) (name []byte, more bool, err error) {
	switch c := s.Peek(); {
	case c == '}':
		s.at++
		return nil, false, nil
	case i > 0 && c != ',':
		return nil, false, s.Unexpected(`"," or "}"`)
	case i > 0:
		s.at++
	}
	if name, err = s.Text("the name of a member in quotation marks"); err != nil {
		return nil, false, err
	}
	if s.at < len(s.data) && s.data[s.at] == ':' { // so that name stays where it is
		s.at++
		return name, true, nil
	}
	s.copied = append(s.copied[:0], name...)
	if !s.Accept(':') {
		return nil, false, s.Unexpected(`":"`)
	}
	return s.copied, true, nil
}

// Object reads an object. It calls member for each member, which reads the value.
func (s *Scanner) Object(expected string, member func(name string) error) error {
	if !s.Accept('{') {
		return s.Unexpected(expected)
	}
	known := make(map[string]bool)
	for i := 0; ; i++ {
		text, more, err := s.Member(i)
		if err != nil || !more {
			return err
		}
		name := string(text)
		if known[name] {
			return s.Fail(wording.Quote(name)+" for the second time", "each member once")
		}
		known[name] = true
		if s.strict && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
			return fmt.Errorf("%s:%d:%d: member %s is %w", s.file, s.token.Line, s.token.Column, wording.Quote(name), ErrUnknown)
		}
		if err := member(name); err != nil {
			return err
		}
	}
}

// Array reads a list. It calls element for each element i, which reads it.
func (s *Scanner) Array(expected string, element func(i int) error) error {
	if !s.Accept('[') {
		return s.Unexpected(expected)
	}
	if s.Accept(']') {
		return nil
	}
	for i := 0; ; i++ {
		if err := element(i); err != nil {
			return err
		}
		if s.Accept(']') {
			return nil
		}
		if !s.Accept(',') {
			return s.Unexpected(`"," or "]"`)
		}
	}
}

// word reads the characters of numbers, true, false and null.
func (s *Scanner) word() []byte {
	s.token = s.here()
	begin := s.at
	for s.at < len(s.data) && isWord(s.data[s.at]) {
		s.at++
	}
	if s.at < len(s.data) || s.r == nil {
		return s.data[begin:s.at]
	}
	s.copied = append(s.copied[:0], s.data[begin:]...)
	for s.more() && isWord(s.data[s.at]) && len(s.copied) <= maxWord {
		s.copied = append(s.copied, s.data[s.at])
		s.at++
	}
	return s.copied
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		c == '.' || c == '-' || c == '+' || c == '/' || c == '_'
}

// Number reads a word that begins like a number. The caller checks that it is one
// ([IsNumber]). It is valid until the next read.
func (s *Scanner) Number(expected string) ([]byte, error) {
	if c := s.Peek(); c != '-' && (c < '0' || c > '9') {
		return nil, s.Unexpected(expected)
	}
	return s.word(), nil
}

// Int reads a whole number from 0 to most.
func (s *Scanner) Int(most int, expected string) (int, error) {
	word, err := s.Number(expected)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(string(word), 10, 63)
	if err != nil || n > uint64(most) {
		return 0, s.Fail(wording.Quote(string(word)), expected)
	}
	return int(n), nil
}

// Value reads any value. token is a text without its quotation marks, a number or
// a word, and valid until the next read. For a nested value it is the whole value in a
// line ([Scanner.Line]), and nil in a document. [Scanner.Peek] tells in advance which
// kind it is.
func (s *Scanner) Value() (token []byte, err error) {
	const expected = "a value"
	switch c := s.Peek(); {
	case c == '"':
		return s.Text(expected)
	case c == '{' || c == '[':
		return s.nested(c)
	case !isWord(c) || !s.more():
		return nil, s.Unexpected(expected)
	}
	token = s.word()
	switch string(token) {
	case "true", "false":
	case "null":
		if s.declared {
			return nil, s.Fail("null", "a value, or no such member")
		}
	default:
		if !IsNumber(token) {
			return nil, s.Fail(wording.Quote(string(token)), expected)
		}
	}
	return token, nil
}

// nested reads an object or a list.
func (s *Scanner) nested(c byte) ([]byte, error) {
	begin, place := s.at, s.here()
	if s.depth++; s.depth > maxDepth {
		return nil, s.FailAt(place, "a value that is nested too deep", fmt.Sprintf("a depth of at most %d", maxDepth))
	}
	skip := func() error {
		_, err := s.Value()
		return err
	}
	var err error
	if c == '{' {
		err = s.Object("", func(string) error { return skip() })
	} else {
		err = s.Array("", func(int) error { return skip() })
	}
	s.depth--
	s.token = place
	if err != nil || s.r != nil {
		return nil, err
	}
	return s.data[begin:s.at], nil
}

// IsNumber reports whether a word is a number by the grammar of JSON:
//
//	-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func IsNumber(word []byte) bool {
	word = bytes.TrimPrefix(word, []byte("-"))
	whole := leadingDigits(word)
	if whole == 0 || whole > 1 && word[0] == '0' {
		return false
	}
	word = word[whole:]
	if len(word) > 0 && word[0] == '.' {
		fraction := leadingDigits(word[1:])
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
	return len(word) > 0 && leadingDigits(word) == len(word)
}

// leadingDigits returns the number of digits that a word begins with.
func leadingDigits(word []byte) int {
	for i, c := range word {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(word)
}
