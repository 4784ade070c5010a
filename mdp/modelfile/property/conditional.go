package property

// Conditional probabilities.

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// conditional returns P(F a | F b). In a chain it is P(F a & F b) / P(F b), of which the first is the
// expected probability of the second of the two events where the first one occurs. In a model with
// choices, only the values of the initial states are found; those of others lie between 0 and 1.
//
// Source: C. Baier, J. Klein, S. Klüppelholz and S. Märcker, Computing conditional probabilities in
// Markovian models efficiently, TACAS 2014.
func (e *evaluation) conditional(q *query, a, b []bool) []value {
	if e.m.IsUncertain() {
		e.fail(q.at, "a conditional probability in a model with intervals", "an ordinary model")
		return nil
	}
	reach := func(states []bool, sense string) []value {
		own := *q
		own.kind, own.sense = "U", sense
		return e.solve(&own, slices.Repeat([]bool{true}, len(states)), states)
	}
	ofA, ofB, possible := reach(a, q.sense), reach(b, q.sense), reach(b, "max")
	if e.err != nil {
		return nil
	}
	for _, s := range e.m.Initial {
		if possible[s] == isFalse {
			e.fail(q.at, "a condition that has the probability 0 in state "+e.m.StateName(int(s)), "one that may hold")
			return nil
		}
	}
	if e.m.NumChoices() > e.m.NumStates() {
		return e.byRestarts(q, a, b, ofA, ofB, reach(b, "min"))
	}
	either, second := make([]bool, len(a)), make([]value, len(a))
	for s := range a {
		if either[s], second[s] = a[s] || b[s], ofA[s]; a[s] {
			second[s] = ofB[s]
		}
		if !either[s] {
			second[s] = value{}
		}
	}
	x := e.stage(q, either, nil, second)
	for s := range x {
		if possible[s] == isFalse { // it is not defined
			x[s] = undecided
			continue
		}
		x[s] = compute("/", x[s], ofB[s])
		x[s].low, x[s].high = max(0, x[s].low), min(1, x[s].high)
	}
	return x
}

// byRestarts returns the conditional probabilities in the initial states of a model with choices. A run
// on which F b fails starts again: where F b may be avoided for ever (by least), and, with the
// probability that F b fails, where F a occurs first. Then all runs but a set of probability 0 satisfy
// F b. The greatest conditional probability is that to satisfy F a in that model, and the least is the
// complement of the greatest one to miss it.
func (e *evaluation) byRestarts(q *query, a, b []bool, ofA, ofB, least []value) []value {
	x := slices.Repeat([]value{undecided}, len(a))
	for _, s := range e.m.Initial {
		var low, high value
		if q.sense == "max" {
			low, high = e.restarted(q, s, a, b, ofA, ofB, least, false), e.restarted(q, s, a, b, ofA, ofB, least, true)
		} else {
			low, high = compute("-", isTrue, e.restarted(q, s, a, b, ofA, ofB, least, false)), compute("-", isTrue, e.restarted(q, s, a, b, ofA, ofB, least, true))
		}
		if x[s] = (value{low: max(0, low.low), high: min(1, high.high)}); low.exact != nil && high.exact != nil && low.exact.Cmp(high.exact) == 0 {
			x[s] = low
		}
	}
	return x
}

// restarted returns the greatest probability to satisfy F a from a state, or to miss it for the least
// conditional probability, in the model with restarts, given the lower or the upper bounds on the
// probabilities of the second event.
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
