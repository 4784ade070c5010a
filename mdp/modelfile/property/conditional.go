package property

// Conditional probabilities and rewards.

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// events returns the events of a conditional operator.
func (e *evaluation) events(q *query) (list []event) {
	for _, x := range q.events {
		left, mayLeft := e.set(x.left, true)
		right, mayRight := e.set(x.right, false)
		if e.err == nil && !slices.Equal(left, mayLeft) {
			e.err = e.openSet(left, mayLeft)
		}
		if e.err == nil && !slices.Equal(right, mayRight) {
			e.err = e.openSet(right, mayRight)
		}
		list = append(list, event{x.kind == "W", left, right})
	}
	return list
}

// conditional returns the values of P(A | B), or of a reward until a target if B holds, or whether they
// meet the threshold. They are found in a product, in which A and B are sets of states where a run ends.
// In a chain, P(A | B) is the long-run share of A and B over that of B. In a model with choices, only the
// values of the initial states are found; those of others lie between 0 and 1.
func (e *evaluation) conditional(q *query, target, mayTarget []bool) []value {
	events := e.events(q)
	plain, err := e.plain(q)
	condition := events[len(events)-1]
	hasChoices := e.m.NumChoices() > e.m.NumStates()
	switch {
	case e.err == nil && err != nil:
		e.err = err
	case e.err == nil && !slices.Equal(target, mayTarget):
		e.err = e.openSet(target, mayTarget)
	case e.m.IsUncertain():
		e.fail(q.at, "a condition in a model with intervals", "an ordinary model")
	case hasChoices && q.operator == "R":
		e.fail(q.at, "a conditional reward in a model with choices", "a chain")
	case hasChoices && condition.isWeak:
		e.fail(q.at, "a condition that is no F or U in a model with choices", "F or U, or a chain")
	}
	if e.err != nil {
		return nil
	}
	from := e.m.Initial
	if !hasChoices {
		from = every(e.m.NumStates())
	}
	p := productOf(e.m, events, from, nil)
	inner := *e
	inner.m = p.Model
	plain.events = nil
	possible := inner.share(plain, "max", p.holds[len(events)-1])
	var x []value
	switch {
	case inner.err != nil:
	case slices.ContainsFunc(p.Initial, func(i int32) bool { return possible[i] == isFalse }):
		inner.fail(q.at, "a condition that has the probability 0 in an initial state", "one that may hold")
	case q.operator == "R":
		x = inner.rewardIf(plain, p, e.m, target, possible)
	case hasChoices:
		x = inner.byRestarts(plain, events[0].isWeak, p.holds[0], p.holds[1])
	default:
		both := slices.Clone(p.holds[0])
		for i, is := range p.holds[1] {
			both[i] = both[i] && is
		}
		for i, y := range inner.share(plain, "max", both) {
			y = compute("/", y, possible[i])
			y.low, y.high = max(0, y.low), min(1, y.high)
			x = append(x, y)
		}
	}
	if e.err, e.isOpen = inner.err, inner.isOpen; e.err != nil {
		return nil
	}
	values := slices.Repeat([]value{undecided}, e.m.NumStates())
	for s, i := range p.at {
		if i >= 0 && possible[i] != isFalse { // else it is not defined
			values[s] = x[i]
		}
	}
	return e.compared(q, values)
}

// every returns the numbers from 0 below n.
func every(n int) (list []int32) {
	for s := range n {
		list = append(list, int32(s))
	}
	return list
}

// share returns the least or the greatest probability to end in some states, which are not left again.
func (e *evaluation) share(q *query, sense string, states []bool) []value {
	own := *q
	own.operator, own.kind, own.sense = "P", "S", sense
	return e.solve(&own, states, states)
}

// rewardIf returns the expected rewards until a target, given that the condition holds. Let h be the
// probability of the condition from each state. A reward r of the state s then counts as r·h(s), and one
// of a transition to the state t as r·h(t). The result is the expected sum of these, divided by h of
// the state where the run begins.
func (e *evaluation) rewardIf(q *query, p *product, m *modelfile.Model, target []bool, h []value) []value {
	until := make([]bool, len(h))
	for i := range until {
		until[i] = target[p.of[i]] || h[i] == isFalse
	}
	r, err := (&question{query: q, file: e.file, from: m}).paid()
	if err != nil {
		e.err = err
		return nil
	}
	all := p.reward(&r, m.IsExact())
	owners := make([]int32, p.NumChoices())
	for i := range h {
		for k := p.StateStart[i]; k < p.StateStart[i+1]; k++ {
			owners[k] = int32(i)
		}
	}
	side := func(upper bool) []value {
		weighed := func(list modelfile.Numbers, at []int32) (to modelfile.Numbers) {
			for i, x := range list.Rationals() {
				factor := h[at[i]].rational()
				if bound := h[at[i]].low; factor == nil {
					if upper == (x.Sign() > 0) {
						bound = h[at[i]].high
					}
					factor = new(big.Rat).SetFloat64(bound)
				}
				put(&to, new(big.Rat).Mul(x, factor), m.IsExact())
			}
			return to
		}
		own := modelfile.RewardModel{Name: all.Name, State: weighed(all.State, every(len(h))), Action: weighed(all.Action, owners), Transition: weighed(all.Transition, p.Columns)}
		asked := (&question{query: q, file: e.file, from: p.Model, sense: mdp.Minimize}).total(own, until)
		asked.query = q
		return e.put(q, asked, nil)
	}
	x, y := side(false), side(true)
	for i := range x {
		if x[i].rational() == nil || y[i].rational() == nil || x[i].rational().Cmp(y[i].rational()) != 0 {
			x[i] = value{low: x[i].low, high: y[i].high}
		}
		x[i] = compute("/", x[i], h[i])
	}
	return x
}

