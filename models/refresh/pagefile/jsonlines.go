package pagefile

// This file reads JSON lines: an object on each line.

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
)

// parseJSONLines adds the rows of a piece to a block.
func (l layout) parseJSONLines(p piece, into *block) {
	var s jsonscan.Scanner
	var r record
	line := p.line
	for text := range bytes.SplitSeq(p.data, newline) {
		if len(bytes.Trim(text, " \t\r")) > 0 {
			s.Line(text, line)
			r = record{line: line}
			if err := l.parseObject(&s, text, &r); err == nil {
				into.add(&r)
			} else if fault := (*filepos.Error)(nil); errors.As(err, &fault) { // as all errors of lines are
				into.reject((*FileError)(fault))
			}
		}
		line++
	}
}

// parseObject reads the object that a line consists of.
func (l layout) parseObject(s *jsonscan.Scanner, line []byte, r *record) error {
	if !s.Accept('{') {
		return s.Unexpected("an object with " + l.describe())
	}
	escapes := bytes.IndexByte(line, '\\') >= 0
	var chosen [maxFields]int // of each field: 1 + the number of the name that it is taken from
	for i := 0; ; i++ {
		name, more, err := s.Member(i)
		if err != nil {
			return err
		}
		if !more {
			return s.End()
		}
		var fields [maxFields]bool // that the value is for
		used := false
		for field := range l {
			for choice, own := range l[field].names {
				switch {
				case string(name) != own:
				case chosen[field] == choice+1:
					return s.Fail(fmt.Sprintf("%q for the second time", own), "each name once")
				case chosen[field] == 0 || choice < chosen[field]:
					chosen[field], fields[field], used = choice+1, true, true
				}
			}
		}
		kind, text, err := s.Value()
		if err != nil {
			return err
		}
		if !used {
			continue
		}
		c := cell{kind: jsonKinds[kind], text: text, column: s.Token().Column}
		if escapes {
			c.text = bytes.Clone(text) // the scanner uses its memory again
		}
		for field := range l {
			if fields[field] {
				r.cells[field] = c
			}
		}
	}
}

// jsonKinds are the kinds of cells that hold the kinds of values of JSON.
var jsonKinds = [...]cellKind{
	jsonscan.Null: missing, jsonscan.Bool: boolean, jsonscan.Number: digits, jsonscan.Text: text, jsonscan.Nested: other,
}
