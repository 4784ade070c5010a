package property

// Formulas of states: what they say, and the states where they hold.

import (
	"slices"
	"strings"
	"text/scanner"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// formula is a formula of states: an operator with its operands, or an atom.
type formula struct {
	operator    string // !, &, |, <=> or =>; "" for an atom
	left, right *formula
	at          token // of an atom
}

// levels are the operators between two operands, those that bind least first.
var levels = []string{"=>", "<=>", "|", "&"}

// deepest is how deep parentheses and negations may be nested.
const deepest = 100

func (p *parser) formula() *formula { return p.level(0) }

// level reads operands of an operator, and operators that bind more.
func (p *parser) level(i int) *formula {
	if i == len(levels) {
		return p.operand()
	}
	left := p.level(i + 1)
	for p.accept(levels[i]) {
		left = &formula{operator: levels[i], left: left, right: p.level(i + 1)}
	}
	return left
}

func (p *parser) operand() (f *formula) {
	if p.depth++; p.depth > deepest {
		p.fail(p.peek(), "more than 100 operators inside of each other", "a shorter formula")
	}
	defer func() { p.depth-- }()
	switch t := p.next(); {
	case t.is("!"):
		return &formula{operator: "!", right: p.operand()}
	case t.is("("):
		f = p.formula()
		p.expect(")", `")", or &, |, <=> or => and a formula`)
		return f
	case t.kind == scanner.String, t.is("true", "false"):
		return &formula{at: t}
	default:
		p.refuse(t, `a label in quotation marks, true, false, ! or "(": variables are not known`)
		return nil
	}
}

// states returns where the formula holds.
func (f *formula) states(m *modelfile.Model, file string) ([]bool, error) {
	if f.operator == "" {
		return f.atom(m, file)
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
		case "<=>":
			right[s] = x == y
		case "=>":
			right[s] = !x || y
		}
	}
	return right, nil
}

// atom returns where a label or a variable holds.
func (f *formula) atom(m *modelfile.Model, file string) ([]bool, error) {
	holds := make([]bool, m.NumStates())
	if f.at.kind != scanner.String {
		return slices.Repeat([]bool{f.at.text == "true"}, len(holds)), nil
	}
	_, labelled := m.Labels[f.at.text]
	if f.at.text == "deadlock" && !labelled {
		for s := range holds {
			holds[s] = m.Kind.IsContinuous() && m.RowStart[m.StateStart[s]] == m.RowStart[m.StateStart[s+1]]
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
