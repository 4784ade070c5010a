package mdp

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// division solves for the long-run average of a table that is not strongly
// connected: each maximal end component on its own, then where to go.
//
// No policy has a closed class that is not inside such a component, and within
// one every state has the same optimal gain, as it can go to whichever is best.
// So the gain of a state is the least expected gain of the components in which
// one can decide to stop, over all policies: a stochastic shortest path problem
// on the quotient, of which every policy reaches the end, as staying in a
// component counts as stopping in it.
//
// Its bounds are bounds on the gain: with L below the gain of each component and
// L(s) ≤ Σ_j p(j)·L(j) for every choice that leaves, L(X_t) grows in the mean
// along every policy, up to the component where it ends. Likewise for U along the
// policy that is found.
type division struct {
	average LongRunAverage
	run     *run
	rows    *rows.Rows
	rate    float64
	inexact float64

	ends         *endcomponents.Components
	place        []int32   // of each state among the members of its end component
	members      [][]int32 // by end component
	lower, upper []float64 // on the gain of staying in each
	gain         []float64 // estimates
	method       string    // of the largest end component
	choice       string

	policy       []int32
	values       []float64     // relative values, times the rate
	below, above vector.Vector // those that prove the bounds of each end component
	floor, roof  vector.Vector // bounds on the gain, by state
	estimates    []float64     // of the gain, by state
	stops        []bool        // by end component
	solvedStates int
}

func (d *division) solve() (*Result, error) {
	n := d.rows.NumStates()
	d.ends = endcomponents.Find(d.rows, nil)
	d.place = make([]int32, n)
	d.members = graph.Members(d.ends.Of, d.ends.Count)
	d.lower, d.upper, d.gain = make([]float64, d.ends.Count), make([]float64, d.ends.Count), make([]float64, d.ends.Count)
	d.policy, d.values = make([]int32, n), make([]float64, n)
	d.below, d.above = vector.New(n), vector.New(n)
	for i, members := range d.members {
		if err := d.solveComponent(i, members); err != nil {
			return nil, err
		}
	}
	if err := d.decide(); err != nil {
		return nil, err
	}
	if err := d.lead(); err != nil {
		return nil, err
	}
	return d.result(), nil
}

// solveComponent bounds the gain of staying in an end component.
func (d *division) solveComponent(i int, members []int32) error {
	part, action := d.part(members)
	if len(members) == 1 || d.run.limits.HasEnded() {
		d.sweepOnce(i, members, part, action)
		return nil
	}
	settings := d.run.settings
	if settings.Values != nil {
		settings.Values = vector.Gather(settings.Values, members)
	}
	if settings.Policy != nil {
		settings.Policy = startIn(part, action, vector.Gather(settings.Policy, members))
	}
	result, err := d.run.solve(inexactTable{&Table{rows: part, rate: d.rate}, d.inexact}, d.average, settings)
	if err != nil {
		return err
	}
	d.lower[i], d.upper[i], d.gain[i] = result.Lower, result.Upper, result.Gain
	bounds := result.bounds.(gainBounds)
	for m, s := range members {
		d.below.Set(int(s), bounds.below.AtOrZero(m))
		d.above.Set(int(s), bounds.above.AtOrZero(m))
		d.policy[s] = action[part.StateStart[m]+result.Policy[m]]
		d.values[s] = result.Bias[m] * d.rate
	}
	if len(members) > d.solvedStates {
		d.solvedStates, d.method, d.choice = len(members), result.Method, result.Reason
	}
	return nil
}

// part returns an end component as a table, and the action of each of its
// choices.
func (d *division) part(members []int32) (part *rows.Rows, action []int32) {
	for m, s := range members {
		d.place[s] = int32(m)
	}
	part = rows.New(len(members), 0, 0)
	for _, s := range members {
		first, end := d.rows.Choices(int(s))
		for k := first; k < end; k++ {
			if !d.ends.Stays[k] {
				continue
			}
			for e := d.rows.RowStart[k]; e < d.rows.RowStart[k+1]; e++ {
				part.Add(d.place[d.rows.Columns[e]], d.rows.Probabilities[e])
			}
			part.EndChoice(d.rows.Costs[k])
			action = append(action, k-first)
		}
		part.EndState()
	}
	return part, action
}

// startIn returns the policy of a part that stands for actions to start from, or nil
// where one of them may leave the part.
func startIn(part *rows.Rows, action, start []int32) []int32 {
	policy := make([]int32, len(start))
	for m, a := range start {
		i := slices.Index(action[part.StateStart[m]:part.StateStart[m+1]], a)
		if i < 0 {
			return nil
		}
		policy[m] = int32(i)
	}
	return policy
}

// sweepOnce bounds the gain of an end component by the least and the greatest cost of
// its cheapest actions, which is exact where it is one state.
func (d *division) sweepOnce(i int, members []int32, part *rows.Rows, action []int32) {
	lower, upper := math.Inf(1), math.Inf(-1)
	for m, s := range members {
		first, last := part.StateStart[m], part.StateStart[m+1]
		best := first
		for k := first; k < last; k++ {
			if part.Costs[k] < part.Costs[best] {
				best = k
			}
		}
		lower, upper = min(lower, part.Costs[best]), max(upper, part.Costs[best])
		d.policy[s] = action[best]
	}
	d.gain[i] = between(math.NaN(), lower, upper)
	d.lower[i], d.upper[i] = rounding.LessBy(lower, d.inexact), -rounding.LessBy(-upper, d.inexact)
}

