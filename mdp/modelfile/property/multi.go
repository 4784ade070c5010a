package property

// Several objectives.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"text/scanner"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Objective is one of several objectives of a property: a reward that is optimised, or limited.
type Objective struct {
	Reward   string   // the name of a reward model
	Maximize bool     // for a reward that is optimised
	Relation string   // "<=" or ">=" for a reward that is limited, otherwise ""
	Limit    *big.Rat // nil for a reward that is not limited
}

// Objectives are the objectives of multi(…), stated as rewards of one criterion.
type Objectives struct {
	// Model has their rewards. It is the model given or, for objectives that need more, one made of it:
	// see [Property.Objectives].
	Model *modelfile.Model

	Criterion string // "average", "finite" or "total"
	Steps     int    // of "finite"
	Target    string // the label where a "total" ends

	All []Objective // those that are optimised first
}

// Optimized returns the number of objectives of multi(…) that are optimised by min=? or max=?; −1 for
// another property. If none is, the property asks whether some policy keeps to all limits.
func (p *Property) Optimized() int {
	if p.root.operator != "multi" {
		return -1
	}
	count := 0
	for _, n := range p.root.operands {
		if n.query.relation == "" {
			count++
		}
	}
	return count
}

// Objectives states the objectives of multi(…) about a model. They are rewards R [S], rewards
// R [C<=t] of one time, or rewards R [F φ] of one φ. R [C] and R [S] also go together with P of path formulas
// without a time: then states of Model remember which of these have come true. Beside R [S], such a P is
// the long-run average of a reward of 1 where its formula holds. Beside R [C], it is a reward for
// stopping, a choice that Model adds wherever a policy may stay without rewards for ever. Other
// combinations are a [*modelfile.SyntaxError].
func (p *Property) Objectives(m *modelfile.Model) (*Objectives, error) {
	e := p.evaluation(m)
	criteria := map[string]bool{}
	for _, n := range p.root.operands {
		q := n.query
		criterion := q.criterion()
		if criterion == "" {
			return nil, e.noObjective(q, `P of a path formula without a time, S, or R with [S], [C], [C<=t] or [F "label"], with min=?, max=?, <= or >=`)
		}
		criteria[criterion] = true
		for _, set := range q.sets() {
			if set.contains(true, isAnswered) {
				return nil, e.noObjective(q, "operators without operators inside of them")
			}
			if _, err := e.check(&node{operator: "query", query: &query{left: set}}); err != nil {
				return nil, err
			}
		}
	}
	q := p.root.operands[0].query
	if m.IsUncertain() {
		return nil, fault(p.file, p.at, "several objectives in a model with intervals", "an ordinary model")
	}
	o := &Objectives{Model: m, Criterion: q.criterion()}
	var err error
	switch {
	case len(criteria) == 1 && o.Criterion == "finite":
		err = e.sameTime(p.root.operands, o)
	case len(criteria) == 1 && o.Criterion == "total":
		err = e.sameTarget(p.root.operands, o)
	case criteria["finite"], criteria["total"], criteria["endless"] && criteria["average"]:
		return nil, e.noObjective(q, "objectives of one criterion: totals [C], averages [S], or [C<=t] or [F φ] that is the same for all; P may stand beside [C] and [S]")
	default:
		err = e.remember(p.root.operands, o, criteria["endless"])
	}
	if err != nil {
		return nil, err
	}
	for i, n := range p.root.operands {
		q := n.query
		x := Objective{Reward: fmt.Sprintf("objective %d", i+1), Maximize: q.sense == "max", Relation: q.relation, Limit: q.limit}
		if o.Model == m || o.Criterion == "total" && !criteria["endless"] {
			found, err := m.Reward(q.reward)
			if err != nil {
				return nil, fault(p.file, q.at, strings.TrimPrefix(err.Error(), "modelfile: "), "")
			}
			x.Reward = found.Name
		}
		if o.All = append(o.All, x); x.Relation != "" {
			o.All[i].Maximize = x.Relation == ">="
		}
	}
	slices.SortStableFunc(o.All, func(x, y Objective) int { return min(len(x.Relation), 1) - min(len(y.Relation), 1) })
	return o, nil
}

func (e *evaluation) noObjective(q *query, expected string) error {
	return fault(e.file, q.at, q.text+" as one of several objectives", expected)
}

// criterion returns the criterion of an operator as one of several objectives: "paths" for P, "endless"
// for R [C]; "" if it cannot be one.
func (q *query) criterion() string {
	switch {
	case len(q.relation) == 1, q.relation == "" && q.sense == "", q.nature != "", q.discount != nil, q.events != nil, q.isOpposite, q.ofPaths, q.ofTime:
		return ""
	case q.operator == "P" && (q.kind == "U" || q.kind == "W") && q.bounds.upper == nil:
		return "paths"
	case q.kind == "S":
		return "average"
	case q.kind == "C" && q.bounds.upper != nil && q.bounds.upper.IsInt() && q.bounds.upper.Cmp(big.NewRat(math.MaxInt32, 1)) <= 0:
		return "finite"
	case q.kind == "C" && q.bounds.upper == nil:
		return "endless"
	case q.kind == "F":
		return "total"
	}
	return ""
}

