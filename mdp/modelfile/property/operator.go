package property

// The grammar of the operators P, S, R, E and A, and of filters.

import (
	"math/big"
	"slices"
	"strings"
	"text/scanner"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

// query is an operator such as P, which asks a question about the model.
type query struct {
	at       token
	text     string // as it was written
	operator string // P, S or R
	ofPaths  bool   // E or A: P of a model in which policies pick transitions
	reward   string // the name of a reward model; "" for the only one
	ofTime   bool   // the reward is time, or steps
	sense    string // min, max or ""
	nature   string // the same for the choice within intervals
	relation string // of a threshold; "" for =?
	limit    *big.Rat

	kind        string // U, W, X, || (conditional); F, C or I of rewards; S
	left, right *node  // nil for true, and for false
	bounds      bounds
	discount    *big.Rat // nil for none
	isOpposite  bool     // one minus the probability is meant, of the opposite sense

	threshold, factor *node // what limit and discount are computed from

	// events are the path formulas of a conditional probability, the condition last, or the condition of
	// a conditional reward.
	events []*query
}

// sets returns the sets of states that an operator is about; nil for those that it lacks.
func (q *query) sets() []*node {
	list := []*node{q.left, q.right}
	for _, event := range q.events {
		list = append(list, event.left, event.right)
	}
	return list
}

// bounds are the bounds of a time; nil for none.
type bounds struct {
	at                       token
	lower, upper             *big.Rat
	lowerStrict, upperStrict bool
	lowerNode, upperNode     *node // what they are computed from
}

// path is an operator of time with its bounds.
type path struct{ bounds }

// filter is an operation on the values of states.
type filter struct{ kind string }

// filters are the operations, and whether they are applied to truth values.
var filters = map[string]bool{
	"min": false, "max": false, "avg": false, "sum": false, "range": false, "argmin": false, "argmax": false,
	"count": true, "forall": true, "exists": true, "first": false, "state": false, "print": false, "printall": false,
}

// operatorOf splits the word of an operator, such as Pmaxmin.
func operatorOf(word string) (stem, sense, nature string) {
	for _, stem := range []string{"LRA", "P", "S", "R", "T"} {
		rest, is := strings.CutPrefix(word, stem)
		if is && slices.Contains([]string{"", "min", "max", "minmin", "minmax", "maxmin", "maxmax"}, rest) {
			return stem, rest[:min(3, len(rest))], rest[min(3, len(rest)):]
		}
	}
	return "", "", ""
}

// operator reads an operator or a filter; nil if there is none.
func (p *parser) operator() *node {
	t := p.peek()
	if t.kind != scanner.Ident {
		return nil
	}
	stem, sense, nature := operatorOf(t.text)
	following := p.after()
	q := &query{at: t, operator: stem, sense: sense, nature: nature}
	switch {
	case t.text == "filter" && following.is("("):
		return p.filter()
	case t.is("E") && following.is("["): // a policy that picks transitions finds such a path
		q.operator, q.ofPaths, q.sense, q.relation, q.limit = "P", true, "max", ">", zero
	case t.is("A") && following.is("["):
		q.operator, q.ofPaths, q.sense, q.relation, q.limit = "P", true, "min", ">=", one
	case stem == "", stem == "T" && sense == "" && !following.is("=", "<=", ">=", "<", ">"):
		return nil
	case stem == "T" && following.is("=") && sense == "" && !p.tokens[min(p.position+2, len(p.tokens)-1)].is("?"):
		return nil // a variable
	case stem == "T":
		q.operator, q.ofTime = "R", true
	case stem == "LRA":
		q.operator = "S"
	}
	p.enter()
	defer p.leave()
	if p.next(); q.operator == "R" && !q.ofTime && p.accept("{") {
		q.reward = p.name("reward model")
		p.expect("}", `"}"`)
		if _, sense, nature := operatorOf("R" + p.peek().text); q.sense == "" && sense != "" {
			q.sense, q.nature = sense, nature
			p.next()
		}
	}
	if !q.ofPaths {
		p.threshold(q)
	}
	if t := p.peek(); !p.accept("[") {
		p.fail(t, t.String(), `"["`)
	}
	switch q.operator {
	case "P":
		p.pathFormula(q)
	case "R":
		p.rewardFormula(q)
	default:
		q.kind, q.right = "S", p.stateFormula()
	}
	n := &node{operator: "query", at: q.at, query: q}
	if t := p.peek(); p.accept("{") {
		n = p.oldFilter(n, t)
	}
	to := p.peek().to
	if p.expect("]", `"]"`); p.err == nil {
		q.text = p.text[q.at.from:to]
	}
	return n
}

// threshold reads =?, or a relation and a number.
func (p *parser) threshold(q *query) {
	switch t := p.next(); {
	case t.is("="):
		p.expect("?", `"?": a value is asked for by =?, and compared by >=, >, <= or <`)
	case t.is("<=", ">=", "<", ">"):
		q.relation, q.threshold = t.text, p.level(sums)
	default:
		p.fail(t, t.String(), "=?, or a threshold such as >=0.9")
	}
}

// stateFormula reads an expression without operators of time.
func (p *parser) stateFormula() *node {
	n := p.formula()
	if p.err == nil && n.contains(false, isTime) {
		p.refuseInside(n)
	}
	return n
}

// refuseInside refuses the first operator of time in a node.
func (p *parser) refuseInside(n *node) {
	n.contains(false, func(n *node) bool {
		if isTime(n) {
			p.refuse(n.at, "")
		}
		return isTime(n)
	})
}

// bounds reads the bounds of a time, if there are any.
func (p *parser) bounds() *path {
	b := &path{}
	b.at = p.peek()
	switch t := b.at; {
	case p.accept("<=", "<"):
		b.upperNode, b.upperStrict = p.level(sums), t.text == "<"
	case p.accept(">=", ">"):
		b.lowerNode, b.lowerStrict = p.level(sums), t.text == ">"
	case p.accept("="):
		b.lowerNode = p.level(sums)
		b.upperNode = b.lowerNode
	case p.accept("["):
		b.lowerNode = p.choice()
		p.expect(",", `"," and the end of the interval of time`)
		b.upperNode = p.choice()
		p.expect("]", `"]" after an interval of time`)
	case t.is("{"):
		p.fail(t, t.String()+": bounds on rewards are not answered"+storm, "")
	}
	return b
}

// pathFormula reads a path formula, or two for a conditional probability.
func (p *parser) pathFormula(q *query) {
	at := p.peek()
	if at.is("HOA") {
		p.refuse(at, "")
	}
	n := p.formula()
	if n.operator != "||" {
		p.path(q, n, at)
		return
	}
	q.kind = "||"
	for _, operand := range n.operands {
		p.event(q, operand)
	}
}

// event adds a path formula without a time to those of a conditional operator.
func (p *parser) event(q *query, n *node) {
	event := &query{at: q.at, operator: "P"}
	if p.path(event, n, n.at); p.err == nil && (event.kind == "X" || event.isOpposite || event.bounds.upperNode != nil) {
		p.fail(n.at, n.at.String()+" in a conditional operator", "F, G, U, W or R without a time, as in F a || F b; or Storm")
	}
	q.events = append(q.events, event)
}

// path brings an operator of time, which begins at a token, and its operands into the form of X, U or
// W: F b is true U b, G a is a W false, and a R b is b W (a & b).
func (p *parser) path(q *query, n *node, at token) {
	isNegated := false
	for p.err == nil && n.operator == "not" && n.operands[0].contains(false, isTime) {
		n, isNegated = n.operands[0], !isNegated
	}
	switch {
	case p.err != nil:
		return
	case n.contains(false, isTime) && n.path == nil:
		p.refuseInside(n)
		return
	case n.path == nil && p.peek().is("]", "{"): // what holds at once
		n = &node{operator: "U", at: at, path: &path{}, operands: []*node{truthNode(token{text: "false"}), n}}
	case n.path == nil:
		p.refuse(p.peek(), "an operator of time: F, G, X, U, W or R")
		return
	}
	for _, operand := range n.operands {
		if operand.contains(false, isTime) {
			p.refuseInside(operand)
			return
		}
	}
	q.bounds = n.path.bounds
	first, last := n.operands[0], n.operands[len(n.operands)-1]
	if q.kind = n.operator; q.bounds.lowerNode != nil {
		q.ofInterval(first, last)
		q.isOpposite = q.isOpposite != isNegated
		return
	}
	switch q.kind {
	case "F":
		q.kind, q.right = "U", last
	case "G":
		q.kind, q.left = "W", first
	case "R":
		q.kind, q.left, q.right = "W", last, both(first, last)
	case "X":
		q.right = last
	default:
		q.left, q.right = first, last
	}
	if isNegated {
		q.negate()
	}
}

// ofInterval brings a path formula with a time of at least something into the form of U, or of its
// opposite: G[s,t] a is !(true U[s,t] !a), and a R[s,t] b is !(!a U[s,t] !b). In these, what holds
// before s matters, unlike in the opposites of [query.negate].
func (q *query) ofInterval(a, b *node) {
	switch q.kind {
	case "F":
		q.right = b
	case "U":
		q.left, q.right = a, b
	case "G":
		q.right, q.isOpposite = opposite(b), true
	case "R":
		q.left, q.right, q.isOpposite = opposite(a), opposite(b), true
	case "W":
		q.left, q.right, q.isOpposite = both(a, opposite(b)), both(opposite(a), opposite(b)), true
	}
	q.kind = "U"
}

func both(left, right *node) *node {
	return &node{operator: "&", at: left.at, operands: []*node{left, right}}
}

func opposite(n *node) *node { return &node{operator: "not", at: n.at, operands: []*node{n}} }

// negate turns the path formula into its opposite: !(a U b) is (a & !b) W (!a & !b), and the other
// way round.
func (q *query) negate() {
	a, b := q.left, q.right
	switch {
	case q.kind == "X":
		q.right = opposite(b)
		return
	case a == nil: // a is true
		q.left, q.right = opposite(b), nil
	case b == nil: // b is false
		q.left, q.right = a, opposite(a)
	default:
		q.left, q.right = both(a, opposite(b)), both(opposite(a), opposite(b))
	}
	q.kind = map[string]string{"U": "W", "W": "U"}[q.kind]
}

// isReached reports whether a path formula is F φ.
func isReached(n *node) bool {
	return n.operator == "F" && n.path.upperNode == nil && n.path.lowerNode == nil && !n.operands[0].contains(false, isTime)
}

// rewardFormula reads F φ, F φ || F ψ, C, C<=t, I=t, S or LRA.
func (p *parser) rewardFormula(q *query) {
	closing := 0 // parentheses around what is no formula
	for i := p.position; p.err == nil && p.tokens[i].is("("); i++ {
		if p.tokens[i+1].is("C", "Cdiscount", "I", "S", "LRA", "MP") {
			closing = i + 1 - p.position
			p.position = i + 1
		}
	}
	defer func() {
		for range closing {
			p.expect(")", `")"`)
		}
	}()
	t := p.peek()
	discounted := func() {
		if p.accept("discount", "Cdiscount") {
			p.expect("=", `"=" and a discount factor`)
			q.factor = p.level(sums)
		}
	}
	switch q.kind = t.text; {
	case p.accept("C"):
		if s := p.peek(); p.accept("<=", "<") {
			q.bounds = bounds{at: s, upperNode: p.level(sums), upperStrict: s.text == "<"}
		}
		discounted()
	case t.is("Cdiscount"):
		q.kind = "C"
		discounted()
	case p.accept("I"):
		p.expect("=", `"=" and a time`)
		q.bounds = bounds{at: t, upperNode: p.level(sums)}
	case p.accept("S", "LRA", "MP"):
		q.kind = "S"
	default:
		n := p.formula()
		switch {
		case p.err != nil:
		case n.operator == "||" && isReached(n.operands[0]):
			q.kind, q.right = "F", n.operands[0].operands[0]
			p.event(q, n.operands[1])
		case isReached(n):
			q.kind, q.right = "F", n.operands[0]
		case n.contains(false, isTime):
			p.fail(n.at, n.at.String()+": co-safe rewards, and rewards until F with a bound, are not answered"+storm, "")
		default:
			p.fail(t, t.String(), "F, C, C<=t, I=t, S or LRA for rewards")
		}
	}
}

// checkNumbers checks limits and times, which are known now.
func (p *parser) checkNumbers(q *query) {
	b := &q.bounds
	switch {
	case q.limit != nil && q.operator != "R" && (q.limit.Sign() < 0 || q.limit.Cmp(one) > 0):
		p.fail(q.threshold.at, number.Short(q.limit), "a probability, from 0 to 1")
	case b.lower != nil && b.lower.Sign() < 0 || b.upper != nil && b.upper.Sign() < 0:
		p.fail(b.at, "a time below 0", "a time from 0")
	case b.lower != nil && b.upper != nil && (b.lower.Cmp(b.upper) > 0):
		p.fail(b.at, "an interval of time that ends before it begins", "another interval")
	case q.discount != nil && (q.discount.Sign() < 0 || q.discount.Cmp(one) >= 0):
		p.fail(q.factor.at, "a discount factor of "+number.Short(q.discount), "a number from 0 and below 1")
	}
}

// filter reads filter(kind, value, states).
func (p *parser) filter() *node {
	p.enter()
	defer p.leave()
	at := p.next()
	p.next()
	kind := p.next()
	name := map[string]string{"+": "sum", "&": "forall", "|": "exists"}[kind.text]
	if name == "" {
		name = kind.text
	}
	if _, is := filters[name]; !is {
		p.fail(kind, kind.String(), "min, max, avg, sum, count, forall, exists, first, state, range, argmin, argmax or print")
	}
	p.expect(",", `"," and what is filtered`)
	n := &node{operator: "filter", at: at, filter: &filter{name}, operands: []*node{p.stateFormula()}}
	if p.accept(",") {
		n.operands = append(n.operands, p.stateFormula())
	}
	p.expect(")", `")", or "," and the states of the filter`)
	return n
}

// oldFilter reads the states of the older notation, as in P=? [F "a" {"b"}{min}], from which the
// value of the only one, the least or the greatest one is asked for.
func (p *parser) oldFilter(n *node, at token) *node {
	states := p.stateFormula()
	p.expect("}", `"}"`)
	kind := "state"
	for p.accept("{") {
		t := p.next()
		switch {
		case !t.is("min", "max"):
			p.fail(t, t.String(), "min or max")
		case kind != "state" && kind != t.text:
			kind = "range"
		default:
			kind = t.text
		}
		p.expect("}", `"}"`)
	}
	if n.query.relation != "" && kind == "state" {
		kind = "forall"
	}
	return &node{operator: "filter", at: at, filter: &filter{kind}, operands: []*node{n, states}}
}
