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
	from, to     int // in the text
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

// is reports whether the token is one of some words or symbols.
func (t token) is(texts ...string) bool {
	return (t.kind == scanner.Ident || t.kind == 0) && slices.Contains(texts, t.text)
}

// fault returns an error at the token.
func fault(file string, at token, found, expected string) error {
	return &modelfile.SyntaxError{File: file, Line: at.line, Column: at.column, Found: found, Expected: expected}
}

// scan sets the tokens of the text; the last is its end.
func (p *parser) scan() {
	var s scanner.Scanner
	s.Init(strings.NewReader(p.text))
	s.Mode = scanner.ScanIdents | scanner.ScanFloats | scanner.ScanStrings | scanner.ScanComments | scanner.SkipComments
	s.Error = func(s *scanner.Scanner, message string) {
		p.fail(token{line: max(s.Line, 1), column: max(s.Column, 1)}, message, `a property such as P=? [F "goal"]`)
	}
	for p.err == nil {
		kind := s.Scan()
		t := token{kind, s.TokenText(), max(s.Line, 1), s.Offset - strings.LastIndexByte(p.text[:s.Offset], '\n'), s.Offset, 0}
		switch kind {
		case scanner.Ident, scanner.Int, scanner.Float, scanner.EOF:
		case scanner.String:
			t.text = strings.TrimSuffix(t.text[1:], `"`)
		default:
			t.kind = 0
			for slices.Contains([]string{"<=", ">=", "=>", "<=>", "<<", "!=", "||"}, t.text+string(s.Peek())) {
				t.text += string(s.Next())
			}
		}
		t.to = s.Pos().Offset
		if p.tokens = append(p.tokens, t); kind == scanner.EOF {
			return
		}
	}
}
