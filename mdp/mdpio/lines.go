// This file reads texts line by line: the formats DRN and PRISM.

package mdpio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

const (
	bufferSize = 1 << 18
	maxLine    = 1 << 24
)

// lineReader reads a text line by line and a line word by word. The first fault is
// kept in err; there is no line and no word behind it.
type lineReader struct {
	file    string
	comment []byte // what begins a line that is no more than a comment
	lines   *bufio.Scanner
	err     error

	text []byte // the present line, without its end; valid until the next one
	line int    // its number, from 1
	at   int    // what has been read of it
	over bool   // whether the file has ended
}

func newLineReader(r io.Reader, file, comment string) *lineReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, bufferSize), maxLine)
	return &lineReader{file: file, comment: []byte(comment), lines: lines}
}

// nextLine goes to the next line; false at the end of the file, where the present
// line is an empty one after the last.
func (l *lineReader) nextLine() bool {
	if l.err != nil {
		return false
	}
	l.over = !l.lines.Scan()
	l.text, l.line, l.at = l.lines.Bytes(), l.line+1, 0
	if err := l.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		l.fail(fmt.Sprintf("a line of more than %d bytes", maxLine), "a shorter one")
	} else if err != nil { // also beside the part of a line that was read before
		l.stop(fmt.Errorf("%s: reading line %d: %w", l.file, l.line, err))
	}
	return l.err == nil && !l.over
}

// next goes to the first word of the next line that is neither empty nor a comment.
func (l *lineReader) next() bool {
	for l.nextLine() {
		if l.skipSpace() && !bytes.HasPrefix(l.rest(), l.comment) {
			return true
		}
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// skipSpace goes to the next word and reports whether there is one.
func (l *lineReader) skipSpace() bool {
	for l.at < len(l.text) && isSpace(l.text[l.at]) {
		l.at++
	}
	return l.at < len(l.text)
}

// rest returns what has not been read of the line.
func (l *lineReader) rest() []byte { return l.text[l.at:] }

// word reads up to the next space; empty at the end of the line.
func (l *lineReader) word() []byte {
	l.skipSpace()
	start := l.at
	for l.at < len(l.text) && !isSpace(l.text[l.at]) {
		l.at++
	}
	return l.text[start:l.at]
}

// accept reads c where it comes next and reports whether it did.
func (l *lineReader) accept(c byte) bool {
	if l.skipSpace() && l.text[l.at] == c {
		l.at++
		return true
	}
	return false
}

// expect reads c.
func (l *lineReader) expect(c byte) {
	if !l.accept(c) {
		l.unexpected(fmt.Sprintf(`"%c"`, c))
	}
}

// acceptIndex reads a whole number from 0 up, at most most, if one comes next, and
// reports whether it did. Whatever ends it is left.
func (l *lineReader) acceptIndex(most int) (int32, bool) {
	l.skipSpace()
	start, n := l.at, 0
	for l.at < len(l.text) && '0' <= l.text[l.at] && l.text[l.at] <= '9' && n <= math.MaxInt32 {
		n = 10*n + int(l.text[l.at]-'0')
		l.at++
	}
	if l.at == start || n > most || l.at < len(l.text) && isNumber(l.text[l.at]) {
		l.at = start
		return 0, false
	}
	return int32(n), true
}

// index reads a whole number from 0 to most.
func (l *lineReader) index(most int, expected string) int32 {
	n, ok := l.acceptIndex(most)
	if !ok {
		l.unexpected(expected)
	}
	return n
}

// state reads the number of one of n states.
func (l *lineReader) state(n int) int32 {
	s, ok := l.acceptIndex(n - 1)
	if !ok {
		l.unexpected(stateOf(n))
	}
	return s
}

// stateOf says which numbers n states have.
func stateOf(n int) string { return fmt.Sprintf("a state of 0 … %d", n-1) }

// stateAfter reads the number of a state that is greater than the last one.
func (l *lineReader) stateAfter(last int32, n int) int32 {
	l.skipSpace()
	place := l.place()
	s := l.state(n)
	if s <= last {
		l.failAt(place, outOfOrder(s, last))
	}
	return s
}

func outOfOrder(s, last int32) *filepos.Error {
	return filepos.Fault(fmt.Sprintf("state %d after state %d", s, last), "a file in the order of states")
}

func isNumber(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '/' || c == '-' || c == '+'
}

// number reads the next word, which stop ends too, as a number.
func (l *lineReader) number(numbers *numberReader, stop byte) value {
	l.skipSpace()
	start := l.at
	for l.at < len(l.text) && !isSpace(l.text[l.at]) && l.text[l.at] != stop && l.text[l.at] != ',' {
		l.at++
	}
	if l.at == start {
		l.unexpected(numberExample)
		return value{}
	}
	v, fault := numbers.read(l.text[start:l.at])
	if fault != nil {
		l.failAt(filepos.Place{Line: l.line, Column: start + 1}, fault)
	}
	return v
}

// end expects that nothing is left of the line.
func (l *lineReader) end() {
	if l.skipSpace() {
		l.unexpected("the end of the line")
	}
}

// place is where the reader stands.
func (l *lineReader) place() filepos.Place { return filepos.Place{Line: l.line, Column: l.at + 1} }

// stop ends the reading by an error, unless one has ended it before.
func (l *lineReader) stop(err error) {
	if l.err == nil {
		l.err = err
	}
	l.text, l.at = nil, 0
}

// failAt stops at a fault in a place; nil is none.
func (l *lineReader) failAt(p filepos.Place, fault *filepos.Error) {
	if fault != nil {
		l.stop(fault.At(l.file, p))
	}
}

// fail stops at the present place.
func (l *lineReader) fail(found, expected string) {
	l.failAt(l.place(), filepos.Fault(found, expected))
}

// unexpected stops at the next word, which is not what was expected.
func (l *lineReader) unexpected(expected string) {
	l.skipSpace()
	p, found := l.place(), "the end of the line"
	if l.over {
		found = "the end of the file"
	}
	if word := l.word(); len(word) > 0 {
		found = quote(word)
	}
	l.failAt(p, filepos.Fault(found, expected))
}
