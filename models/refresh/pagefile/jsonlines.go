package pagefile

// This file reads JSON lines: an object on each line.

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// parseJSONLines hands on the rows of a piece.
func (l layout) parseJSONLines(p lines, into sink) {
	var s jsonscan.Scanner
	var r record
	for r.line = p.first; len(p.data) > 0; r.line++ {
		var text []byte
		text, p.data, _ = bytes.Cut(p.data, newline)
		s.Line(text, r.line)
		if s.Peek() == 0 && s.End() == nil {
			continue // a blank line
		}
		if err := l.parseObject(&s, &r); err == nil {
			into.add(&r)
		} else if fault := (*filepos.Error)(nil); errors.As(err, &fault) { // as all errors of lines are
			into.reject((*FileError)(fault))
		}
	}
}

// parseObject reads the object that a line consists of.
func (l layout) parseObject(s *jsonscan.Scanner, r *record) error {
	if !s.Accept('{') {
		return s.Unexpected("an object with " + l.describe())
	}
	for i := range l {
		r.cells[i] = cell{}
	}
	var chosen [maxFields]int // of each field: the rank of the name that it is taken from
	for i := 0; ; i++ {
		name, more, err := s.Member(i)
		if err != nil {
			return err
		}
		if !more {
			return s.End()
		}
		own := string(name)
		fields := uint(0) // that the value is for, a bit each
		for field := range l {
			rank := l[field].rank(own)
			switch {
			case rank == 0:
			case rank == chosen[field]:
				return s.Fail(fmt.Sprintf("%q for the second time", name), "each name once")
			case chosen[field] == 0 || rank < chosen[field]:
				chosen[field] = rank
				fields |= 1 << field
			}
		}
		begin := s.Peek()
		value, err := s.Value()
		if err != nil {
			return err
		}
		switch {
		case fields == 0:
			continue
		case begin == 'n': // null
			value = nil
		case begin == '{' || begin == '[':
			return s.Fail(wording.Short(string(value)), "a text or a number")
		}
		for ; fields != 0; fields &= fields - 1 { // without its last bit
			r.cells[bits.TrailingZeros(fields)] = cell{value, s.Token().Column}
		}
	}
}
