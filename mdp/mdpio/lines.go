package mdpio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	bufferSize = 1 << 18
	maxLine    = 1 << 24
)

// lineReader reads a text line by line and a line word by word.
type lineReader struct {
	file string
	r    *bufio.Reader
	long []byte // holds a line that is longer than the buffer of r
	text []byte // the present line, without its end; valid until the next one
	line int    // its number, from 1
	at   int    // what has been read of it
	over bool   // whether the file has ended
}

func newLineReader(r io.Reader, file string) *lineReader {
	return &lineReader{file: file, r: bufio.NewReaderSize(r, bufferSize)}
}

// next goes to the next line; false at the end of the file, where the present
// line is an empty one after the last.
func (l *lineReader) next() (bool, error) {
	text, err := l.r.ReadSlice('\n')
	l.line, l.at = l.line+1, 0
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) && len(l.long) <= maxLine {
			l.long = append(l.long, text...)
			text, err = l.r.ReadSlice('\n')
		}
		l.long = append(l.long, text...)
		if text = l.long; len(text) > maxLine {
			l.text = nil
			return false, l.fail(&fault{fmt.Sprintf("a line of more than %d bytes", maxLine), "a shorter one"})
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("mdpio: %s: reading line %d: %w", l.file, l.line, err)
	}
	if len(text) == 0 {
		l.text, l.over = nil, true
		return false, nil
	}
	text = bytes.TrimSuffix(text, []byte{'\n'})
	l.text = bytes.TrimSuffix(text, []byte{'\r'})
	return true, nil
}

// nextFilled goes to the next line that is neither empty nor begins with the
// mark of comments, and to its first word.
func (l *lineReader) nextFilled(comment string) (bool, error) {
	for {
		if more, err := l.next(); !more || err != nil {
			return false, err
		}
		l.skipSpace()
		if rest := l.rest(); len(rest) > 0 && !bytes.HasPrefix(rest, []byte(comment)) {
			return true, nil
		}
	}
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

// index reads a whole number from 0 up, at most most, if one comes next, and
// reports whether it did. Whatever ends it is left.
func (l *lineReader) index(most int) (int32, bool) {
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

// stateIndex reads the number of one of n states.
func (l *lineReader) stateIndex(n int) (int32, error) {
	s, ok := l.index(n - 1)
	if !ok {
		return 0, l.unexpected(fmt.Sprintf("a state of 0 … %d", n-1))
	}
	return s, nil
}

func isNumber(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '/' || c == '-' || c == '+'
}

// number reads the next word, which stop ends too, as a number.
func (l *lineReader) number(numbers *numberReader, stop byte) (value, error) {
	l.skipSpace()
	start := l.at
	for l.at < len(l.text) && !isSpace(l.text[l.at]) && l.text[l.at] != stop && l.text[l.at] != ',' {
		l.at++
	}
	if l.at == start {
		return value{}, l.unexpected(allowedNumber)
	}
	v, f := numbers.read(l.text[start:l.at])
	if f != nil {
		l.at = start
		return value{}, l.fail(f)
	}
	return v, nil
}

// end demands that nothing is left of the line.
func (l *lineReader) end() error {
	if l.skipSpace() {
		return l.unexpected("the end of the line")
	}
	return nil
}

// place is where the reader stands.
func (l *lineReader) place() place { return place{l.line, l.at + 1} }

// fail returns a fault at the present place.
func (l *lineReader) fail(f *fault) error { return f.at(l.file, l.place()) }

// unexpected returns the fault that the next word is not what is allowed.
func (l *lineReader) unexpected(allowed string) error {
	l.skipSpace()
	p, found := l.place(), "the end of the line"
	if l.over {
		found = "the end of the file"
	}
	if word := l.word(); len(word) > 0 {
		found = quote(word)
	}
	return (&fault{found, allowed}).at(l.file, p)
}
