package mdp

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// paths is a stochastic shortest path problem: from every state that is not
// settled, the settled ones, whose values are known, are to be reached for sure
// at the least expected cost, by allowed choices. Some policy does so.
//
// Its bounds are proved row by row. For any h below the optimum on the settled
// states,
//
//	h ≤ c_k + P_k·h for all allowed choices k  ⇒  h ≤ optimum,
//
// as with a policy that reaches the settled states for sure the right-hand side,
// put into itself, tends to what the policy costs; and for a policy π that does,
// and h above the optimum there,
//
//	h ≥ c_π + P_π·h  ⇒  h ≥ cost of π ≥ optimum.
//
// Strongly connected components come one after the other, each after all that
// it leads to. Their states take the values lower and upper for which those
// inequalities hold in spite of rounding.
type paths struct {
	rows         *rows.Rows // its costs are for the lower bound
	run          *run
	inexact      float64   // relative error of the table
	dear         []float64 // costs for the upper bound, by choice
	likely       []float64 // costs for estimates, by choice
	allowed      []bool    // by choice; none leads to an infinite value
	settled      []bool
	policy       []int32       // reaches the settled states for sure
	lower, upper vector.Vector // in double-double
	value        vector.Vector // estimates
	place        []int32       // of the states of the component at hand, from 1
	least        float64       // what no value is below that is settled from now on, of those given up
	cycle        *Cycle        // of the states whose costs have no lower bound; nil for none
}

// newPaths returns a problem in which all choices are allowed, no state is settled,
// and costs are the same for all purposes.
func newPaths(r *run, all *rows.Rows, inexact float64) *paths {
	n := all.NumStates()
	return &paths{
		rows: all, run: r, inexact: inexact, dear: all.Costs, likely: all.Costs,
		allowed: slices.Repeat([]bool{true}, all.NumChoices()), settled: make([]bool, n), policy: make([]int32, n),
		lower: vector.New(n), upper: vector.New(n), value: vector.New(n),
	}
}

// solve solves component by component.
func (p *paths) solve() error {
	p.place = make([]int32, p.rows.NumStates())
	p.least = p.floor()
	for _, states := range p.components() {
		switch {
		case p.run.ended():
			p.giveUp(states)
		case p.leadsToEndless(states):
			p.endless(states)
		case len(states) == 1:
			p.single(int(states[0]))
		default:
			if err := p.solveComponent(states); err != nil {
				return err
			}
		}
	}
	return nil
}

// startFrom takes a policy to start from, unless a choice of it is not allowed
// or the settled states are not reached by it for sure.
func (p *paths) startFrom(policy []int32) {
	g := graph.New(len(policy))
	for s, a := range policy {
		if k := p.rows.StateStart[s] + a; !p.settled[s] {
			if !p.allowed[k] {
				return
			}
			g.Columns = append(g.Columns, p.rows.Next(k)...)
		}
		g.EndState()
	}
	for _, class := range g.Closed() {
		if !p.settled[class[0]] {
			return
		}
	}
	for s, a := range policy {
		if !p.settled[s] {
			p.policy[s] = a
		}
	}
}

// result returns the result for a model of n states and a rate of steps, number being the state of
// paths that stands for a state of it.
func (p *paths) result(n int, rate float64, number func(s int) int) *Result {
	result := &Result{Value: make([]float64, n), Method: PolicyIteration{}.String()}
	if p.run.settings.Method == nil {
		result.Reason = "it is exact, one strongly connected component after the other"
	}
	bounds := stateBounds{lower: make([]float64, n), upper: make([]float64, n)}
	below, above := vector.New(n), vector.New(n)
	for s := range n {
		i := number(s)
		below.Set(s, p.lower.At(i))
		above.Set(s, p.upper.At(i))
		lower, upper := p.lower.At(i).RoundDown(), p.upper.At(i).RoundUp()
		if rate != 1 {
			lower, upper = rounding.QuotientDown(lower, rate), -rounding.QuotientDown(-upper, rate)
		}
		bounds.lower[s], bounds.upper[s] = lower, upper
		result.Value[s] = between(p.value.High[i]/rate, lower, upper)
	}
	bounds.proof = [2]Witness{{Value: vectorOf(below)}, {Value: vectorOf(above)}}
	result.setBounds(bounds, scale{})
	return result
}

