package mdpio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep what is skipped of a JSON text may be nested.
const maxDepth = 1000

// jsonReader reads JSON value by value, and knows the place of each.
type jsonReader struct {
	file   string
	r      io.Reader
	buffer []byte
	at     int // of the next byte in buffer
	filled int // of buffer
	failed error

	line  int   // of the next byte
	start int64 // offset of the first byte of that line
	base  int64 // offset of the first byte of buffer

	token []byte // the last string or number; valid until the next
	place place  // where it began
	depth int
}

func newJSONReader(r io.Reader, file string) *jsonReader {
	return &jsonReader{file: file, r: r, buffer: make([]byte, bufferSize), line: 1}
}

// fill reads on where all bytes are used up; false at the end.
func (j *jsonReader) fill() bool {
	for j.at == j.filled && j.failed == nil {
		j.base += int64(j.filled)
		j.at = 0
		j.filled, j.failed = j.r.Read(j.buffer)
	}
	return j.at < j.filled
}

// peek skips space and returns the next byte, which it leaves; 0 at the end.
func (j *jsonReader) peek() byte {
	for j.fill() {
		switch c := j.buffer[j.at]; c {
		case '\n':
			j.at++
			j.line, j.start = j.line+1, j.base+int64(j.at)
		case ' ', '\t', '\r':
			j.at++
		default:
			return c
		}
	}
	return 0
}

// here is the place of the next byte.
func (j *jsonReader) here() place {
	return place{j.line, int(j.base + int64(j.at) - j.start + 1)}
}

// unexpected returns the fault that what comes next is not what is allowed, or
// the error that ended the reading.
func (j *jsonReader) unexpected(allowed string) error {
	c := j.peek()
	p := j.here()
	if c == 0 && j.at == j.filled {
		if !errors.Is(j.failed, io.EOF) {
			return fmt.Errorf("mdpio: %s: reading line %d: %w", j.file, j.line, j.failed)
		}
		return (&fault{"the end of the file", allowed}).at(j.file, p)
	}
	found := []byte{c}
	for j.at++; len(found) <= maxQuoted && j.fill() && isWord(c) && isWord(j.buffer[j.at]); j.at++ {
		found = append(found, j.buffer[j.at])
	}
	return (&fault{quote(found), allowed}).at(j.file, p)
}

