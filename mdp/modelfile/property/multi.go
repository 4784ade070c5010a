package property

// Several objectives.

import (
	"math"
	"math/big"
	"text/scanner"
)

// Objective is one of several objectives of a property: a reward that is optimised, or limited.
type Objective struct {
	Reward   string
	Maximize bool     // of a reward that is optimised
	Relation string   // "<=" or ">=" and
	Limit    *big.Rat // a number, of one that is limited; "" and nil for others

	// Criterion is "average" for R [S], "finite" for R [C<=t], which has a number of Steps, or "total"
	// for R [F "label"], which ends in the states of a Target.
	Criterion string
	Steps     int
	Target    string
}

// Objectives returns the objectives of multi(…), nil for another property. These have one criterion:
// one of them is optimised and the others are limited, or two are optimised. Other objectives
// are a [*modelfile.SyntaxError].
func (p *Property) Objectives() ([]Objective, error) {
	if p.root.operator != "multi" {
		return nil, nil
	}
	var all []Objective
	optimized := 0
	for _, n := range p.root.operands {
		o, ok := n.query.objective()
		first := o
		if len(all) > 0 {
			first = all[0]
		}
		if !ok || o.Criterion != first.Criterion || o.Steps != first.Steps || o.Target != first.Target {
			return nil, fault(p.file, n.at, n.query.text+" as one of several objectives",
				`R{"name"} with [S], [C<=t] or [F "label"], the same for all, as in multi(R{"a"}min=? [S], R{"b"}<=3 [S])`)
		}
		if all = append(all, o); o.Relation == "" {
			optimized++
		}
	}
	isTradeOff := optimized == 2 && len(all) == 2
	if len(all) < 2 || optimized != 1 && !isTradeOff {
		return nil, fault(p.file, p.at, "several objectives, of which "+[]string{"none is", "one is", "two are"}[min(optimized, 2)]+" optimised",
			"one that is optimised, by min=? or max=?, and limits; or two that are; or Storm")
	}
	return all, nil
}

// objective returns an operator as an objective, if it is one.
func (q *query) objective() (o Objective, ok bool) {
	o = Objective{Reward: q.reward, Maximize: q.sense == "max", Relation: q.relation, Limit: q.limit}
	ok = q.operator == "R" && q.reward != "" && q.discount == nil && (q.sense != "" || q.relation == "<=" || q.relation == ">=") && len(q.relation) != 1
	switch b := q.bounds.upper; {
	case q.kind == "S":
		o.Criterion = "average"
	case q.kind == "C" && b != nil && b.IsInt() && b.Cmp(big.NewRat(math.MaxInt32, 1)) <= 0:
		o.Criterion, o.Steps = "finite", int(b.Num().Int64())
		if q.bounds.upperStrict {
			o.Steps--
		}
	case q.kind == "F" && q.right.operator == "label":
		o.Criterion, o.Target = "total", q.right.at.text
	default:
		ok = false
	}
	return o, ok && o.Steps >= 0
}

// multi reads multi(…), after "multi".
func (p *parser) multi(at token) *node {
	n := &node{operator: "multi", at: at}
	p.expect("(", `"(" and objectives`)
	for more := true; more && p.err == nil; more = p.accept(",") {
		t := p.peek()
		o := p.operator()
		if p.err == nil && (o == nil || o.query == nil) {
			p.fail(t, t.String(), `an objective, such as R{"a"}min=? [S]`)
		}
		n.operands = append(n.operands, o)
	}
	p.expect(")", `")", or "," and another objective`)
	return n
}

// isMulti reports whether several objectives begin here.
func (p *parser) isMulti() bool {
	return p.peek().kind == scanner.Ident && p.peek().text == "multi" && p.after().is("(")
}
