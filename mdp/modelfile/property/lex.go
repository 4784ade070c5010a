package property

// Tokens: words, numbers, texts in quotation marks and symbols, with their places.

import (
	"slices"
	"strings"
	"text/scanner"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// token is a token with its place. Its kind is that of package scanner: EOF, Ident, Int,
// Float, String or, for any symbol, 0.
type token struct {
	kind         rune
	text         string // of a String, what is inside of the quotation marks
	line, column int
}

// String returns the token as errors show it.
func (t token) String() string {
	switch t.kind {
	case scanner.EOF:
		return "the end"
	case scanner.String:
		return wording.Quote(t.text)
	}
	return wording.Short(t.text)
}

// is reports whether the token is a word or a symbol.
func (t token) is(text string) bool {
	return (t.kind == scanner.Ident || t.kind == 0) && t.text == text
}

// fault returns an error at the token.
func fault(file string, at token, found, expected string) error {
	return &modelfile.SyntaxError{File: file, Line: at.line, Column: at.column, Found: found, Expected: expected}
}

// scan returns the tokens of a text; the last is its end.
func scan(text, file string) (found []token, err error) {
	var s scanner.Scanner
	s.Init(strings.NewReader(text))
	s.Mode = scanner.ScanIdents | scanner.ScanFloats | scanner.ScanStrings | scanner.ScanComments | scanner.SkipComments
	s.Error = func(s *scanner.Scanner, message string) {
		if err == nil {
			err = fault(file, token{line: max(s.Line, 1), column: max(s.Column, 1)}, message, `a property such as P=? [F "goal"]`)
		}
	}
	for {
		kind := s.Scan()
		t := token{kind, s.TokenText(), max(s.Line, 1), s.Offset - strings.LastIndexByte(text[:s.Offset], '\n')}
		switch kind {
		case scanner.Ident, scanner.Int, scanner.Float:
		case scanner.EOF:
			return append(found, t), err
		case scanner.String:
			t.text = strings.TrimSuffix(t.text[1:], `"`)
		default:
			t.kind = 0
			for slices.Contains([]string{"<=", "<=>", ">=", "=>", "<<"}, t.text+string(s.Peek())) {
				t.text += string(s.Next())
			}
		}
		if found = append(found, t); err != nil {
			return nil, err
		}
	}
}
