package property

// The syntax tree of expressions, and their grammar.

import (
	"math/big"
	"slices"
	"strings"
	"text/scanner"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

// node is a node of the syntax tree: an operator or a function with its operands, or what stands
// for a value itself.
type node struct {
	// operator is a symbol such as "&", the name of a function, "not", "negate", "?", or one of
	// "number", "truth" (true or false), "name" (of a variable), "label", "query" and "filter".
	operator string
	operands []*node
	at       token

	number *big.Rat // of a number; of true it is 1, of false nil
	query  *query   // P, S, R, E or A
	filter *filter
	path   *path // of an operator of time, and of its bounds
}

// truthNode returns the node of true or false.
func truthNode(t token) *node {
	n := &node{operator: "truth", at: t}
	if t.text == "true" {
		n.number = one
	}
	return n
}

// levels are the operators, those that bind least first. All but "not" stand between two operands.
// "?", which is not in the list, binds less than all of them.
var levels = [][]string{{"=>"}, {"<=>"}, {"|"}, {"&"}, {"not"}, {"=", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/"}}

// The levels at which numbers, and operands of "not", begin.
const (
	negation = 4
	sums     = 7
)

// functions are the functions with their number of operands; −1 for any number above 1.
var functions = map[string]int{"min": -1, "max": -1, "floor": 1, "ceil": 1, "round": 1, "pow": 2, "mod": 2}

// deepest is how deep operators may be nested.
const deepest = 100

// enter counts operators inside of each other; the caller is to call leave.
func (p *parser) enter() {
	if p.depth++; p.depth > deepest {
		p.fail(p.peek(), "more than 100 operators inside of each other", "a shorter formula")
	}
}

func (p *parser) leave() { p.depth-- }

// formula reads an expression, which may have operators of time between two operands, or two of them,
// one under the condition of the other.
func (p *parser) formula() *node {
	left := p.until()
	if t := p.peek(); p.accept("||") {
		return &node{operator: "||", at: t, path: &path{}, operands: []*node{left, p.until()}}
	}
	return left
}

// until reads an expression, which may have an operator of time between two operands.
func (p *parser) until() *node {
	left := p.choice()
	t := p.peek()
	if !p.accept("U", "W", "R") {
		return left
	}
	n := &node{operator: t.text, at: t, path: p.bounds()}
	n.operands = []*node{left, p.choice()}
	if again := p.peek(); again.is("U", "W", "R") {
		p.refuse(again, "")
	}
	return n
}

// choice reads a ? b : c, or what binds more.
func (p *parser) choice() *node {
	if t := p.peek(); p.accept("F", "G", "X") {
		p.enter()
		defer p.leave()
		n := &node{operator: t.text, at: t, path: &path{}}
		if t.text != "X" {
			n.path = p.bounds()
		}
		n.operands = []*node{p.choice()}
		return n
	}
	left := p.level(0)
	if t := p.peek(); p.accept("?") {
		p.enter()
		defer p.leave()
		n := &node{operator: "?", at: t, operands: []*node{left, p.choice()}}
		p.expect(":", `":" and the value if the condition is false`)
		n.operands = append(n.operands, p.choice())
		return n
	}
	return left
}

// level reads operands of the operators of a level, which associate to the left.
func (p *parser) level(i int) *node {
	if i == negation {
		if t := p.peek(); p.accept("!") {
			p.enter()
			defer p.leave()
			operand := p.choice
			if !p.peek().is("F", "G", "X") {
				operand = func() *node { return p.level(negation) }
			}
			return &node{operator: "not", at: t, operands: []*node{operand()}}
		}
		i++
	}
	if i == len(levels) {
		return p.power()
	}
	left := p.level(i + 1)
	for t := p.peek(); p.accept(levels[i]...); t = p.peek() {
		left = &node{operator: t.text, at: t, operands: []*node{left, p.level(i + 1)}}
	}
	return left
}

// power reads an operand, or a power of one. Powers of powers associate to the right.
func (p *parser) power() *node {
	base := p.operand()
	if t := p.peek(); p.accept("^") {
		p.enter()
		defer p.leave()
		return &node{operator: "pow", at: t, operands: []*node{base, p.power()}}
	}
	return base
}

// anOperand is what an operand begins with.
const anOperand = `a label in quotation marks, a variable, a number, true, false, ! or "("`

func (p *parser) operand() *node {
	p.enter()
	defer p.leave()
	t := p.peek()
	if q := p.operator(); q != nil {
		return q
	}
	switch p.next(); {
	case t.is("-"):
		return &node{operator: "negate", at: t, operands: []*node{p.power()}}
	case t.is("("):
		n := p.formula()
		p.expect(")", `")", or an operator and an operand`)
		return n
	case t.is("F", "G", "X"):
		p.refuse(t, "")
	case t.is("true", "false"):
		return truthNode(t)
	case t.kind == scanner.String:
		return &node{operator: "label", at: t}
	case t.kind == scanner.Int, t.kind == scanner.Float:
		x, _, _ := number.ParseExact(t.text)
		if x == nil {
			p.fail(t, t.String(), "a number")
		}
		return &node{operator: "number", at: t, number: x}
	case t.kind != scanner.Ident:
		p.refuse(t, anOperand)
	case t.is("func"):
		p.expect("(", `"(" and the name of a function`)
		name := p.next()
		p.expect(",", `"," and the operands of the function`)
		return p.call(name)
	case functions[t.text] != 0 && p.accept("("):
		return p.call(t)
	case slices.Contains(reserved, t.text), strings.Trim(t.text, "FGX") == "":
		p.refuse(t, anOperand)
	}
	return &node{operator: "name", at: t}
}

// reserved are the words of PRISM that no variable can have as its name, as far as they matter here.
var reserved = []string{"P", "R", "S", "LRA", "F", "G", "X", "U", "W", "C", "I", "E", "A", "filter", "multi", "quantile", "label", "formula", "const"}

// call reads the operands of a function, after its "(".
func (p *parser) call(name token) *node {
	n := &node{operator: name.text, at: name, operands: []*node{p.choice()}}
	for p.accept(",") {
		n.operands = append(n.operands, p.choice())
	}
	p.expect(")", `")" after the operands of `+name.String())
	if k := functions[name.text]; k == 0 || k > 0 && k != len(n.operands) {
		p.fail(name, name.String()+" of this number of operands", "min, max, floor, ceil, round, pow or mod")
	}
	return n
}

// contains reports whether a node, or one below it, satisfies a condition. What operators such as P
// and filters are applied to is looked at only if inside is set.
func (n *node) contains(inside bool, is func(*node) bool) bool {
	if n == nil {
		return false
	}
	if is(n) {
		return true
	}
	below := n.operands
	if inside && n.query != nil {
		below = append(n.query.sets(), below...)
	}
	return slices.ContainsFunc(below, func(n *node) bool { return n.contains(inside, is) })
}

// isTime reports whether a node is an operator of time.
func isTime(n *node) bool { return n.path != nil }

// isAnswered reports whether the value of a node needs answers to questions, or values of several
// states.
func isAnswered(n *node) bool { return n.query != nil || n.filter != nil }
