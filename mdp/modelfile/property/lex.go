package property

// Tokens: words, numbers, texts in quotation marks and symbols, with their places.

import (
	"math/big"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// token is a token with its place.
type token struct {
	kind         kind
	text         string
	line, column int
}

type kind int

const (
	end kind = iota
	word
	numeral
	quoted
	symbol
)

// String returns the token as errors show it.
func (t token) String() string {
	switch t.kind {
	case end:
		return "the end"
	case quoted:
		return wording.Quote(t.text)
	}
	return wording.Short(t.text)
}

// is reports whether the token is a word or a symbol.
func (t token) is(text string) bool {
	return (t.kind == word || t.kind == symbol) && t.text == text
}

// fault returns an error at the token.
func fault(file string, at token, found, expected string) error {
	return &modelfile.SyntaxError{File: file, Line: at.line, Column: at.column, Found: found, Expected: expected}
}

// symbols, longer ones first.
var symbols = []string{"<=>", "<=", ">=", "!=", "=>", "<", ">", "=", "?", "[", "]", "(", ")", "{", "}", "!", "&", "|", ",", ";", ":", "+", "-", "*", "/", "^"}

// scan returns the tokens of a text; the last is its end.
func scan(text, file string) ([]token, error) {
	var found []token
	line, start := 1, 0 // of the line
	for i := 0; ; {
		t := token{end, "", line, i - start + 1}
		if i >= len(text) {
			return append(found, t), nil
		}
		rest := text[i:]
		switch c := rest[0]; {
		case c == '\n':
			line, start = line+1, i+1
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case strings.HasPrefix(rest, "//"):
			i += length(rest, func(c byte) bool { return c != '\n' })
			continue
		case c == '"':
			inside, _, closed := strings.Cut(rest[1:], `"`)
			if !closed || inside == "" || strings.Contains(inside, "\n") {
				return nil, fault(file, t, `" without a name and a second "`, `a name such as "goal"`)
			}
			t.kind, t.text = quoted, inside
			i += len(inside) + 2
		case isDigit(c) || c == '.':
			n := numeralLength(rest)
			t.kind, t.text = numeral, rest[:n]
			i += n
		case isLetter(c):
			t.kind, t.text = word, rest[:length(rest, func(c byte) bool { return isLetter(c) || isDigit(c) })]
			i += len(t.text)
		default:
			for _, s := range symbols {
				if strings.HasPrefix(rest, s) {
					t.kind, t.text = symbol, s
					break
				}
			}
			if t.kind == end {
				return nil, fault(file, t, wording.Quote(firstRune(rest)), `a property such as P=? [F "goal"]`)
			}
			i += len(t.text)
		}
		found = append(found, t)
	}
}

func firstRune(text string) string {
	for i := range text {
		if i > 0 {
			return text[:i]
		}
	}
	return text
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// length returns how many bytes at the start of a text are of a kind.
func length(text string, of func(c byte) bool) int {
	n := 0
	for n < len(text) && of(text[n]) {
		n++
	}
	return n
}

// numeralLength returns the length of a decimal number, with its exponent.
func numeralLength(text string) int {
	n := length(text, func(c byte) bool { return isDigit(c) || c == '.' })
	if rest := text[n:]; rest != "" && rest[0]|0x20 == 'e' {
		sign := 1
		if len(rest) > 1 && (rest[1] == '+' || rest[1] == '-') {
			sign = 2
		}
		if digits := length(rest[sign:], isDigit); digits > 0 {
			n += sign + digits
		}
	}
	return n
}

// number reads a number: a numeral, a quotient of two, or a constant. The parser stands
// before it.
func (p *parser) number(allowed string) (*big.Rat, error) {
	t := p.next()
	if constant, is := p.constants[t.text]; is && t.kind == word {
		return constant, nil
	}
	if t.kind != numeral {
		if t.kind == word {
			return nil, p.fault(t, "the constant "+t.String()+" without a value", `a number, or a line "const int `+wording.Short(t.text)+` = 5;"`)
		}
		return nil, p.fault(t, t.String(), allowed)
	}
	text := t.text
	if p.peek().is("/") && p.tokens[p.position+1].kind == numeral {
		p.next()
		text += "/" + p.next().text
	}
	x, _, err := number.ParseExact(text)
	if err != nil {
		return nil, p.fault(t, wording.Short(text), allowed)
	}
	return x, nil
}
