// Package total solves stochastic shortest path problems, with bounds that are proved
// row by row. Total costs are such problems, and so are exact discounted costs and
// the choice between end components for the average.
package total

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Problem is a stochastic shortest path problem: find the least expected cost at which
// allowed choices lead, with probability 1, from each other state to the settled states,
// whose values are known. Some policy must do so.
//
// Its bounds are proved row by row. For any h below the optimum on the settled
// states,
//
//	h ≤ c_k + P_k·h for all allowed choices k  ⇒  h ≤ optimum,
//
// since for a policy that reaches the settled states with probability 1, the right-hand
// side, substituted into itself, tends to the cost of the policy. For such a policy π,
// and h above the optimum on the settled states,
//
//	h ≥ c_π + P_π·h  ⇒  h ≥ cost of π ≥ optimum.
//
// Strongly connected components are solved one after another, each after those that
// it leads to. Their states get values Lower and Upper that satisfy the inequalities
// in spite of rounding.
type Problem struct {
	Rows          *rows.Rows // its costs are for the lower bound
	Run           *limit.Run
	RelativeError float64 // relative error of the rows

	UpperCosts []float64 // for the upper bound, by choice

	// Discount is the factor by which a value after a step counts before it, nil for 1: a step ends with
	// probability 1−β, at no further cost.
	Discount *vector.Discount

	Allowed      []bool // by choice; none leads to an infinite value
	Settled      []bool
	Policy       []int32       // reaches the settled states with probability 1
	Lower, Upper vector.Vector // in double-double
	Cycle        *Cycle        // of the states whose costs have no lower bound; nil for none

	// Sweeps says that components may be swept, in the order of Order or, if that is nil, of distances.
	Sweeps bool
	Order  []int32

	// Component is the strongly connected component of each state, by the numbers of
	// [graph.Graph.Components], of which there are Components; nil if they are still to be found. That
	// of settled states does not matter.
	Component  []int32
	Components int

	// Tolerance is how far apart the bounds of a state may be, relative to its value; 0 for as
	// close as arithmetic allows.
	Tolerance float64

	// IsSwept says that sweeps solved a component, to the tolerance.
	IsSwept bool

	// Eliminate asks for elimination at any cost.
	Eliminate bool

	// Given are values whose greedy policy is evaluated and not improved; nil for none.
	Given []float64

	goesOn, ends float64 // β and 1−β

	place     []int32 // of the states of the current component, from 1
	solved    int     // the number of states in the components before it
	isOpen    bool    // some settled states have no finite bounds
	feeds     bool    // sweeps start from the bounds of other components, and prove theirs sooner if those are exact
	abandoned float64 // lower bound on the values of abandoned components: 0, or −Inf
}

// side is one of two problems with the same policy: costs and values for the lower bound
// (direction −1), or for the upper bound (1).
type side struct {
	costs     []float64 // by choice
	values    vector.Vector
	direction float64
}

func (p *Problem) lower() side { return side{p.Rows.Costs, p.Lower, -1} }
func (p *Problem) upper() side { return side{p.UpperCosts, p.Upper, 1} }

// Estimate returns an estimate of a value between bounds: their middle, or the cost of the policy if the state was
// abandoned.
func (p *Problem) Estimate(lower, upper doubledouble.Number) float64 {
	if lower.Hi == p.abandoned {
		return upper.Float()
	}
	return lower.Add(upper).Float() / 2
}

// Cycle is a policy with closed classes of negative mean cost, and relative values that
// prove it.
type Cycle struct {
	Policy []int32
	Value  []float64
}

// New returns a problem in which all choices are allowed, no state is settled, and
// costs are the same for both bounds.
func New(run *limit.Run, all *rows.Rows, relativeError float64) *Problem {
	n := all.NumStates()
	return &Problem{
		Rows: all, Run: run, RelativeError: relativeError, UpperCosts: all.Costs,
		Allowed: slices.Repeat([]bool{true}, all.NumChoices()), Settled: make([]bool, n), Policy: make([]int32, n),
		Lower: vector.New(n), Upper: vector.New(n),
	}
}