func isWord(c byte) bool {
	return isNumber(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// fail returns a fault of the last string or number.
func (j *jsonReader) fail(f *fault) error { return f.at(j.file, j.place) }

// accept reads c where it comes next and reports whether it did.
func (j *jsonReader) accept(c byte) bool {
	if j.peek() != c || j.at == j.filled {
		return false
	}
	j.at++
	return true
}

// object reads an object. member is called behind the name and the colon of
// each member, and reads its value.
func (j *jsonReader) object(allowed string, member func(name string) error) error {
	if !j.accept('{') {
		return j.unexpected(allowed)
	}
	if j.accept('}') {
		return nil
	}
	known := make(map[string]bool)
	for {
		if err := j.text("the name of a member in quotation marks"); err != nil {
			return err
		}
		name := string(j.token)
		if known[name] {
			return j.fail(&fault{quote(j.token) + " for the second time", "each member once"})
		}
		known[name] = true
		if !j.accept(':') {
			return j.unexpected("\":\"")
		}
		if err := member(name); err != nil {
			return err
		}
		if j.accept('}') {
			return nil
		}
		if !j.accept(',') {
			return j.unexpected("\",\" or \"}\"")
		}
	}
}

// array reads an array; element reads element i.
func (j *jsonReader) array(allowed string, element func(i int) error) error {
	if !j.accept('[') {
		return j.unexpected(allowed)
	}
	if j.accept(']') {
		return nil
	}
	for i := 0; ; i++ {
		if err := element(i); err != nil {
			return err
		}
		if j.accept(']') {
			return nil
		}
		if !j.accept(',') {
			return j.unexpected("\",\" or \"]\"")
		}
	}
}

// text reads a string into token.
func (j *jsonReader) text(allowed string) error {
	if j.peek() != '"' {
		return j.unexpected(allowed)
	}
	j.place = j.here()
	j.at++
	j.token = j.token[:0]
	for j.fill() {
		if len(j.token) > maxLine {
			return j.fail(&fault{fmt.Sprintf("a text of more than %d bytes", maxLine), "a shorter one"})
		}
		rest := j.buffer[j.at:j.filled]
		end := bytes.IndexFunc(rest, func(r rune) bool { return r == '"' || r == '\\' || r < ' ' })
		if end < 0 {
			j.token = append(j.token, rest...)
			j.at = j.filled
			continue
		}
		j.token = append(j.token, rest[:end]...)
		j.at += end
		switch j.buffer[j.at] {
		case '"':
			j.at++
			if !utf8.Valid(j.token) {
				return j.fail(&fault{quote(j.token), "a text in UTF-8"})
			}
			return nil
		case '\\':
			if err := j.escape(); err != nil {
				return err
			}
		default:
			return (&fault{"a control character in a text", `\n, \t or \u001f`}).at(j.file, j.here())
		}
	}
	return j.unexpected("a quotation mark at the end of a text")
}

// escapes are the bytes that a letter behind a backslash stands for.
var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads what begins with a backslash.
func (j *jsonReader) escape() error {
	p := j.here()
	fail := func() error {
		return (&fault{"a backslash that begins nothing", `one of \" \\ \/ \b \f \n \r \t \u0000 … \uffff`}).at(j.file, p)
	}
	j.at++
	if !j.fill() {
		return j.unexpected("the rest of an escape")
	}
	c := j.buffer[j.at]
	j.at++
	if plain, ok := escapes[c]; ok {
		j.token = append(j.token, plain)
		return nil
	}
	first, ok := rune(0), false
	if c == 'u' {
		first, ok = j.hexadecimal()
	}
	if !ok {
		return fail()
	}
	if utf16.IsSurrogate(first) {
		if !j.fill() || j.buffer[j.at] != '\\' {
			return fail()
		}
		j.at++
		if !j.fill() || j.buffer[j.at] != 'u' {
			return fail()
		}
		j.at++
		second, ok := j.hexadecimal()
		if first = utf16.DecodeRune(first, second); !ok || first == utf8.RuneError {
			return fail()
		}
	}
	j.token = utf8.AppendRune(j.token, first)
	return nil
}

// hexadecimal reads four digits.
func (j *jsonReader) hexadecimal() (rune, bool) {
	var digits [4]byte
	for i := range digits {
		if !j.fill() {
			return 0, false
		}
		digits[i] = j.buffer[j.at]
		j.at++
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 16)
	return rune(n), err == nil
}

// number reads a number into token, without asking which characters make one.
func (j *jsonReader) number(allowed string) error {
	if c := j.peek(); c != '-' && (c < '0' || c > '9') {
		return j.unexpected(allowed)
	}
	j.place = j.here()
	j.token = j.token[:0]
	for j.fill() && isWord(j.buffer[j.at]) && len(j.token) <= maxNumber {
		j.token = append(j.token, j.buffer[j.at])
		j.at++
	}
	return nil
}

// index reads a whole number from 0 to most.
func (j *jsonReader) index(most int, allowed string) (int32, error) {
	if err := j.number(allowed); err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(string(j.token), 10, 31)
	if err != nil || n > uint64(most) {
		return 0, j.fail(&fault{quote(j.token), allowed})
	}
	return int32(n), nil
}

// value reads a number, also one in quotation marks ("1/3").
func (j *jsonReader) value(numbers *numberReader) (value, error) {
	var err error
	if j.peek() == '"' {
		err = j.text(allowedNumber)
	} else {
		err = j.number(allowedNumber)
	}
	if err != nil {
		return value{}, err
	}
	v, f := numbers.read(j.token)
	if f != nil {
		return value{}, j.fail(f)
	}
	return v, nil
}

// skip reads any value.
func (j *jsonReader) skip() error {
	const allowed = "a value"
	if j.depth++; j.depth > maxDepth {
		return (&fault{"a value that is nested too deep", fmt.Sprintf("a depth of %d", maxDepth)}).at(j.file, j.here())
	}
	defer func() { j.depth-- }()
	switch c := j.peek(); {
	case c == '{':
		return j.object(allowed, func(string) error { return j.skip() })
	case c == '[':
		return j.array(allowed, func(int) error { return j.skip() })
	case c == '"':
		return j.text(allowed)
	case 'a' <= c && c <= 'z':
		return j.literal(allowed)
	}
	if err := j.number(allowed); err != nil {
		return err
	}
	if _, err := strconv.ParseFloat(string(j.token), 64); err != nil || !isDecimal(j.token) {
		return j.fail(&fault{quote(j.token), allowed})
	}
	return nil
}

// literal reads true, false or null into token.
func (j *jsonReader) literal(allowed string) error {
	j.peek()
	j.place = j.here()
	j.token = j.token[:0]
	for j.fill() && isWord(j.buffer[j.at]) && len(j.token) <= len("false") {
		j.token = append(j.token, j.buffer[j.at])
		j.at++
	}
	switch string(j.token) {
	case "true", "false", "null":
		return nil
	}
	return j.fail(&fault{quote(j.token), allowed})
}

// end demands that nothing but space is left.
func (j *jsonReader) end() error {
	if j.peek() == 0 && j.at == j.filled && errors.Is(j.failed, io.EOF) {
		return nil
	}
	return j.unexpected("the end of the file")
}

// appendString appends a text in quotation marks.
func appendString(dst []byte, text string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
