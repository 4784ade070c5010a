// This file holds the scanner: its position, and what it reads next.

package jsonscan

import (
	"errors"
	"fmt"
	"io"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

const (
	bufferSize = 1 << 18
	maxText    = 1 << 24 // bytes of a text
	maxWord    = 10_000  // bytes of a number
	maxQuoted  = 40      // bytes of a word that messages repeat
)

// A Scanner reads JSON value by value. Faults of the text are errors of type
// [*filepos.Error]; documents may fail with those of their reader too.
//
// The zero Scanner holds an empty line; see [Scanner.Line].
type Scanner struct {
	file string
	r    io.Reader // nil for a line
	data []byte    // the bytes read, at least from the next byte on
	at   int       // of the next byte in data
	done error     // why nothing more can be read

	line   int           // of the next byte
	start  int           // of the first byte of that line in data; negative once that is gone
	token  filepos.Place // where the last value or name began
	copied []byte        // holds a text or a number that is not contiguous in data
	depth  int           // of the value that is being read

	declared, strict bool // what Decode refuses besides: null; names of members with other than small letters
}

// New returns a scanner of a document; file is what errors call it.
func New(r io.Reader, file string) *Scanner {
	return &Scanner{file: file, r: r, data: make([]byte, 0, bufferSize), line: 1}
}

// Line makes the scanner read a text in memory, the line of a file with that number. Names
// and texts that it returns are parts of the text, if they have no escapes. Errors name no
// file.
func (s *Scanner) Line(text []byte, number int) {
	s.data, s.at, s.line, s.start, s.depth = text, 0, number, 0, 0
}

// more reports whether there is a next byte, and reads on if need be.
func (s *Scanner) more() bool { return s.at < len(s.data) || s.fill() }

// fill replaces data, which has been read, by the next bytes.
func (s *Scanner) fill() bool {
	for s.r != nil && s.at == len(s.data) && s.done == nil {
		s.start -= len(s.data)
		s.at = 0
		var n int
		n, s.done = s.r.Read(s.data[:cap(s.data)])
		s.data = s.data[:n]
	}
	return s.at < len(s.data)
}

// Peek skips space and returns the next byte, 0 at the end.
func (s *Scanner) Peek() byte {
	for s.more() {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\r':
			s.at++
		case '\n':
			s.at++
			s.line, s.start = s.line+1, s.at
		default:
			return c
		}
	}
	return 0
}

// Place returns the place of the next value.
func (s *Scanner) Place() filepos.Place {
	s.Peek()
	return s.here()
}

func (s *Scanner) here() filepos.Place {
	return filepos.Place{Line: s.line, Column: s.at - s.start + 1}
}

// Token returns the place at which the last value or name began.
func (s *Scanner) Token() filepos.Place { return s.token }

// Accept reads c if it comes next, and reports whether it did.
func (s *Scanner) Accept(c byte) bool {
	if s.Peek() != c {
		return false
	}
	s.at++
	return true
}

// Fail returns the error that the last value or name is not what was expected.
func (s *Scanner) Fail(found, expected string) error {
	return filepos.Fault(found, expected).At(s.file, s.token)
}

// FailAt is Fail for another place.
func (s *Scanner) FailAt(p filepos.Place, found, expected string) error {
	return filepos.Fault(found, expected).At(s.file, p)
}

// Unexpected returns the error that what comes next is not what was expected, or
// the error that ended the reading.
func (s *Scanner) Unexpected(expected string) error {
	c := s.Peek()
	p := s.here()
	if !s.more() {
		switch {
		case s.r == nil:
			return s.FailAt(p, "the end of the line", expected)
		case !errors.Is(s.done, io.EOF):
			return fmt.Errorf("%s: reading line %d: %w", s.file, s.line, s.done)
		}
		if p == (filepos.Place{Line: 1, Column: 1}) {
			return s.FailAt(p, "an empty file", expected)
		}
		return s.FailAt(p, "the end of the file", expected)
	}
	found := []byte{c}
	for s.at++; isWord(c) && len(found) <= maxQuoted && s.more() && isWord(s.data[s.at]); s.at++ {
		found = append(found, s.data[s.at])
	}
	if c == '"' {
		return s.FailAt(p, "a text", expected)
	}
	return s.FailAt(p, wording.Quote(string(found)), expected)
}

// End expects that nothing but space is left.
func (s *Scanner) End() error {
	switch s.Peek(); {
	case !s.more() && (s.r == nil || errors.Is(s.done, io.EOF)):
		return nil
	case s.r == nil:
		return s.Unexpected("the end of the line")
	}
	return s.Unexpected("the end of the file")
}