// Solve settles all states, component by component.
func (p *Problem) Solve(ctx context.Context) error {
	p.place = make([]int32, p.Rows.NumStates())
	if p.goesOn = 1; p.Discount != nil {
		p.goesOn, p.ends = p.Discount.Factor, p.Discount.Complement.Hi
	}
	p.abandoned = p.floor()
	for s := range p.place {
		p.isOpen = p.isOpen || p.isUnknown(int32(s))
	}
	components := p.components()
	isPlain := p.Tolerance > 0 && len(p.place) >= exactStates // in small problems, bounds are as close as arithmetic allows
	p.feeds = slices.ContainsFunc(components, isSwept)
	few := &small{Problem: p}
	for _, states := range components {
		switch {
		case p.Run.HasEnded():
			p.abandon(states)
		case p.mayLead(states, p.isUnbounded):
			// The states can lead there before the target, so their costs have no
			// lower bound either.
			p.settleUnbounded(states)
		case len(states) == 1:
			if !isPlain || !p.single(int(states[0]), true) {
				p.single(int(states[0]), false)
			}
		case p.mayLead(states, p.isUnknown):
			p.abandon(states)
		case p.Given == nil && p.isUniform(states):
		default:
			isSettled, err := false, error(nil)
			if isPlain && len(states) < exactStates && p.Given == nil {
				isSettled, err = few.solve(ctx, states)
			}
			if !isSettled && err == nil {
				err = p.solveComponent(ctx, states)
			}
			if err != nil {
				return err
			}
		}
		p.solved += len(states)
	}
	return nil
}

// mayLead reports whether an allowed choice of the states may lead to a state for which
// holds is true.
func (p *Problem) mayLead(states []int32, holds func(j int32) bool) bool {
	return p.isOpen && slices.ContainsFunc(states, func(s int32) bool {
		for k := p.Rows.StateStart[s]; k < p.Rows.StateStart[s+1]; k++ {
			if p.Allowed[k] && slices.ContainsFunc(p.Rows.Next(k), holds) {
				return true
			}
		}
		return false
	})
}

// isUnbounded reports whether costs from a state have no lower bound.
func (p *Problem) isUnbounded(j int32) bool { return math.IsInf(p.Upper.High[j], -1) }

// isUnknown reports whether a settled state lacks a bound.
func (p *Problem) isUnknown(j int32) bool {
	return p.Settled[j] && !(rounding.IsFinite(p.Lower.High[j]) && rounding.IsFinite(p.Upper.High[j]))
}

// StartFrom sets the policy to start from, unless one of its choices is not allowed or it
// does not reach the settled states with probability 1.
func (p *Problem) StartFrom(policy []int32) {
	g := graph.New(len(policy))
	for s, a := range policy {
		if k := p.Rows.StateStart[s] + a; !p.Settled[s] {
			if !p.Allowed[k] {
				return
			}
			g.Columns = append(g.Columns, p.Rows.Next(k)...)
		}
		g.EndState()
	}
	for _, class := range g.Closed() {
		if !p.Settled[class[0]] && p.Discount == nil {
			return
		}
	}
	for s, a := range policy {
		if !p.Settled[s] {
			p.Policy[s] = a
		}
	}
}

// IsAcyclic reports whether every choice of a state leads on, and nothing leads back to a state that was left:
// then all policies reach the settled states.
func (p *Problem) IsAcyclic() bool {
	var order []int32
	p.Components, p.Component, order = p.Rows.Graph(p.Allowed).SmallComponents(p.Settled, 1)
	return order != nil && !slices.ContainsFunc(order, func(s int32) bool {
		for k := p.Rows.StateStart[s]; k < p.Rows.StateStart[s+1]; k++ {
			if !slices.ContainsFunc(p.Rows.Next(k), func(j int32) bool { return j != s }) {
				return true
			}
		}
		return false
	})
}

