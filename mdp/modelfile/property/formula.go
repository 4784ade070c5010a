package property

// Formulas of states: what they say, and the states where they hold.

import (
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// formula is a formula of states: an operator with its operands, or an atom.
type formula struct {
	operator    string // !, &, |, =>, <=>, or that of a comparison; "" for an atom
	left, right *formula
	at          token // of an atom, or of the variable of a comparison
	number      *big.Rat
}

// String returns the formula with parentheses around operands.
func (f *formula) String() string {
	operand := func(f *formula) string {
		if f.right != nil && f.operator != "!" {
			return "(" + f.String() + ")"
		}
		return f.String()
	}
	switch {
	case f.number != nil:
		return f.at.text + f.operator + f.number.RatString()
	case f.operator == "!":
		return "!" + operand(f.right)
	case f.operator != "":
		return operand(f.left) + " " + f.operator + " " + operand(f.right)
	case f.at.kind == quoted:
		return `"` + f.at.text + `"`
	}
	return f.at.text
}

// levels are the operators between two operands, those that bind least first.
var levels = []string{"<=>", "=>", "|", "&"}

// deepest is how deep parentheses and negations may be nested.
const deepest = 100

func (p *parser) formula() (*formula, error) { return p.level(0) }

// level reads operands of an operator, and operators that bind more.
func (p *parser) level(i int) (*formula, error) {
	if i == len(levels) {
		return p.operand()
	}
	left, err := p.level(i + 1)
	for err == nil && p.accept(levels[i]) {
		next := i + 1
		if levels[i] == "=>" { // from the right
			if p.depth++; p.depth > deepest {
				return nil, p.tooDeep()
			}
			next = i
		}
		f := &formula{operator: levels[i], left: left}
		f.right, err = p.level(next)
		if left = f; next == i {
			p.depth--
		}
	}
	return left, err
}

func (p *parser) tooDeep() error {
	return p.fault(p.peek(), "more than 100 operators inside of each other", "a shorter formula")
}

func (p *parser) operand() (f *formula, err error) {
	if p.depth++; p.depth > deepest {
		return nil, p.tooDeep()
	}
	defer func() { p.depth-- }()
	t := p.next()
	switch {
	case t.is("!"):
		f = &formula{operator: "!"}
		f.right, err = p.operand()
		return f, err
	case t.is("("):
		if f, err = p.formula(); err == nil {
			err = p.expect(")", `")", or &, | or => and a formula`)
		}
		return f, err
	case t.kind == quoted, t.is("true"), t.is("false"):
		return &formula{at: t}, nil
	case t.kind == word && unsupportedWord(t.text):
		return nil, p.refuse(t, "")
	case t.kind == word:
		return p.comparison(t)
	}
	return nil, p.fault(t, t.String(), `a label in quotation marks, true, false, ! or "("`)
}

// unsupportedWord reports whether a word begins what is not answered, and is no variable.
func unsupportedWord(text string) bool {
	return slices.Contains([]string{"F", "G", "X", "U", "W", "multi", "filter", "quantile"}, text) ||
		slices.Contains([]string{"P", "S", "R", "E", "A", "T", "LRA"}, strings.TrimSuffix(strings.TrimSuffix(text, "min"), "max"))
}

// comparison reads what follows a variable.
func (p *parser) comparison(variable token) (*formula, error) {
	f := &formula{at: variable}
	t := p.peek()
	switch t.text {
	case "=", "!=", "<", "<=", ">", ">=":
	default:
		return f, nil
	}
	p.next()
	f.operator = t.text
	minus := p.accept("-")
	x, err := p.number("a number: variables are compared with numbers only")
	if err == nil && minus {
		x = new(big.Rat).Neg(x)
	}
	f.number = x
	return f, err
}

// states returns where the formula holds.
func (f *formula) states(m *modelfile.Model, file string) ([]bool, error) {
	switch {
	case f.operator == "":
		return f.atom(m, file)
	case f.number != nil:
		return f.compare(m, file)
	}
	right, err := f.right.states(m, file)
	if err != nil {
		return nil, err
	}
	left := right
	if f.left != nil {
		if left, err = f.left.states(m, file); err != nil {
			return nil, err
		}
	}
	for s, y := range right {
		x := left[s]
		switch f.operator {
		case "!":
			right[s] = !y
		case "&":
			right[s] = x && y
		case "|":
			right[s] = x || y
		case "=>":
			right[s] = !x || y
		case "<=>":
			right[s] = x == y
		}
	}
	return right, nil
}

// atom returns where a label or a variable holds.
func (f *formula) atom(m *modelfile.Model, file string) ([]bool, error) {
	holds := make([]bool, m.NumStates())
	if f.at.kind == word {
		switch f.at.text {
		case "true":
			return not(holds), nil
		case "false":
			return holds, nil
		}
		return f.valuation(m, file, func(value string) bool { return value == "true" })
	}
	_, labelled := m.Labels[f.at.text]
	if f.at.text == "deadlock" && !labelled {
		for s := range holds {
			holds[s] = m.Kind == modelfile.CTMC && m.RowStart[s] == m.RowStart[s+1]
		}
		return holds, nil
	}
	states, err := m.Labelled(f.at.text)
	if err != nil {
		found, expected, _ := strings.Cut(strings.TrimPrefix(err.Error(), "modelfile: "), ": ")
		return nil, fault(file, f.at, strings.TrimSuffix(found, " is not valid")+", which is not in the model", strings.TrimPrefix(expected, "use "))
	}
	for _, s := range states {
		holds[s] = true
	}
	return holds, nil
}

// compare returns where a comparison holds.
func (f *formula) compare(m *modelfile.Model, file string) ([]bool, error) {
	return f.valuation(m, file, func(value string) bool {
		x, _, err := number.ParseExact(strings.TrimPrefix(value, "-"))
		if err != nil {
			return false
		}
		if strings.HasPrefix(value, "-") {
			x.Neg(x)
		}
		switch c := x.Cmp(f.number); f.operator {
		case "=":
			return c == 0
		case "!=":
			return c != 0
		case "<":
			return c < 0
		case "<=":
			return c <= 0
		case ">":
			return c > 0
		}
		return x.Cmp(f.number) >= 0
	})
}

// valuation returns where the value of a variable is as wanted. The names of states are
// lists of values, such as "(0,true)", in the order of the list of variables.
func (f *formula) valuation(m *modelfile.Model, file string, wanted func(value string) bool) ([]bool, error) {
	list := func(text string) []string { return strings.Split(strings.Trim(text, "()"), ",") }
	place := slices.Index(list(m.Variables), f.at.text)
	if place < 0 || m.StateNames == nil {
		return nil, fault(file, f.at, f.at.String()+", which is no variable of the model", `a label in quotation marks, such as "goal"`)
	}
	holds := make([]bool, m.NumStates())
	for s, name := range m.StateNames {
		values := list(name)
		if place >= len(values) {
			return nil, fault(file, f.at, "state "+wording.Quote(name)+" without a value of "+f.at.String(), "a label in quotation marks")
		}
		holds[s] = wanted(strings.TrimSpace(values[place]))
	}
	return holds, nil
}

// not returns where something does not hold.
func not(holds []bool) []bool {
	other := make([]bool, len(holds))
	for s := range holds {
		other[s] = !holds[s]
	}
	return other
}
