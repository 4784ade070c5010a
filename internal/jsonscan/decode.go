// This file reads whole documents into declared values.

package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// ErrUnknown is wrapped by the errors of [Decode] for members that the value has no field
// for.
var ErrUnknown = errors.New("not known")

// Decode reads a whole document into a value as encoding/json does, but refuses null,
// repeated members and text after the document, which encoding/json accepts silently.
// With strict, it also refuses members that the value has no field for, and names with
// capital letters.
//
// Syntax errors have a place; other errors name the member.
func Decode(r io.Reader, file string, strict bool, into any) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	s := &Scanner{file: file, r: bytes.NewReader(nil), data: text, line: 1, strict: strict, declared: true}
	if _, err := s.Value(); err != nil {
		return err
	}
	if err := s.End(); err != nil {
		return err
	}
	read := json.Unmarshal
	if strict {
		read = Members
	}
	if err := read(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, worded(err))
	}
	return nil
}

// Members is json.Unmarshal for types with an UnmarshalJSON in strict documents: it
// refuses members that the value has no field for.
func Members(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// worded rewrites an error of encoding/json in the words of other messages.
func worded(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return fmt.Errorf("member %s is %w", wording.Short(name), ErrUnknown)
		}
		if text, ok := strings.CutPrefix(err.Error(), "math/big: cannot unmarshal "); ok {
			text, _, _ = strings.Cut(text, " into")
			return fmt.Errorf(`found %s; expected a fraction such as "2/3"`, wording.Short(text))
		}
		return err
	}
	expected, ok := map[reflect.Kind]string{
		reflect.String: "a text", reflect.Pointer: "a text", reflect.Bool: "true or false", reflect.Float64: "a number",
		reflect.Slice: "a list", reflect.Struct: "an object in curly brackets",
	}[wrong.Type.Kind()]
	if !ok {
		expected = "a whole number"
	}
	if described, ok := reflect.TypeAssert[interface{ Expected() string }](reflect.New(wrong.Type)); ok {
		expected = described.Expected()
	}
	isEmbedded := func(name string) bool { return strings.ToLower(name) != name } // no member has capitals
	where := strings.Join(slices.DeleteFunc(strings.Split(wrong.Field, "."), isEmbedded), ".")
	if where != "" {
		where += ": "
	}
	return fmt.Errorf("%sfound %s; expected %s", where, wording.Short(wrong.Value), expected)
}