// components returns the strongly connected components of the states that are not settled, each after
// those that it leads to. Their states are in the order of sweeps, if there are any: that of distances or,
// where these tell little, that of the search for components, if a third fewer transitions lead to later states.
func (p *Problem) components() [][]int32 {
	var g *graph.Graph
	count, component, searched := p.Components, slices.Clone(p.Component), []int32(nil)
	if component == nil {
		g = p.Rows.Graph(p.Allowed).Distinct()
		count, component, searched = g.ComponentsWithout(p.Settled)
	}
	for s := range component {
		if p.Settled[s] {
			component[s] = -1
		}
	}
	list := graph.Members(component, count)
	if p.Sweeps && slices.ContainsFunc(list, isSwept) {
		order := p.Order
		if order == nil {
			if g == nil {
				g = p.Rows.Graph(p.Allowed).Distinct()
			}
			var far int
			order, far = Order(p.Rows, g.Reverse(), p.Settled, p.Lower.High)
			if far == 0 && searched != nil && 3*p.late(searched, component) < 2*p.late(order, component) {
				order = searched
			}
		}
		list = graph.Members(vector.Gather(component, order), count)
		for _, states := range list {
			for i := range states {
				states[i] = order[states[i]]
			}
		}
	}
	return slices.DeleteFunc(list, func(states []int32) bool { return len(states) == 0 })
}

// late returns the sum of the probabilities with which choices lead to states of the same component that
// come later in an order.
func (p *Problem) late(order, component []int32) (sum float64) {
	for i, s := range order {
		p.place[s] = int32(i)
	}
	for i, s := range order {
		first, end := p.Rows.Choices(int(s))
		for e := p.Rows.RowStart[first]; e < p.Rows.RowStart[end]; e++ {
			if j := p.Rows.Columns[e]; component[j] == component[s] && p.place[j] > int32(i) && !p.Settled[s] {
				sum += p.Rows.Probabilities[e]
			}
		}
	}
	p.forget(order)
	return sum
}

// settle settles states with the same bounds, one of which is infinite.
func (p *Problem) settle(states []int32, lower, upper float64) {
	for _, s := range states {
		p.Lower.Set(int(s), doubledouble.FromFloat(lower))
		p.Upper.Set(int(s), doubledouble.FromFloat(upper))
		p.Settled[s] = true
	}
	p.isOpen = true
}

// abandon settles states without solving them, with bounds that hold in any case.
func (p *Problem) abandon(states []int32) {
	p.settle(states, p.abandoned, math.Inf(1))
}

// settleUnbounded settles states from which costs have no lower bound.
func (p *Problem) settleUnbounded(states []int32) {
	p.settle(states, math.Inf(-1), math.Inf(-1))
	p.abandoned = math.Inf(-1)
}

// floor returns a lower bound on all values: 0 if no cost and no settled value is
// negative, otherwise −Inf.
func (p *Problem) floor() float64 {
	for s, v := range p.Lower.High {
		if p.Settled[s] && v < 0 {
			return math.Inf(-1)
		}
	}
	if slices.ContainsFunc(p.Rows.Costs, func(c float64) bool { return c < 0 }) {
		return math.Inf(-1)
	}
	return 0
}

// noteCycle adds a closed class of negative mean cost to the Cycle: its states, their
// choices, and relative values.
func (p *Problem) noteCycle(states, choices []int32, values []float64) {
	if p.Cycle == nil {
		p.Cycle = &Cycle{Policy: slices.Clone(p.Policy), Value: make([]float64, p.Rows.NumStates())}
	}
	for i, s := range states {
		p.Cycle.Policy[s] = choices[i] - p.Rows.StateStart[s]
		p.Cycle.Value[s] = values[i]
	}
}

