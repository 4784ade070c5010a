// This file finds values again, to name their places in errors.

package jsonscan

import (
	"bytes"
	"errors"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

var errFound = errors.New("jsonscan: found")

// PlaceOf returns the place of a value in a valid document. path holds the names of
// members and indices of elements that lead to it. If there is no such value, the place
// is that of the innermost value on the path.
func PlaceOf(text []byte, path ...any) filepos.Place {
	s, place := New(bytes.NewReader(text), ""), filepos.Place{}
	_ = s.find(path, &place)
	return place
}

// find returns errFound at the end of the path.
func (s *Scanner) find(path []any, place *filepos.Place) error {
	if *place = s.Place(); len(path) == 0 {
		return errFound
	}
	enter := func(onPath bool) error {
		if onPath {
			return s.find(path[1:], place)
		}
		_, err := s.Value()
		return err
	}
	switch s.Peek() {
	case '{':
		return s.Object("", func(name string) error { return enter(name == path[0]) })
	case '[':
		return s.Array("", func(i int) error { return enter(i == path[0]) })
	}
	return errFound // a value without parts
}
