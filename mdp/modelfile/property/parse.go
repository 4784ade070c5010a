package property

// Files of properties: declarations and properties. The grammar of operators is in operator.go.

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"text/scanner"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Parse reads properties: any number, each with a name before it or not, with or without
// semicolons between them, among comments, constants, formulas and labels:
//
//	const int N; // steps
//	label "idle" = queue=0 & !busy;
//	"quick": Pmax>=0.9 [F<=N "idle"];
//
// Filters are min, max, avg, sum, count, forall, exists, first, state, range, argmin, argmax and print.
// constants give values to constants, each as "N=10". file is what errors call the text. Every
// error is a [*modelfile.SyntaxError].
func Parse(text, file string, constants ...string) ([]*Property, error) {
	found, faults := ParseEach(text, file, constants...)
	if faults != nil {
		return nil, faults[0]
	}
	return found, nil
}

// ParseEach is [Parse] that goes on after a property with a fault: it returns those without one, and the
// faults of the others. A property ends at a semicolon, or at the end of a line where no bracket is open.
func ParseEach(text, file string, constants ...string) (found []*Property, faults []error) {
	p := &parser{text: text, file: file, definitions: map[string]*definition{}}
	p.scan()
	for _, given := range constants {
		p.give(given)
	}
	for p.err == nil && (found == nil && faults == nil || p.peek().kind != scanner.EOF) {
		switch t, from := p.peek(), p.position; {
		case p.accept(";"):
		case p.accept("const", "formula", "label"):
			p.declaration(t)
		default:
			q := p.property()
			if p.err == nil {
				found = append(found, q)
				continue
			}
			faults, p.err, p.depth = append(faults, p.err), nil, 0
			p.pass(from)
		}
	}
	list := found
	found = nil
	for _, q := range list {
		if p.err != nil {
			break
		}
		if p.complete(q); p.err == nil {
			found = append(found, q)
			continue
		}
		faults, p.err = append(faults, p.err), nil
	}
	for _, d := range p.given() {
		isNamed := slices.ContainsFunc(p.tokens, func(t token) bool { return t.is(d.name) })
		if p.err == nil && faults == nil && !isNamed {
			p.fail(token{line: 1, column: 1}, "no constant "+wording.Short(d.name), "a value for a constant of the properties")
		}
	}
	if p.err != nil { // of declarations, on which all may rely
		return nil, append([]error{p.err}, faults...)
	}
	return found, faults
}

// pass skips the rest of a property that has a fault. from is where the property begins.
func (p *parser) pass(from int) {
	depth := 0
	for p.position = from; p.peek().kind != scanner.EOF && !p.peek().is(";"); {
		t := p.next()
		switch {
		case t.is("(", "[", "{"):
			depth++
		case t.is(")", "]", "}"):
			depth--
		}
		if depth <= 0 && p.peek().line > t.line {
			return
		}
	}
}

// parser stands at a token. After the first fault it stands at the end.
type parser struct {
	text, file  string
	tokens      []token
	position    int
	definitions map[string]*definition // by name; labels and named properties with quotation marks
	depth       int                    // of operators and parentheses
	size        int                    // nodes of the property, with those of the names in it
	err         error
}