// isUniform settles a component whose states have the same value, if exits alone tell that: one to
// which every choice adds nothing. It is exact where ties among all policies would be hard to prove.
func (p *Problem) isUniform(states []int32) bool {
	if slices.ContainsFunc(states, func(s int32) bool { return p.UpperCosts[p.Rows.StateStart[s]+p.Policy[s]] > 0 }) {
		return false
	}
	var row []rows.Entry
	for _, of := range []side{p.lower(), p.upper()} {
		exit := slices.IndexFunc(states, func(s int32) bool {
			return p.ends > 0 || slices.ContainsFunc(p.Rows.Next(p.Rows.StateStart[s]+p.Policy[s]), func(j int32) bool { return p.Settled[j] })
		})
		if exit < 0 {
			return false
		}
		k := p.Rows.StateStart[states[exit]] + p.Policy[states[exit]]
		sum, leave := doubledouble.FromFloat(of.costs[k]), doubledouble.FromFloat(p.ends)
		for e := p.Rows.RowStart[k]; e < p.Rows.RowStart[k+1]; e++ {
			if j, q := p.Rows.Columns[e], p.goesOn*p.Rows.Probabilities[e]; p.Settled[j] {
				sum, leave = sum.Add(of.values.At(int(j)).MulFloat(q)), leave.AddFloat(q)
			}
		}
		value := sum.Quo(leave)
		for _, s := range states {
			of.values.Set(int(s), value)
		}
		for _, s := range states {
			first, end := p.Rows.Choices(int(s))
			if of.direction > 0 {
				first, end = first+p.Policy[s], first+p.Policy[s]+1
			}
			for k := first; k < end; k++ {
				if !p.Allowed[k] {
					continue
				}
				if x, same := p.common(int(s), p.Rows.RowStart[k], p.Rows.RowStart[k+1], of.values); same && x == value && of.costs[k] == 0 {
					continue
				}
				if !p.proves(of, int(s), k, &row) {
					return false
				}
			}
		}
	}
	for _, s := range states {
		p.Settled[s] = true
	}
	return true
}

// closeShare is the share of the tolerance that bounds found in float64 may be apart.
const closeShare = 0.25

func (p *Problem) areClose(low, high float64) bool {
	return high-low <= closeShare*p.Tolerance*min(math.Abs(low), math.Abs(high)) && (low >= 0 || high <= 0)
}

// single settles a component of one state: the process cannot return to it once it
// has left. If isPlain, it does so in float64, if that gives close bounds or adds little to what they
// inherit: the state's share of the tolerance.
func (p *Problem) single(s int, isPlain bool) (isSettled bool) {
	var best doubledouble.Number
	below, above, found := p.lower(), p.upper(), false
	for k := p.Rows.StateStart[s]; k < p.Rows.StateStart[s+1]; k++ {
		if !p.Allowed[k] {
			continue
		}
		lower, _, leaves := p.leavingCost(s, k, &below, isPlain)
		switch {
		case !leaves && p.Rows.Costs[k] < 0:
			p.noteCycle([]int32{int32(s)}, []int32{k}, []float64{0})
			p.settleUnbounded([]int32{int32(s)})
			return true
		case !leaves:
			continue
		case !found || lower.Less(best):
			best, found = lower, true
			p.Policy[s] = k - p.Rows.StateStart[s]
		}
	}
	upper, err, _ := p.leavingCost(s, p.Rows.StateStart[s]+p.Policy[s], &above, isPlain)
	if isPlain && !p.areClose(best.Hi, upper.Hi) && !(2*err <= p.Tolerance/float64(p.Rows.NumStates())*math.Abs(upper.Hi)) {
		return false
	}
	p.Lower.Set(s, best)
	p.Upper.Set(s, upper)
	p.Settled[s] = true
	p.isOpen = p.isOpen || !rounding.IsFinite(upper.Hi-best.Hi)
	return true
}