// sameTime finds the number of steps of all objectives.
func (e *evaluation) sameTime(all []*node, o *Objectives) error {
	steps := func(b *bounds) int {
		t := int(b.upper.Num().Int64())
		if b.upperStrict {
			t--
		}
		return t
	}
	o.Steps = steps(&all[0].query.bounds)
	for _, n := range all {
		if t := steps(&n.query.bounds); t != o.Steps || t < 0 {
			return e.noObjective(n.query, "the same time, from 0, for all")
		}
	}
	return nil
}

// sameTarget finds the target of all objectives.
func (e *evaluation) sameTarget(all []*node, o *Objectives) error {
	target, _ := e.set(all[0].query.right, false)
	for _, n := range all {
		if other, _ := e.set(n.query.right, false); !slices.Equal(target, other) {
			return e.noObjective(n.query, "the same target for all")
		}
	}
	changed := *e.m
	o.Model, o.Target = &changed, "target"
	changed.Labels = map[string][]int32{o.Target: marked(target)}
	return nil
}

// marked returns the numbers of the states that are marked.
func marked(states []bool) []int32 {
	list := []int32{}
	for s, is := range states {
		if is {
			list = append(list, int32(s))
		}
	}
	return list
}

// remember makes the model whose states remember which path formulas have come true, with a reward for
// each objective.
func (e *evaluation) remember(all []*node, o *Objectives, isEndless bool) error {
	var events []event
	isPlain := true
	for _, n := range all {
		q := n.query
		if isPlain = isPlain && q.operator == "R" && !isEndless; q.operator == "P" {
			left, _ := e.set(q.left, true)
			right, _ := e.set(q.right, false)
			events = append(events, event{q.kind == "W", left, right})
		}
	}
	if o.Criterion = "average"; isPlain {
		return nil
	}
	if isEndless && e.m.Kind.IsContinuous() {
		return e.noObjective(all[0].query, "totals in a model with steps")
	}
	p := productOf(e.m, events, e.m.Initial, nil)
	if isEndless {
		stops, err := e.stops(all, p)
		if err != nil {
			return err
		}
		p = productOf(e.m, events, e.m.Initial, stops)
		o.Criterion, o.Target = "total", "stopped"
		p.Labels = map[string][]int32{o.Target: {int32(p.NumStates() - 1)}}
	}
	path := 0
	for i, n := range all {
		r := modelfile.RewardModel{}
		switch q := n.query; {
		case q.operator == "P" && isEndless:
			for k, s := range newStateGraph(p.Model).owner {
				x := zero
				if p.choices[k] < 0 && int(s) < len(p.of) && p.holds[path][s] {
					x = one
				}
				put(&r.Action, x, e.m.IsExact())
			}
			path++
		case q.operator == "P":
			r.State = ones(p.Model, p.holds[path])
			path++
		case q.operator == "S":
			states, _ := e.set(q.right, false)
			r = p.reward(&modelfile.RewardModel{State: ones(e.m, states)}, e.m.IsExact())
		default:
			found, err := e.m.Reward(q.reward)
			if err != nil {
				return fault(e.file, q.at, strings.TrimPrefix(err.Error(), "modelfile: "), "")
			}
			r = p.reward(found, e.m.IsExact())
		}
		r.Name = fmt.Sprintf("objective %d", i+1)
		p.Rewards = append(p.Rewards, r)
	}
	o.Model = p.Model
	return nil
}

// stops returns the states of a product where a policy may stay for ever without rewards. A policy that
// earns a finite total comes to one of them, and may stop there.
func (e *evaluation) stops(all []*node, p *product) ([]bool, error) {
	pays := make([]bool, p.NumChoices())
	var last *query // of rewards
	for _, n := range all {
		q := n.query
		if q.operator == "P" {
			continue
		}
		found, err := e.m.Reward(q.reward)
		if err != nil {
			return nil, fault(e.file, q.at, strings.TrimPrefix(err.Error(), "modelfile: "), "")
		}
		bare := *p.Model
		bare.Rewards = []modelfile.RewardModel{p.reward(found, e.m.IsExact())}
		expected, err := bare.ExpectedRewards(found.Name)
		if err != nil {
			return nil, err
		}
		own, isPositive := positive(expected, len(pays))
		if !isPositive {
			return nil, e.noObjective(q, "rewards from 0, or [S], or a target")
		}
		zeros, err := newStateGraph(&bare).zeros(mdp.LongRunAverage{}, true, own, make([]bool, p.NumStates()))
		if err != nil {
			return nil, err
		}
		if (q.sense == "max" || q.relation == ">=") && slices.Contains(zeros, false) {
			return nil, e.noObjective(q, "rewards whose total is finite for all policies")
		}
		for k, is := range own {
			pays[k] = pays[k] || is
		}
		last = q
	}
	stays, err := idle(p.Model, pays)
	if err != nil {
		return nil, err
	}
	ends := newStateGraph(p.Model).Surely(stays, negated(make([]bool, len(pays))))
	if slices.ContainsFunc(p.Initial, func(s int32) bool { return !ends[s] }) {
		return nil, e.noObjective(last, "rewards whose total is finite for some policy")
	}
	return stays, nil
}

// multi reads multi(…), after "multi". That of a single objective is that objective itself.
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
	if p.err == nil && len(n.operands) == 1 {
		return n.operands[0]
	}
	return n
}

// isMulti reports whether several objectives begin here.
func (p *parser) isMulti() bool {
	return p.peek().kind == scanner.Ident && p.peek().text == "multi" && p.after().is("(")
}