// byRestarts returns the conditional probabilities P(A | F b) in the initial states of a model with
// choices, where A is F a or, with isWeak, G a, which is solved as the complement of F !a. For F a it
// changes the model: a run on which F b fails starts again. It does so where F b may be avoided for ever
// (by least) and, with the probability that F b fails, where F a occurs first. So F b holds with
// probability 1. The greatest conditional probability is the greatest probability of F a in that model,
// and the least is the complement of the greatest probability to miss F a.
//
// Source: C. Baier, J. Klein, S. Klüppelholz and S. Märcker, Computing conditional probabilities in
// Markovian models efficiently, TACAS 2014.
func (e *evaluation) byRestarts(q *query, isWeak bool, a, b []bool) []value {
	own := *q
	if isWeak {
		a, own.sense = negated(a), map[string]string{"min": "max", "max": "min"}[q.sense]
	}
	ofA, ofB, least := e.share(&own, own.sense, a), e.share(&own, own.sense, b), e.share(&own, "min", b)
	if e.err != nil {
		return nil
	}
	x := slices.Repeat([]value{undecided}, len(a))
	for _, s := range e.m.Initial {
		low, high := e.restarted(&own, s, a, b, ofA, ofB, least, false), e.restarted(&own, s, a, b, ofA, ofB, least, true)
		if own.sense == "min" {
			low, high = complement(low), complement(high)
		}
		if x[s] = (value{low: low.low, high: high.high}); low.exact != nil && high.exact != nil && low.exact.Cmp(high.exact) == 0 {
			x[s] = low
		}
		if isWeak {
			x[s] = complement(x[s])
		}
	}
	return x
}

// restarted returns the greatest probability, in the model with restarts, to satisfy F a from a state
// or, for the least conditional probability, to miss it. Where one of the events has occurred, the
// probability of the other is given by its lower or its upper bound.
func (e *evaluation) restarted(q *query, from int32, a, b []bool, ofA, ofB, least []value, upper bool) value {
	bound := func(x value) *big.Rat {
		switch {
		case x.exact != nil && e.m.IsExact():
			return x.exact
		case upper:
			return new(big.Rat).SetFloat64(x.high)
		}
		return new(big.Rat).SetFloat64(x.low)
	}
	m, n := e.m, int32(len(a))
	win, lose := n, n+1
	if q.sense == "min" {
		win, lose = lose, win
	}
	to := &modelfile.Model{Kind: modelfile.MDP, Initial: []int32{from}, StateStart: []int32{0}, RowStart: []int32{0}}
	if m.IsExact() {
		to.Values.Exact = []*big.Rat{}
	}
	row := func(targets []int32, p ...*big.Rat) {
		for i, j := range targets {
			if p[i].Sign() > 0 {
				to.Columns = append(to.Columns, j)
				put(&to.Values, p[i], m.IsExact())
			}
		}
		to.RowStart = append(to.RowStart, int32(len(to.Columns)))
	}
	rest := func(p *big.Rat) *big.Rat { return new(big.Rat).Sub(one, p) }
	plain := jumps(m)
	for s := range n {
		switch {
		case a[s] && b[s]:
			row([]int32{win}, one)
		case a[s]:
			p := bound(ofB[s])
			row([]int32{from, win}, rest(p), p)
		case b[s]:
			p := bound(ofA[s])
			row([]int32{win, lose}, p, rest(p))
		default:
			for k := plain.StateStart[s]; k < plain.StateStart[s+1]; k++ {
				lo, hi := plain.RowStart[k], plain.RowStart[k+1]
				numbers := modelfile.Numbers{Float: plain.Values.Float[lo:hi]}
				if m.IsExact() {
					numbers.Exact = plain.Values.Exact[lo:hi]
				}
				row(plain.Columns[lo:hi], numbers.Rationals()...)
			}
			if least[s] == isFalse {
				row([]int32{from}, one)
			}
		}
		to.StateStart = append(to.StateStart, int32(len(to.RowStart)-1))
	}
	for s := n; s < n+2; s++ {
		row([]int32{s}, one)
		to.StateStart = append(to.StateStart, int32(len(to.RowStart)-1))
	}
	goal := make([]bool, n+2)
	goal[n] = true
	own := *q
	own.kind, own.sense = "U", "max"
	inner := *e
	inner.m = to
	x := inner.solve(&own, slices.Repeat([]bool{true}, len(goal)), goal)
	if e.err = inner.err; e.err != nil {
		return undecided
	}
	return x[from]
}