// leavingCost returns the cost from s of repeating choice k until another state
// comes,
//
//	x = (c + Σ_{j≠s} p_j·v(j)) / Σ_{j≠s} p_j,
//
// moved outward by rounding and the relative error of the model, which err bounds. leaves is false if there
// is no other state. If isPlain, it computes in float64 where values are finite and probabilities matter.
func (p *Problem) leavingCost(s int, k int32, of *side, isPlain bool) (x doubledouble.Number, err float64, leaves bool) {
	lo, hi := p.Rows.RowStart[k], p.Rows.RowStart[k+1]
	cost, v, direction := of.costs[k], of.values, of.direction
	if isPlain {
		sum, magnitude, leave, values := cost, math.Abs(cost), p.ends, v.High
		last, isMixed := 0.0, cost != 0 && (p.RelativeError > 0 || !p.feeds)
		probabilities := p.Rows.Probabilities[lo:hi]
		for e, j := range p.Rows.Columns[lo:hi] {
			if int(j) == s {
				continue
			}
			x, q := values[j], p.goesOn*probabilities[e]
			isMixed = isMixed || x != last && leave > 0
			last = x
			term := float64(q * x)
			sum, magnitude, leave = sum+term, magnitude+math.Abs(term), leave+q
		}
		// In units of 2⁻⁵³ of the magnitude, the Low of a value and its product count for 2, the additions
		// of sum and leave for 1 each, and the rest is for the quotient and terms of higher order.
		terms := float64(hi - lo)
		err = ((2*terms+16)*rounding.Unit*magnitude + 2*p.RelativeError*magnitude + rounding.Underflow(int(hi-lo))) / leave
		if x := sum/leave + direction*err; isMixed && rounding.IsFinite(x) {
			return doubledouble.FromFloat(x), err, true
		}
	}
	if x, same := p.common(s, lo, hi, v); same && cost == 0 {
		return x, 0, true
	}
	sum, leave := doubledouble.FromFloat(cost), doubledouble.Number{}
	magnitude, infinite, small := math.Abs(cost), 0.0, false
	for e := lo; e < hi; e++ {
		j, q := int(p.Rows.Columns[e]), p.goesOn*p.Rows.Probabilities[e]
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
	if leave = leave.AddFloat(p.ends); leave.Hi == 0 {
		return x, 0, false
	}
	if x = sum; infinite == 0 && (leave != doubledouble.Number{Hi: 1}) {
		x = sum.Quo(leave)
	}
	if infinite != 0 || !rounding.IsFinite(x.Hi) {
		if !math.IsInf(infinite, 0) { // overflow, or infinities of both signs
			infinite = math.Inf(int(direction))
		}
		return doubledouble.FromFloat(infinite), 0, true
	}
	err = float64(8*(hi-lo)+32) * rounding.Extended * magnitude
	if small || x.Hi != 0 && math.Abs(x.Hi)*leave.Hi < rounding.Tiny {
		err += float64(8*(hi-lo)+32) * rounding.Subnormal
	}
	if p.RelativeError > 0 {
		err += p.RelativeError * (math.Abs(cost) + p.ends*math.Abs(x.Hi))
		for e := lo; e < hi; e++ {
			if j := int(p.Rows.Columns[e]); j != s {
				err += p.RelativeError * p.goesOn * p.Rows.Probabilities[e] * math.Abs(v.At(j).Sub(x).Hi)
			}
		}
	}
	err = err*(1+8*rounding.Unit)/leave.Hi + 256*rounding.Extended*math.Abs(x.Hi)
	if !rounding.IsFinite(err) {
		return doubledouble.FromFloat(math.Inf(int(direction))), err, true
	}
	return x.AddFloat(direction * err), err, true
}

// common returns the value that all next states other than s share, and whether there is
// one: then the probabilities do not matter. It is 0 where a step may end.
func (p *Problem) common(s int, lo, hi int32, v vector.Vector) (x doubledouble.Number, same bool) {
	same = p.ends > 0
	for e := lo; e < hi; e++ {
		j := int(p.Rows.Columns[e])
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
