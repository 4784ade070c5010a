package property

// The grammar of properties.

import (
	"math/big"
	"slices"
	"strings"
	"text/scanner"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Parse reads properties: any number, each with a name before it or not, with or without
// semicolons between them, among comments and constants:
//
//	const int N = 10; // steps
//	"quick": Pmax>=0.9 [F<=N "goal"];
//
// file is what errors call the text. Every error is a [*modelfile.SyntaxError].
func Parse(text, file string) ([]*Property, error) {
	tokens, err := scan(text, file)
	if err != nil {
		return nil, err
	}
	p := &parser{file: file, tokens: tokens, constants: map[string]*big.Rat{}}
	var found []*Property
	for {
		switch t := p.peek(); {
		case t.is(";"):
			p.next()
		case t.is("const"):
			if err := p.constant(); err != nil {
				return nil, err
			}
		case t.kind == scanner.EOF && found != nil:
			return found, nil
		default:
			next, err := p.property()
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(found, func(p *Property) bool { return p.Name == next.Name && p.Name != "" }) {
				return nil, p.fault(t, t.String()+" for the second time", "a name that no other property has")
			}
			found = append(found, next)
		}
	}
}

// parser stands at a token of a list.
type parser struct {
	file      string
	tokens    []token
	position  int
	constants map[string]*big.Rat
	depth     int // of parentheses and the like
}

func (p *parser) peek() token { return p.tokens[p.position] }

// next returns the token and passes it, unless it is the end.
func (p *parser) next() token {
	t := p.peek()
	if t.kind != scanner.EOF {
		p.position++
	}
	return t
}

// accept passes a word or a symbol, if it is there.
func (p *parser) accept(text string) bool {
	is := p.peek().is(text)
	if is {
		p.next()
	}
	return is
}

func (p *parser) fault(at token, found, expected string) error {
	return fault(p.file, at, found, expected)
}

// expect passes a symbol, or says what was expected.
func (p *parser) expect(text, expected string) error {
	if t := p.peek(); !p.accept(text) {
		return p.refuse(t, expected)
	}
	return nil
}

// instead says what to write in place of what is not answered.
var instead = map[string]string{
	"P": "no P inside of another operator: give its states a label, and ask in two properties",
	"R": "no R inside of another operator (for release, a R b is b W (a & b))",
	"F": "one F, G, X, U or W only: formulas such as G F are not answered",
	"E": "Pmax>0 [...], in place of E of CTL", "A": "Pmin>=1 [...], in place of A of CTL",
	"T":        "R, with a reward model that earns 1 in each state",
	"filter":   "the property without its filter: the answer has the values of all states",
	"multi":    "a property with one objective",
	"quantile": "a property with a bound that you vary",
	"label":    "the labels of the model",
	"<<":       "P or R: games are not answered",
	"[":        "a bound such as F<=t: time intervals are not answered",
}

// refuse says what was expected in place of a token, or what to write if it begins
// something that is not answered.
func (p *parser) refuse(t token, expected string) error {
	name := t.text
	if t.kind == scanner.Ident {
		name = strings.TrimSuffix(strings.TrimSuffix(name, "min"), "max")
	}
	switch name {
	case "S", "LRA":
		name = "P"
	case "G", "X", "U", "W":
		name = "F"
	}
	if advice := instead[name]; advice != "" && (t.kind == scanner.Ident || t.kind == 0) {
		expected = advice
	}
	return p.fault(t, t.String(), expected)
}

// constant reads the value of a constant.
func (p *parser) constant() error {
	p.next()
	if !p.accept("int") {
		p.accept("double")
	}
	name := p.next()
	if name.kind != scanner.Ident {
		return p.fault(name, name.String(), "the name of a constant")
	}
	if err := p.expect("=", "= and a number: give a value to each constant"); err != nil {
		return err
	}
	x, err := p.number("a number")
	if err != nil {
		return err
	}
	p.constants[name.text] = x
	return p.expect(";", `";"`)
}

// begins is what a property begins with.
const begins = `P, S, LRA or R, as in P=? [F "goal"]`

// property reads a property, with its name.
func (p *parser) property() (*Property, error) {
	q := &Property{file: p.file}
	if t := p.peek(); t.kind == scanner.String {
		p.next()
		q.Name = t.text
		if err := p.expect(":", `":" after the name of a property, and `+begins); err != nil {
			return nil, err
		}
	}
	q.at = p.next()
	operator := q.at.text
	if stem, is := strings.CutSuffix(operator, "min"); is {
		operator, q.sense = stem, "min"
	} else if stem, is := strings.CutSuffix(operator, "max"); is {
		operator, q.sense = stem, "max"
	}
	switch {
	case q.at.kind != scanner.Ident, operator != "P" && operator != "S" && operator != "LRA" && operator != "R":
		return nil, p.refuse(q.at, begins)
	case operator == "LRA":
		operator = "S"
	}
	q.operator = operator
	from := p.position - 1
	for _, part := range []func(*Property) error{p.rewardName, p.threshold, p.body} {
		if err := part(q); err != nil {
			return nil, err
		}
	}
	q.text = p.written(p.tokens[from:p.position])
	return q, nil
}

// written returns the text of tokens, with the values of constants.
func (p *parser) written(tokens []token) string {
	isInfix := func(t token) bool { return t.is("&") || t.is("|") || t.is("=>") }
	var text strings.Builder
	for i, t := range tokens {
		before := tokens[max(i-1, 0)]
		begins, ends := t.kind != 0 || t.is("!") || t.is("("), before.kind != 0 || before.is(")")
		if i > 0 && (begins && ends || t.is("[") || isInfix(t) || isInfix(before)) {
			text.WriteString(" ")
		}
		if x := p.constants[t.text]; x != nil && t.kind == scanner.Ident {
			t.text = x.RatString()
		} else if t.kind == scanner.String {
			t.text = `"` + t.text + `"`
		}
		text.WriteString(t.text)
	}
	return text.String()
}

// rewardName reads {"energy"}, and min or max behind it.
func (p *parser) rewardName(q *Property) error {
	if q.operator != "R" || !p.accept("{") {
		return nil
	}
	t := p.next()
	if t.kind != scanner.String {
		return p.fault(t, t.String(), `the name of a reward model in quotation marks`)
	}
	q.reward = t.text
	if err := p.expect("}", `"}"`); err != nil {
		return err
	}
	for _, sense := range []string{"min", "max"} {
		if q.sense == "" && p.accept(sense) {
			q.sense = sense
		}
	}
	return nil
}

// threshold reads =?, or a relation and a number.
func (p *parser) threshold(q *Property) error {
	t := p.next()
	switch t.text {
	case "=":
		return p.expect("?", `"?": a value is asked for by =?, and compared by >=, >, <= or <`)
	case "<=", ">=", "<", ">":
	default:
		return p.fault(t, t.String(), `=?, or a threshold such as >=0.9`)
	}
	at := p.peek()
	q.relation = t.text
	var err error
	if q.limit, err = p.number("a number"); err == nil && q.operator != "R" && q.limit.Cmp(big.NewRat(1, 1)) > 0 {
		return p.fault(at, at.String(), "a probability, from 0 to 1")
	}
	return err
}

// body reads what stands in brackets.
func (p *parser) body(q *Property) error {
	if err := p.expect("[", `"["`); err != nil {
		return err
	}
	read := map[string]func(*Property) error{"P": p.pathFormula, "R": p.rewardFormula, "S": p.stateFormula}[q.operator]
	if err := read(q); err != nil {
		return err
	}
	return p.expect("]", `"]"`)
}

func (p *parser) stateFormula(q *Property) (err error) {
	q.path = "S"
	q.right, err = p.formula()
	return err
}

// pathFormula reads an operator of time and its operands.
func (p *parser) pathFormula(q *Property) (err error) {
	if t := p.peek(); t.is("F") || t.is("G") || t.is("X") {
		q.path = t.text
		p.next()
	} else {
		if q.left, err = p.formula(); err != nil {
			return err
		}
		if t := p.next(); t.is("U") || t.is("W") {
			q.path = t.text
		} else {
			return p.refuse(t, "an operator of time: F, G, X, U or W")
		}
	}
	if q.path != "X" {
		if err := p.timeBound(q); err != nil {
			return err
		}
	}
	q.right, err = p.formula()
	return err
}

// timeBound reads a bound such as <=5, if there is one.
func (p *parser) timeBound(q *Property) (err error) {
	t := p.peek()
	switch t.text {
	case "<=", "<":
		p.next()
		q.strict = t.text == "<"
		q.time, err = p.number("a number of steps, or a time")
		return err
	case ">=", ">", "=", "[", "{":
		if t.kind == 0 {
			return p.fault(t, t.String(), instead["["])
		}
	}
	return nil
}

// rewardFormula reads F φ, C, C<=t, I=t, S or LRA.
func (p *parser) rewardFormula(q *Property) (err error) {
	t := p.next()
	switch {
	case t.is("F"):
		q.path = "F"
		if bound := p.peek(); bound.kind == 0 && strings.ContainsAny(bound.text, "<>=[{") {
			return p.fault(bound, bound.String(), "F without a bound: use C<=t for rewards within a time")
		}
		q.right, err = p.formula()
	case t.is("C"):
		if q.path = "C"; p.accept("<=") {
			q.time, err = p.number("a number of steps, or a time")
		}
	case t.is("I"):
		q.path = "I"
		if err := p.expect("=", `"=" and a time`); err != nil {
			return err
		}
		q.time, err = p.number("a number of steps, or a time")
	case t.is("S"), t.is("LRA"):
		q.path = "S"
	default:
		return p.fault(t, t.String(), "F, C, C<=t, I=t, S or LRA for rewards")
	}
	return err
}

// number reads a number: a numeral, a quotient of two, or a constant.
func (p *parser) number(allowed string) (*big.Rat, error) {
	isNumeral := func(t token) bool { return t.kind == scanner.Int || t.kind == scanner.Float }
	t := p.next()
	constant, known := p.constants[t.text]
	switch {
	case t.kind == scanner.Ident && known:
		return constant, nil
	case t.kind == scanner.Ident:
		return nil, p.fault(t, "the constant "+t.String()+" without a value", `a number, or a line "const int `+t.String()+` = 5;"`)
	case !isNumeral(t):
		return nil, p.fault(t, t.String(), allowed)
	}
	text := t.text
	if p.peek().is("/") && isNumeral(p.tokens[p.position+1]) {
		p.next()
		text += "/" + p.next().text
	}
	x, _, err := number.ParseExact(text)
	if err != nil {
		return nil, p.fault(t, wording.Short(text), allowed)
	}
	return x, nil
}
