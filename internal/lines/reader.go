// Package lines reads a text line by line and a line word by word: formats such as DRN
// and PRISM's explicit files, and files of numbers.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

const (
	bufferSize = 1 << 18
	maxLine    = 1 << 24
)

// Reader reads a text. It keeps its first fault ([Reader.Err]) and finds no line and
// no word after it, so that parsers need not check for faults at every word.
type Reader struct {
	file    string
	comment []byte // what begins a line that is no more than a comment

	// Comment, unless it is nil, is called with the text of each line that is a comment, without what
	// begins it. The text is valid until Comment returns.
	Comment func(text []byte)

	lines *bufio.Scanner
	err   error

	text []byte // the present line, without its end; valid until the next one
	line int    // its number, from 1
	at   int    // what has been read of it
	over bool   // whether the file has ended
}

// NewReader returns a reader of a text; file is what faults call it, and comment
// begins lines that are no more than a comment.
func NewReader(r io.Reader, file, comment string) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, bufferSize), maxLine)
	return &Reader{file: file, comment: []byte(comment), lines: lines}
}

// Err returns the first fault, nil if there is none.
func (l *Reader) Err() error { return l.err }

// NextLine goes to the next line; false at the end of the file, where the present
// line is an empty one after the last.
func (l *Reader) NextLine() bool {
	if l.err != nil {
		return false
	}
	l.over = !l.lines.Scan()
	l.text, l.line, l.at = l.lines.Bytes(), l.line+1, 0
	if err := l.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		l.Fail(fmt.Sprintf("a line of more than %d bytes", maxLine), "a shorter one")
	} else if err != nil { // also beside the part of a line that was read before
		l.Stop(fmt.Errorf("%s: reading line %d: %w", l.file, l.line, err))
	}
	return l.err == nil && !l.over
}

// Next goes to the first word of the next line that is neither empty nor a comment.
func (l *Reader) Next() bool {
	for l.NextLine() {
		if !l.SkipSpace() {
			continue
		}
		text, isComment := bytes.CutPrefix(l.Rest(), l.comment)
		if !isComment {
			return true
		}
		if l.Comment != nil {
			l.Comment(text)
		}
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// SkipSpace goes to the next word and reports whether there is one.
func (l *Reader) SkipSpace() bool {
	for l.at < len(l.text) && isSpace(l.text[l.at]) {
		l.at++
	}
	return l.at < len(l.text)
}

// Peek returns the next byte of the line, 0 at its end.
func (l *Reader) Peek() byte {
	if l.at == len(l.text) {
		return 0
	}
	return l.text[l.at]
}

// Skip steps over n bytes of the line.
func (l *Reader) Skip(n int) {
	if l.err == nil {
		l.at += n
	}
}

// Back goes back to a place in the present line.
func (l *Reader) Back(p filepos.Place) {
	if l.err == nil {
		l.at = p.Column - 1
	}
}

// Rest returns what has not been read of the line.
func (l *Reader) Rest() []byte { return l.text[l.at:] }

// Word reads up to the next space; empty at the end of the line.
func (l *Reader) Word() []byte {
	l.SkipSpace()
	rest, end := l.Rest(), 0
	for end < len(rest) && !isSpace(rest[end]) {
		end++
	}
	l.at += end
	return rest[:end]
}

// Accept reads c where it comes next and reports whether it did.
func (l *Reader) Accept(c byte) bool {
	if l.SkipSpace() && l.text[l.at] == c {
		l.at++
		return true
	}
	return false
}

// Expect reads c.
func (l *Reader) Expect(c byte) {
	if !l.Accept(c) {
		l.Unexpected(fmt.Sprintf(`"%c"`, c))
	}
}

// AcceptIndex reads a whole number from 0 up, at most most, if one comes next, and
// reports whether it did. The byte after it is not read.
func (l *Reader) AcceptIndex(most int) (int32, bool) {
	l.SkipSpace()
	rest, end, n := l.Rest(), 0, 0
	for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' && n <= math.MaxInt32 {
		n = 10*n + int(rest[end]-'0')
		end++
	}
	if end == 0 || n > most || end < len(rest) && isNumber(rest[end]) {
		return 0, false
	}
	l.at += end
	return int32(n), true
}

// Index reads a whole number from 0 to most.
func (l *Reader) Index(most int, expected string) int32 {
	n, ok := l.AcceptIndex(most)
	if !ok {
		l.Unexpected(expected)
	}
	return n
}

// State reads the number of one of n states.
func (l *Reader) State(n int) int32 {
	s, ok := l.AcceptIndex(n - 1)
	if !ok {
		l.Unexpected(StateOf(n))
	}
	return s
}

// StateOf says which numbers n states have.
func StateOf(n int) string { return fmt.Sprintf("a state of 0 … %d", n-1) }

// StateAfter reads the number of a state that is greater than the last one.
func (l *Reader) StateAfter(last int32, n int) int32 {
	l.SkipSpace()
	place := l.Place()
	s := l.State(n)
	if s <= last {
		l.FailAt(place, OutOfOrder(s, last))
	}
	return s
}

// OutOfOrder is the fault of a state that is not greater than the last one.
func OutOfOrder(s, last int32) *filepos.Error {
	return filepos.Fault(fmt.Sprintf("state %d after state %d", s, last), "a file in the order of states")
}

func isNumber(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '/' || c == '-' || c == '+'
}

// WordBefore reads the next word, which ends before a comma or stop, too.
func (l *Reader) WordBefore(stop byte) []byte {
	l.SkipSpace()
	rest, end := l.Rest(), 0
	for end < len(rest) && !isSpace(rest[end]) && rest[end] != stop && rest[end] != ',' {
		end++
	}
	l.at += end
	return rest[:end]
}

// End expects that nothing is left of the line.
func (l *Reader) End() {
	if l.SkipSpace() {
		l.Unexpected("the end of the line")
	}
}

// Place is where the reader stands.
func (l *Reader) Place() filepos.Place { return filepos.Place{Line: l.line, Column: l.at + 1} }

// Stop ends the reading by an error, unless one has ended it before; nil is none.
func (l *Reader) Stop(err error) {
	if err == nil {
		return
	}
	if l.err == nil {
		l.err = err
	}
	l.text, l.at = nil, 0
}

// FailAt stops at a fault in a place; nil is none.
func (l *Reader) FailAt(p filepos.Place, fault *filepos.Error) {
	if fault != nil {
		l.Stop(fault.At(l.file, p))
	}
}

// Fail stops at the present place.
func (l *Reader) Fail(found, expected string) {
	l.FailAt(l.Place(), filepos.Fault(found, expected))
}

// Unexpected stops at the next word, which is not what was expected.
func (l *Reader) Unexpected(expected string) {
	l.SkipSpace()
	p, found := l.Place(), "the end of the line"
	switch {
	case l.over && l.line == 1:
		found = "an empty file"
	case l.over:
		found = "the end of the file"
	}
	if word := l.Word(); len(word) > 0 {
		found = wording.Quote(string(word))
	}
	l.FailAt(p, filepos.Fault(found, expected))
}
