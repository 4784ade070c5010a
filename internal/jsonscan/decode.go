// This file reads whole documents into declared values.

package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// ErrUnknown is wrapped by the errors of [Decode] about members that it has no place for.
var ErrUnknown = errors.New("not known")

// Decode reads a whole document into a value as encoding/json does, and refuses what
// that takes in silence: null, members that come twice and text behind the document.
// Where strict says so it also refuses members that the value has no field for, and
// names with other letters than small ones, as encoding/json takes any case.
//
// Faults of the syntax are errors with a place; other errors name the member.
func Decode(r io.Reader, file string, strict bool, into any) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	s := New(bytes.NewReader(text), file)
	if err := s.checkValue(strict, 0); err != nil {
		return err
	}
	if err := s.End(); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if strict {
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", file, worded(err))
	}
	return nil
}

// checkValue reads a value of a document, and says what [Decode] refuses of it.
func (s *Scanner) checkValue(strict bool, depth int) error {
	if depth > maxDepth {
		return s.FailAt(s.Place(), "a value that is nested too deep", fmt.Sprintf("a depth of at most %d", maxDepth))
	}
	switch s.Peek() {
	case '{':
		return s.Object("", func(name string) error {
			if strict && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
				return fmt.Errorf("%s:%d:%d: member %s is %w", s.file, s.token.Line, s.token.Column, wording.Quote(name), ErrUnknown)
			}
			return s.checkValue(strict, depth+1)
		})
	case '[':
		return s.Array("", func(int) error { return s.checkValue(strict, depth+1) })
	}
	kind, _, err := s.Value()
	if err == nil && kind == Null {
		err = s.Fail("null", "a value, or no such member")
	}
	return err
}

// worded returns an error of encoding/json in the words of other messages.
func worded(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return fmt.Errorf("member %s is %w", wording.Short(name), ErrUnknown)
		}
		return err
	}
	expected, ok := map[reflect.Kind]string{
		reflect.String: "a text", reflect.Bool: "true or false", reflect.Float64: "a number",
		reflect.Slice: "a list", reflect.Struct: "an object in curly brackets",
	}[wrong.Type.Kind()]
	if !ok {
		expected = "a whole number"
	}
	if described, ok := reflect.TypeAssert[interface{ Expected() string }](reflect.New(wrong.Type)); ok {
		expected = described.Expected()
	}
	where := ""
	if wrong.Field != "" {
		where = wrong.Field + ": "
	}
	return fmt.Errorf("%sfound %s; expected %s", where, wording.Short(wrong.Value), expected)
}