// between returns the estimate x, if it is between the bounds, or what is best of
// them.
func between(x, lower, upper float64) float64 {
	switch {
	case lower <= x && x <= upper:
		return x
	case lower == upper || math.IsInf(upper, 1):
		return lower
	case math.IsInf(lower, -1):
		return upper
	}
	return lower + (upper-lower)/2
}

// components returns the strongly connected components of the states that are
// not settled, each after those that it leads to.
func (p *paths) components() [][]int32 {
	n := p.rows.NumStates()
	g := graph.New(n)
	for s := range n {
		for k := p.rows.StateStart[s]; k < p.rows.StateStart[s+1] && !p.settled[s]; k++ {
			for _, j := range p.rows.Next(k) {
				if p.allowed[k] && int(j) != s && !p.settled[j] {
					g.Add(j)
				}
			}
		}
		g.EndState()
	}
	count, component := g.Components()
	for s := range component {
		if p.settled[s] {
			component[s] = -1
		}
	}
	components := graph.Members(component, count)
	return slices.DeleteFunc(components, func(states []int32) bool { return len(states) == 0 })
}

// giveUp settles states with what is known without work.
func (p *paths) giveUp(states []int32) {
	for _, s := range states {
		p.lower.Set(int(s), doubledouble.FromFloat(p.least))
		p.upper.Set(int(s), doubledouble.FromFloat(math.Inf(1)))
		p.value.Set(int(s), doubledouble.FromFloat(math.NaN()))
		p.settled[s] = true
	}
}

// floor returns a lower bound on all values: 0 where nothing is negative.
func (p *paths) floor() float64 {
	for s, v := range p.lower.High {
		if p.settled[s] && v < 0 {
			return math.Inf(-1)
		}
	}
	for _, c := range p.rows.Costs {
		if c < 0 {
			return math.Inf(-1)
		}
	}
	return 0
}

// goRound takes down a closed class of negative mean cost: its states, what is
// chosen there, and relative values.
func (p *paths) goRound(states, choices []int32, values []float64) {
	if p.cycle == nil {
		p.cycle = &Cycle{Policy: slices.Clone(p.policy), Value: vectorOf(vector.New(p.rows.NumStates()))}
	}
	for i, s := range states {
		p.cycle.Policy[s] = choices[i] - p.rows.StateStart[s]
		p.cycle.Value.High[s] = values[i]
	}
}

// endless settles states from which costs have no lower bound.
func (p *paths) endless(states []int32) {
	for _, s := range states {
		for _, v := range []vector.Vector{p.lower, p.upper, p.value} {
			v.Set(int(s), doubledouble.FromFloat(math.Inf(-1)))
		}
		p.settled[s] = true
	}
	p.least = math.Inf(-1)
}

// leadsToEndless says whether one of the states may go where costs have no lower
// bound, which makes that so for all of them: going there is one of the things
// that can be done before the target is reached.
func (p *paths) leadsToEndless(states []int32) bool {
	for _, s := range states {
		for k := p.rows.StateStart[s]; k < p.rows.StateStart[s+1]; k++ {
			for _, j := range p.rows.Next(k) {
				if p.allowed[k] && math.IsInf(p.upper.High[j], -1) {
					return true
				}
			}
		}
	}
	return false
}