// definition is what a name stands for.
type definition struct {
	name, text string // the whole declaration
	body       *node
	number     int // in the order of the text

	given, declared bool                 // a constant whose value the caller gave; the text declares it
	isOpen          bool                 // it is being resolved
	size            int                  // nodes of the body, with those of the names in it
	uses            map[*definition]bool // itself, and the definitions in it; nil before it is resolved
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

// after returns the token after the next one.
func (p *parser) after() token {
	if p.err != nil || p.position+1 >= len(p.tokens) {
		return token{kind: scanner.EOF}
	}
	return p.tokens[p.position+1]
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
func (p *parser) name(what string) string {
	t := p.next()
	if t.kind != scanner.String {
		p.fail(t, t.String(), "the name of a "+what+" in quotation marks")
	}
	return t.text
}

// storm names the program that answers what this one does not.
const storm = ": use Storm for that"

// unanswered says what is not answered, by the word or symbol that it begins with.
var unanswered = map[string]string{
	"F":        "formulas of LTL, with several operators of time, are not answered" + storm,
	"HOA":      "automata are not answered" + storm,
	"multi":    "several objectives are answered as a whole property only",
	"quantile": "quantiles are not answered" + storm,
	"<<":       "games are not answered: use PRISM-games",
}

// refuse says what was expected in place of a token, or what it begins that is not
// answered.
func (p *parser) refuse(t token, expected string) {
	name := t.text
	if name != "" && strings.Trim(name, "FGXUWR") == "" { // also several in a word, such as GF
		name = "F"
	}
	if what := unanswered[name]; what != "" && (t.kind == scanner.Ident || t.kind == 0) {
		p.fail(t, t.String()+": "+what, "")
	}
	p.fail(t, t.String(), expected)
}

// define notes what a name stands for.
func (p *parser) define(key string, at token, d *definition) {
	if before := p.definitions[key]; before != nil && (before.declared || !before.given) {
		p.fail(at, at.String()+" for the second time", "a name that nothing else has")
	} else if before != nil { // the caller has given its value
		before.declared = true
		before.text = strings.TrimSuffix(d.text, ";") + " = " + strings.TrimPrefix(before.text, "const "+before.name+" = ")
		if _, _, hasValue := strings.Cut(d.text, "="); hasValue {
			p.fail(at, "a value for "+at.String()+", beside that of its declaration", "one value")
		}
		return
	}
	d.declared, d.number = true, len(p.definitions)
	p.definitions[key] = d
}

// give defines a constant by a text such as "N=10".
func (p *parser) give(text string) {
	name, number, _ := strings.Cut(text, "=")
	d := &definition{name: strings.TrimSpace(name), body: constantOf(strings.TrimSpace(number)), given: true}
	if d.text = "const " + d.name + " = " + strings.TrimSpace(number) + ";"; d.body == nil || d.name == "" {
		p.fail(token{line: 1, column: 1}, "the constant "+wording.Short(text), "a name and a value, as in N=10")
	}
	if p.definitions[d.name] != nil {
		p.fail(token{line: 1, column: 1}, "two values for the constant "+wording.Short(d.name), "one value")
	}
	p.definitions[d.name] = d
}

// constantOf returns the value of a constant that is written as a number or true or false.
func constantOf(text string) *node {
	if text == "true" || text == "false" {
		return truthNode(token{text: text})
	}
	x, _, err := number.ParseExact(text)
	if err != nil {
		return nil
	}
	return &node{operator: "number", number: x}
}

// given returns the constants whose values the caller gave.
func (p *parser) given() (list []*definition) {
	for _, name := range slices.Sorted(maps.Keys(p.definitions)) {
		if d := p.definitions[name]; d.given {
			list = append(list, d)
		}
	}
	return list
}

// declaration reads a constant, a formula or a label, whose declaration begins at a token.
func (p *parser) declaration(from token) {
	p.accept("int", "double", "bool")
	name := p.next()
	key := name.text
	switch {
	case from.text == "label" && name.kind == scanner.String:
		key = `"` + key
	case from.text == "label":
		p.fail(name, name.String(), "the name of a label in quotation marks")
	case name.kind != scanner.Ident || slices.Contains(reserved, key):
		p.fail(name, name.String(), "the name of a "+map[string]string{"const": "constant", "formula": "formula"}[from.text])
	}
	d := &definition{name: name.text}
	if t := p.peek(); p.accept("=") {
		d.body = p.choice()
	} else if from.text != "const" || !t.is(";") {
		p.fail(t, t.String(), `"=" and an expression`)
	}
	to := p.peek().to
	if p.expect(";", `";", or an operator and an operand`); p.err == nil {
		d.text = p.text[from.from:to]
		p.define(key, name, d)
	}
}

// begins is what a property begins with.
const begins = `P, S, LRA, R, E, A, filter or another operand, as in P=? [F "goal"]`

// property reads a property, with its name.
func (p *parser) property() *Property {
	q := &Property{file: p.file}
	name := p.peek()
	if name.kind == scanner.String && p.after().is(":") {
		q.Name = p.name("property")
		p.next()
	}
	if q.at = p.peek(); q.at.is("[") && p.after().is("[") {
		p.fail(q.at, "[[: "+unanswered["<<"], "")
	}
	if q.at.kind == scanner.EOF || q.at.kind == 0 && !q.at.is("(", "!", "-") {
		p.refuse(q.at, begins)
	}
	from := p.position
	if p.isMulti() {
		q.root = p.multi(p.next())
	} else {
		q.root = p.choice()
	}
	if p.err != nil {
		return q
	}
	if q.root.contains(false, isTime) {
		p.fail(q.root.at, q.root.at.String()+" without P, E or A", begins)
		return q
	}
	if q.text = p.text[q.at.from:p.tokens[p.position-1].to]; q.Name != "" {
		p.define(`"`+q.Name, name, &definition{name: q.Name, text: `label "` + q.Name + `" = ` + q.text + ";", body: q.root})
	}
	if from == p.position {
		p.refuse(q.at, begins)
	}
	return q
}

// mostNodes bounds properties: names that stand for others twice make them grow fast.
const mostNodes = 100_000

// complete replaces the names in a property by what they stand for, and puts the declarations of
// these names before its text.
func (p *parser) complete(q *Property) {
	used := map[*definition]bool{}
	p.size, q.written = 0, q.text
	p.resolve(q.root, used)
	order := slices.SortedFunc(maps.Keys(used), func(c, d *definition) int {
		return cmp.Or(cmp.Compare(c.number, d.number), cmp.Compare(c.name, d.name))
	})
	for _, d := range slices.Backward(order) {
		q.text = d.text + " " + q.text
	}
}

// resolve puts definitions in place of names, and numbers in place of limits and times. It notes
// which definitions it used.
func (p *parser) resolve(n *node, used map[*definition]bool) {
	if n == nil || p.err != nil {
		return
	}
	if p.size++; p.size > mostNodes {
		p.fail(n.at, fmt.Sprintf("more than %d operators and operands, with those of the names in it", mostNodes), "a shorter formula")
		return
	}
	if n.operator == "name" || n.operator == "label" {
		key := n.at.text
		if n.operator == "label" {
			key = `"` + key
		}
		if d := p.definitions[key]; d != nil {
			p.replace(n, d, used)
		}
		return
	}
	for _, below := range n.operands {
		p.resolve(below, used)
	}
	q := n.query
	if q == nil {
		return
	}
	for _, below := range append(q.sets(), q.threshold, q.bounds.lowerNode, q.bounds.upperNode, q.factor) {
		p.resolve(below, used)
	}
	for _, x := range []struct {
		from *node
		to   **big.Rat
	}{{q.threshold, &q.limit}, {q.bounds.lowerNode, &q.bounds.lower}, {q.bounds.upperNode, &q.bounds.upper}, {q.factor, &q.discount}} {
		if x.from != nil && p.err == nil {
			*x.to = p.numberOf(x.from)
		}
	}
	if p.err == nil {
		p.checkNumbers(q)
	}
}

// replace puts a definition in place of a name.
func (p *parser) replace(n *node, d *definition, used map[*definition]bool) {
	switch {
	case d.body == nil:
		p.fail(n.at, "the constant "+n.at.String()+" without a value", `a value, such as "const int `+n.at.String()+` = 5;"`)
		return
	case d.isOpen:
		p.fail(n.at, n.at.String()+", which stands for itself", "another name")
		return
	case d.uses == nil:
		before := p.size
		d.isOpen, d.uses = true, map[*definition]bool{d: true}
		p.resolve(d.body, d.uses)
		if d.isOpen, d.size = false, p.size-before; p.err != nil { // again for the next property that has the name
			d.uses = nil
			return
		}
	default:
		p.size += d.size
	}
	maps.Copy(used, d.uses)
	at := n.at
	*n = *d.body
	if n.at.line, n.at.column = at.line, at.column; n.operator != "name" && n.operator != "label" { // which are their text
		n.at = at
	}
}

// numberOf returns the value of an expression of constants.
func (p *parser) numberOf(n *node) *big.Rat {
	e := (&Property{file: p.file}).evaluation(nil)
	isTruth, err := e.check(n)
	var x value
	if err == nil && isTruth {
		err = fault(p.file, n.at, n.at.String(), "a number")
	}
	if err == nil {
		x, err = e.at(n, 0), e.err
	}
	if r := x.rational(); err == nil && r != nil {
		return r
	}
	p.err = cmp.Or(p.err, err, fault(p.file, n.at, n.at.String(), "a number"))
	return new(big.Rat)
}
