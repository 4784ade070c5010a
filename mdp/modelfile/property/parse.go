package property

// The grammar of properties.

import (
	"math/big"
	"slices"
	"strings"
	"text/scanner"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

// Parse reads properties: any number, each with a name before it or not, with or without
// semicolons between them, among comments and constants:
//
//	const int N = 10; // steps
//	"quick": Pmax>=0.9 [F<=N "goal"];
//
// file is what errors call the text. Every error is a [*modelfile.SyntaxError].
func Parse(text, file string) ([]*Property, error) {
	p := &parser{text: text, file: file, constants: map[string]*big.Rat{}}
	p.scan()
	var found []*Property
	for p.err == nil && (found == nil || p.peek().kind != scanner.EOF) {
		switch t := p.peek(); {
		case p.accept(";"):
		case p.accept("const"):
			p.constant(t)
		default:
			next := p.property()
			if slices.ContainsFunc(found, func(p *Property) bool { return p.Name == next.Name && p.Name != "" }) {
				p.fail(t, t.String()+" for the second time", "a name that no other property has")
			}
			found = append(found, next)
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return found, nil
}

// parser stands at a token. After the first fault it stands at the end.
type parser struct {
	text, file string
	tokens     []token
	position   int
	constants  map[string]*big.Rat
	declared   string // the declarations of the constants
	isUsed     bool   // a constant, in the property
	depth      int    // of operators and parentheses
	err        error
}

// fail notes the first fault.
func (p *parser) fail(at token, found, expected string) {
	if p.err == nil {
		p.err = fault(p.file, at, found, expected)
	}
}

func (p *parser) peek() token {
	if p.err != nil {
		return token{kind: scanner.EOF}
	}
	return p.tokens[p.position]
}

// next returns the token and passes it, unless it is the end.
func (p *parser) next() token {
	t := p.peek()
	if t.kind != scanner.EOF {
		p.position++
	}
	return t
}

// accept passes one of some words or symbols, if it is there.
func (p *parser) accept(texts ...string) bool {
	is := p.peek().is(texts...)
	if is {
		p.next()
	}
	return is
}

// expect passes a symbol, or says what was expected.
func (p *parser) expect(text, expected string) {
	if t := p.peek(); !p.accept(text) {
		p.refuse(t, expected)
	}
}

// name passes a text in quotation marks.
func (p *parser) name() string {
	t := p.next()
	if t.kind != scanner.String {
		p.fail(t, t.String(), "the name of a reward model in quotation marks")
	}
	return t.text
}

// unanswered says of the words and symbols that begin something which is not answered what
// that is.
var unanswered = map[string]string{
	"P":        "operators inside of each other are not answered (a label may stand for the states where the inner one holds)",
	"R":        "operators inside of each other are not answered (for release, a R b is b W (a & b))",
	"F":        "formulas of LTL, with several operators of time, are not answered: only one F, G, X, U or W",
	"T":        "expected times are asked for by R, with a reward model that earns 1 in each state",
	"filter":   "filters are not answered (the answer of a property without one has the values of all states)",
	"multi":    "properties with several objectives are not answered",
	"quantile": "quantiles are not answered",
	"label":    "labels have to be those of the model",
	"<<":       "games are not answered",
	"interval": "time intervals are not answered: only bounds such as F<=t",
}

// refuse says what was expected in place of a token, or what it begins that is not
// answered.
func (p *parser) refuse(t token, expected string) {
	name, _ := cutSense(t.text)
	switch name {
	case "S", "LRA", "E", "A":
		name = "P"
	case "G", "X", "U", "W":
		name = "F"
	}
	if what := unanswered[name]; what != "" && (t.kind == scanner.Ident || t.kind == 0) {
		p.fail(t, t.String()+": "+what, "")
	}
	p.fail(t, t.String(), expected)
}

// cutSense cuts min or max off an operator.
func cutSense(operator string) (stem, sense string) {
	for _, sense := range []string{"min", "max"} {
		if stem, is := strings.CutSuffix(operator, sense); is {
			return stem, sense
		}
	}
	return operator, ""
}

// constant reads the value of a constant, whose declaration begins at a token.
func (p *parser) constant(from token) {
	p.accept("int", "double")
	name := p.next()
	if name.kind != scanner.Ident {
		p.fail(name, name.String(), "the name of a constant")
	}
	p.expect("=", "= and a number: give a value to each constant")
	if p.constants[name.text] != nil {
		p.fail(name, name.String()+" for the second time", "one value for each constant")
	}
	p.constants[name.text] = p.number("a number")
	to := p.peek().to
	if p.expect(";", `";"`); p.err == nil {
		p.declared += p.text[from.from:to] + " "
	}
}

// begins is what a property begins with.
const begins = `P, S, LRA, R, E or A, as in P=? [F "goal"]`

// property reads a property, with its name.
func (p *parser) property() *Property {
	q := &Property{file: p.file}
	p.isUsed = false
	if p.peek().kind == scanner.String {
		q.Name = p.name()
		p.expect(":", `":" after the name of a property, and `+begins)
	}
	q.at = p.next()
	switch q.operator, q.sense = cutSense(q.at.text); {
	case q.operator == "LRA":
		q.operator = "S"
	case q.at.is("E"): // a policy that picks transitions finds such a path
		q.operator, q.ofPaths, q.sense, q.relation, q.limit = "P", true, "max", ">", zero
	case q.at.is("A"):
		q.operator, q.ofPaths, q.sense, q.relation, q.limit = "P", true, "min", ">=", one
	}
	if !q.at.is(q.at.text) || !slices.Contains([]string{"P", "S", "R"}, q.operator) {
		p.refuse(q.at, begins)
	}
	if q.operator == "R" && p.accept("{") {
		q.reward = p.name()
		p.expect("}", `"}"`)
		if t := p.peek(); q.sense == "" && p.accept("min", "max") {
			q.sense = t.text
		}
	}
	if !q.ofPaths {
		p.threshold(q)
	}
	if t := p.peek(); !p.accept("[") {
		p.fail(t, t.String(), `"["`)
	}
	closing := p.opened()
	switch q.operator {
	case "P":
		p.pathFormula(q)
	case "R":
		p.rewardFormula(q)
	default:
		q.path, q.right = "S", p.formula()
	}
	for range closing {
		p.expect(")", `")"`)
	}
	to := p.peek().to
	if p.expect("]", `"]"`); p.err == nil {
		if q.text = p.text[q.at.from:to]; p.isUsed {
			q.text = p.declared + q.text
		}
	}
	return q
}

// opened passes the parentheses that begin here and end together before the next "]", and
// returns how many there are.
func (p *parser) opened() (count int) {
	for ; p.peek().is("(") && count < deepest; count++ {
		depth, i := 0, p.position
		for ; i < len(p.tokens); i++ {
			switch t := p.tokens[i]; {
			case t.is("("):
				depth++
			case t.is(")"):
				depth--
			}
			if depth == 0 {
				break
			}
		}
		if i+1+count >= len(p.tokens) || !p.tokens[i+1+count].is("]") {
			break
		}
		p.next()
	}
	return count
}

// threshold reads =?, or a relation and a number.
func (p *parser) threshold(q *Property) {
	switch t := p.next(); {
	case t.is("="):
		p.expect("?", `"?": a value is asked for by =?, and compared by >=, >, <= or <`)
	case t.is("<=", ">=", "<", ">"):
		at := p.peek()
		q.relation, q.limit = t.text, p.number("a number")
		if q.operator != "R" && q.limit.Cmp(one) > 0 {
			p.fail(at, at.String(), "a probability, from 0 to 1")
		}
	default:
		p.fail(t, t.String(), "=?, or a threshold such as >=0.9")
	}
}

// pathFormula reads an operator of time and its operands.
func (p *parser) pathFormula(q *Property) {
	t := p.peek()
	if !p.accept("F", "G", "X") {
		q.left = p.formula()
		if t = p.next(); !t.is("U", "W") {
			p.refuse(t, "an operator of time: F, G, X, U or W")
		}
	}
	q.path = t.text
	switch bound := p.peek(); {
	case q.path == "X":
	case p.accept("<=", "<"):
		q.strict, q.time = bound.text == "<", p.number(timeText)
	case bound.is(">=", ">", "=", "[", "{"):
		p.fail(bound, bound.String()+": "+unanswered["interval"], "")
	}
	q.right = p.formula()
}

const timeText = "a number of steps, or a time"

// rewardFormula reads F φ, C, C<=t, I=t, S or LRA.
func (p *parser) rewardFormula(q *Property) {
	t := p.next()
	switch q.path = t.text; {
	case t.is("F"):
		if bound := p.peek(); bound.is("<=", "<", ">=", ">", "=", "[", "{") {
			p.fail(bound, bound.String()+": rewards until F with a bound are not answered", "")
		}
		q.right = p.formula()
	case t.is("C"):
		if p.accept("<=") {
			q.time = p.number(timeText)
		}
	case t.is("I"):
		p.expect("=", `"=" and a time`)
		q.time = p.number(timeText)
	case t.is("S", "LRA"):
		q.path = "S"
	default:
		p.fail(t, t.String(), "F, C, C<=t, I=t, S or LRA for rewards")
	}
}

// number reads a number: a numeral, a quotient of two, or a constant.
func (p *parser) number(allowed string) *big.Rat {
	isNumeral := func(t token) bool { return t.kind == scanner.Int || t.kind == scanner.Float }
	t := p.next()
	text := t.text
	if isNumeral(t) && p.peek().is("/") && isNumeral(p.tokens[p.position+1]) {
		text += p.next().text + p.next().text
	}
	x, isKnown := p.constants[text]
	p.isUsed = p.isUsed || isKnown
	if t.kind == scanner.Ident && !isKnown {
		p.fail(t, "the constant "+t.String()+" without a value", `a number, or a line "const int `+t.String()+` = 5;"`)
	}
	if isNumeral(t) {
		x, _, _ = number.ParseExact(text)
	}
	if x == nil {
		p.fail(t, t.String(), allowed)
		return new(big.Rat)
	}
	return x
}