// decide finds out in which end components to stay for ever, and how to get there.
func (d *division) decide() error {
	if d.ends.Count == 1 {
		n := d.rows.NumStates()
		d.stops = []bool{true}
		d.floor, d.roof = vector.Vector{High: slices.Repeat(d.lower, n), Low: make([]float64, n)}, vector.Vector{High: slices.Repeat(d.upper, n), Low: make([]float64, n)}
		d.estimates = slices.Repeat(d.gain, n)
		return nil
	}
	q := endcomponents.NewQuotient(d.rows, d.ends, d.lower)
	n := len(q.Members)
	p := d.run.paths(q.Rows.WithCosts(make([]float64, len(q.Choice))), d.inexact+q.Inexact)
	p.UpperCosts, p.NominalCosts = make([]float64, len(q.Choice)), make([]float64, len(q.Choice))
	p.Settled[n] = true
	for i, members := range q.Members {
		if component := d.ends.Of[members[0]]; component != endcomponents.Outside {
			stop := q.Rows.StateStart[i+1] - 1
			p.Rows.Costs[stop], p.UpperCosts[stop], p.NominalCosts[stop] = d.lower[component], d.upper[component], d.gain[component]
			p.Policy[i] = stop - q.Rows.StateStart[i]
		}
	}
	if err := p.Solve(); err != nil {
		return err
	}
	policy := q.Unfold(p.Policy)
	d.floor, d.roof = vector.New(len(policy)), vector.New(len(policy))
	d.estimates = make([]float64, len(policy))
	least, greatest := doubledouble.FromFloat(slices.Min(d.lower)), doubledouble.FromFloat(slices.Max(d.upper))
	d.stops = make([]bool, d.ends.Count)
	for s, i := range q.Number {
		stops := q.Choice[q.Rows.StateStart[i]+p.Policy[i]] == endcomponents.Stopping
		if stops {
			d.stops[d.ends.Of[s]] = true
		} else {
			d.policy[s] = policy[s]
		}
		floor, roof := p.Lower.At(int(i)), p.Upper.At(int(i))
		if !least.Less(floor) { // also where it is NaN
			floor = least
		}
		if !roof.Less(greatest) {
			roof = greatest
		}
		d.floor.Set(s, floor)
		d.roof.Set(s, roof)
		d.estimates[s] = between(p.Value.High[i], floor.RoundDown(), roof.RoundUp())
	}
	return nil
}

// lead finds relative values, and a policy that attains them, for the states outside
// the end components in which the policy stays:
//
//	h(s) = min over a of { c(s,a) − g(s) + Σ_j p(j|s,a)·h(j) }
//
// over the actions that keep the gain (Puterman 1994, §9.1): those after which it
// is the same for certain, and the one that was decided on.
func (d *division) lead() error {
	n := d.rows.NumStates()
	costs := make([]float64, d.rows.NumChoices())
	decided, keeps := make([]bool, len(costs)), make([]bool, len(costs))
	settled := make([]bool, n)
	for s := range int32(n) {
		component := d.ends.Of[s]
		settled[s] = component != endcomponents.Outside && d.stops[component]
		for k := d.rows.StateStart[s]; k < d.rows.StateStart[s+1]; k++ {
			costs[k] = d.rows.Costs[k] - d.estimates[s]
			decided[k] = k-d.rows.StateStart[s] == d.policy[s]
			keeps[k] = decided[k] || !slices.ContainsFunc(d.rows.Next(k), func(j int32) bool {
				return d.floor.At(int(j)) != d.floor.At(int(s)) || d.roof.At(int(j)) != d.roof.At(int(s))
			})
		}
	}
	for _, allowed := range [][]bool{keeps, decided} {
		p := d.run.paths(d.rows.WithCosts(costs), 0)
		p.Allowed, p.Settled, p.Policy = allowed, slices.Clone(settled), slices.Clone(d.policy)
		copy(p.Lower.High, d.values)
		copy(p.Upper.High, d.values)
		copy(p.Value.High, d.values)
		if err := p.Solve(); err != nil {
			return err
		}
		if slices.ContainsFunc(p.Value.High, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) }) {
			continue // rounding of gains made a cycle of negative cost
		}
		d.policy, d.values = p.Policy, p.Value.High
		return nil
	}
	return nil
}

func (d *division) result() *Result {
	r := &Result{Policy: d.policy, Gain: d.estimates[0], Bias: d.values, Method: d.method, gains: d.estimates}
	if d.method == "" {
		r.Method = PolicyIteration{}.String()
	}
	if d.run.settings.Method == nil {
		r.Reason = "the only maximal end component"
		if d.ends.Count > 1 {
			r.Reason = fmt.Sprintf("the largest of %d maximal end components", d.ends.Count)
		}
		r.Reason += fmt.Sprintf(" has %d of the states", max(d.solvedStates, 1))
		if d.choice != "" {
			r.Reason += ": " + d.choice
		}
	}
	bounds := stateBounds{lower: make([]float64, len(d.policy)), upper: make([]float64, len(d.policy))}
	for s := range d.policy {
		bounds.lower[s], bounds.upper[s] = d.floor.At(s).RoundDown(), d.roof.At(s).RoundUp()
	}
	bounds.proof = [2]Witness{{vectorOf(d.floor), vectorOf(d.below)}, {vectorOf(d.roof), vectorOf(d.above)}}
	r.setBounds(bounds, scale{})
	origin := d.values[0]
	for s := range r.Bias {
		r.Bias[s] = (r.Bias[s] - origin) / d.rate
	}
	return r
}