// single settles a state that cannot be come back to once it is left.
func (p *paths) single(s int) {
	var best doubledouble.Number
	found := false
	for k := p.rows.StateStart[s]; k < p.rows.StateStart[s+1]; k++ {
		if !p.allowed[k] {
			continue
		}
		lower, leaves := p.onLeaving(s, k, p.rows.Costs[k], p.lower, -1)
		switch {
		case !leaves && p.rows.Costs[k] < 0:
			p.goRound([]int32{int32(s)}, []int32{k}, []float64{0})
			p.endless([]int32{int32(s)})
			return
		case !leaves:
			continue
		case !found || lower.Less(best):
			best, found = lower, true
			p.policy[s] = k - p.rows.StateStart[s]
		}
	}
	p.lower.Set(s, best)
	k := p.rows.StateStart[s] + p.policy[s]
	upper, _ := p.onLeaving(s, k, p.dear[k], p.upper, 1)
	value, _ := p.onLeaving(s, k, p.likely[k], p.value, 0)
	p.upper.Set(s, upper)
	p.value.Set(s, value)
	p.settled[s] = true
}

// onLeaving returns the cost from s of repeating choice k until another state
// comes,
//
//	x = (c + Σ_{j≠s} p_j·v(j)) / Σ_{j≠s} p_j,
//
// moved outward in a direction by what rounding and the inexactness of the model
// can do. leaves is false where there is no other state.
func (p *paths) onLeaving(s int, k int32, cost float64, v vector.Vector, direction float64) (x doubledouble.Number, leaves bool) {
	lo, hi := p.rows.RowStart[k], p.rows.RowStart[k+1]
	if x, same := p.common(s, lo, hi, v); same && cost == 0 {
		return x, true
	}
	sum, leave := doubledouble.FromFloat(cost), doubledouble.Number{}
	magnitude, infinite, small := math.Abs(cost), 0.0, false
	for e := lo; e < hi; e++ {
		j, q := int(p.rows.Columns[e]), p.rows.Probabilities[e]
		if j == s {
			continue
		}
		leave = leave.AddFloat(q)
		if !rounding.IsFinite(v.High[j]) {
			infinite += v.High[j]
			continue
		}
		term := v.At(j).MulFloat(q)
		sum = sum.Add(term)
		magnitude += math.Abs(term.Hi)
		small = small || v.High[j] != 0 && math.Abs(term.Hi) < rounding.Tiny
	}
	if leave.Hi == 0 {
		return x, false
	}
	if infinite == 0 {
		x = divide(sum, leave)
	}
	if infinite != 0 || !rounding.IsFinite(x.Hi) {
		if !math.IsInf(infinite, 0) { // overflow, or infinities of both signs
			infinite = math.Inf(int(direction))
		}
		return doubledouble.FromFloat(infinite), true
	}
	err := float64(8*(hi-lo)+32) * rounding.Extended * magnitude
	if small || x.Hi != 0 && math.Abs(x.Hi)*leave.Hi < rounding.Tiny {
		err += float64(8*(hi-lo)+32) * rounding.Subnormal
	}
	if p.inexact > 0 {
		err += p.inexact * math.Abs(cost)
		for e := lo; e < hi; e++ {
			if j := int(p.rows.Columns[e]); j != s {
				err += p.inexact * p.rows.Probabilities[e] * math.Abs(v.At(j).Sub(x).Hi)
			}
		}
	}
	err = err*(1+8*rounding.Unit)/leave.Hi + 64*rounding.Extended*math.Abs(x.Hi)
	if !rounding.IsFinite(err) {
		return doubledouble.FromFloat(math.Inf(int(direction))), true
	}
	return x.AddFloat(direction * err), true
}

// common returns the value that all states have to which entries lead, other than
// s, and whether there is one: then no rounding of probabilities enters.
func (p *paths) common(s int, lo, hi int32, v vector.Vector) (x doubledouble.Number, same bool) {
	for e := lo; e < hi; e++ {
		j := int(p.rows.Columns[e])
		switch {
		case j == s:
		case !same:
			x, same = v.At(j), true
		case v.At(j) != x:
			return x, false
		}
	}
	return x, same
}

// divide returns x/y, with a relative error of some 2⁻¹⁰³.
func divide(x, y doubledouble.Number) doubledouble.Number {
	q := doubledouble.FromFloat(x.Hi / y.Hi)
	for range 2 {
		q = q.AddFloat(x.Sub(y.MulFloat(q.Hi).Add(y.MulFloat(q.Lo))).Hi / y.Hi)
	}
	return q
}
