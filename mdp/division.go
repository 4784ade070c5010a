package mdp

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
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
	table   *Table
	inexact float64
	choices *choices

	ends         *endComponents
	place        []int32   // of each state among the members of its end component
	members      [][]int32 // by end component
	lower, upper []float64 // on the gain in each, as long as one stays
	gain         []float64 // estimates
	method       string    // of the largest end component
	choice       string

	policy       []int32
	values       []float64 // relative values, times the rate
	below, above values    // those that prove the bounds of each end component
	floor, roof  values    // bounds on the gain, by state
	estimates    []float64 // of the gain, by state
	stops        []bool    // by end component
	solvedStates int
}

func (d *division) solve() (*Result, error) {
	n := d.table.NumStates()
	d.ends = d.choices.endComponents(nil)
	d.place = make([]int32, n)
	d.members = grouped(d.ends.component, d.ends.count)
	d.lower, d.upper, d.gain = make([]float64, d.ends.count), make([]float64, d.ends.count), make([]float64, d.ends.count)
	d.policy, d.values = make([]int32, n), make([]float64, n)
	d.below, d.above = newValues(n), newValues(n)
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

// solveComponent finds the gain of an end component for those who stay in it.
func (d *division) solveComponent(i int, members []int32) error {
	part, action := d.part(members)
	if len(members) == 1 || d.run.ended() {
		d.sweepOnce(i, members, part, action)
		return nil
	}
	settings := d.run.settings
	if settings.Values != nil {
		settings.Values = gather(settings.Values, members)
	}
	if settings.Policy != nil {
		settings.Policy = startIn(part, action, gather(settings.Policy, members))
	}
	result, err := d.run.solve(inexactTable{part, d.inexact}, d.average, settings)
	if err != nil {
		return err
	}
	d.lower[i], d.upper[i], d.gain[i] = result.Lower, result.Upper, result.Gain
	bounds := result.bounds.(gainBounds)
	for m, s := range members {
		d.below.set(int(s), bounds.below.orZero(m))
		d.above.set(int(s), bounds.above.orZero(m))
		d.policy[s] = action[part.stateStart[m]+result.Policy[m]]
		d.values[s] = result.Values[m] * d.table.rate
	}
	if len(members) > d.solvedStates {
		d.solvedStates, d.method, d.choice = len(members), result.Method, result.Choice
	}
	return nil
}

// part returns an end component as a table, and the action of each of its
// choices.
func (d *division) part(members []int32) (part *Table, action []int32) {
	t := d.table
	for m, s := range members {
		d.place[s] = int32(m)
	}
	a := TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for _, s := range members {
		for k := t.stateStart[s]; k < t.stateStart[s+1]; k++ {
			if !d.ends.stays[k] {
				continue
			}
			for e := t.rowStart[k]; e < t.rowStart[k+1]; e++ {
				a.Columns = append(a.Columns, d.place[t.columns[e]])
				a.Probabilities = append(a.Probabilities, t.probabilities[e])
			}
			action = append(action, k-t.stateStart[s])
			a.Costs = append(a.Costs, t.costs[k])
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(action)))
	}
	return newTable(a, t.rate), action
}

// startIn returns the choices of a part that stand for actions to start from, or
// nil where there are none or not all of them stay.
func startIn(part *Table, action, start []int32) []int32 {
	policy := make([]int32, len(start))
	for m, a := range start {
		i := slices.Index(action[part.stateStart[m]:part.stateStart[m+1]], a)
		if i < 0 {
			return nil
		}
		policy[m] = int32(i)
	}
	return policy
}

// sweepOnce bounds the gain of an end component by its cheapest actions, which
// is exact where it is one state.
func (d *division) sweepOnce(i int, members []int32, part *Table, action []int32) {
	lower, upper := math.Inf(1), math.Inf(-1)
	for m, s := range members {
		first, last := part.stateStart[m], part.stateStart[m+1]
		best := first
		for k := first; k < last; k++ {
			if part.costs[k] < part.costs[best] {
				best = k
			}
		}
		lower, upper = min(lower, part.costs[best]), max(upper, part.costs[best])
		d.policy[s] = action[best]
	}
	d.gain[i] = between(math.NaN(), lower, upper)
	d.lower[i], d.upper[i] = lessBy(lower, d.inexact), -lessBy(-upper, d.inexact)
}

// decide finds out in which end components to stop, and how to get there.
func (d *division) decide() error {
	if d.ends.count == 1 {
		n := d.table.NumStates()
		d.stops = []bool{true}
		d.floor, d.roof = values{high: slices.Repeat(d.lower, n), low: make([]float64, n)}, values{high: slices.Repeat(d.upper, n), low: make([]float64, n)}
		d.estimates = slices.Repeat(d.gain, n)
		return nil
	}
	q := newQuotient(d.table, d.choices, d.ends, d.lower)
	free := q.table.withCosts(make([]float64, len(q.choice)))
	dear, likely := make([]float64, len(q.choice)), make([]float64, len(q.choice))
	n := len(q.members)
	p := &paths{
		Table: free, run: d.run, inexact: d.inexact + q.inexact, dear: dear, likely: likely,
		allowed: slices.Repeat([]bool{true}, len(q.choice)), settled: make([]bool, n+1), policy: make([]int32, n+1),
		lower: newValues(n + 1), upper: newValues(n + 1), value: newValues(n + 1),
	}
	p.settled[n] = true
	for i, members := range q.members {
		if component := d.ends.component[members[0]]; component != outside {
			stop := q.table.stateStart[i+1] - 1
			free.costs[stop], dear[stop], likely[stop] = d.lower[component], d.upper[component], d.gain[component]
			p.policy[i] = stop - q.table.stateStart[i]
		}
	}
	if err := p.solve(); err != nil {
		return err
	}
	policy := q.unfold(p.policy)
	d.floor, d.roof = newValues(len(policy)), newValues(len(policy))
	d.estimates = make([]float64, len(policy))
	least, greatest := doubledouble.FromFloat(slices.Min(d.lower)), doubledouble.FromFloat(slices.Max(d.upper))
	d.stops = make([]bool, d.ends.count)
	for s, i := range q.number {
		stops := q.choice[q.table.stateStart[i]+p.policy[i]] == stopping
		if stops {
			d.stops[d.ends.component[s]] = true
		} else {
			d.policy[s] = policy[s]
		}
		floor, roof := p.lower.number(int(i)), p.upper.number(int(i))
		if !least.Less(floor) { // also where it is NaN
			floor = least
		}
		if !roof.Less(greatest) {
			roof = greatest
		}
		d.floor.set(s, floor)
		d.roof.set(s, roof)
		d.estimates[s] = between(p.value.high[i], floor.RoundDown(), roof.RoundUp())
	}
	return nil
}

// lead finds relative values, and a policy that attains them, for the states
// that do not stop:
//
//	h(s) = min over a of { c(s,a) − g(s) + Σ_j p(j|s,a)·h(j) }
//
// over the actions that keep the gain (Puterman 1994, §9.1): those after which it
// is the same for certain, and the one that was decided on.
func (d *division) lead() error {
	n := d.table.NumStates()
	costs := make([]float64, d.table.NumChoices())
	decided, keeps := make([]bool, len(costs)), make([]bool, len(costs))
	settled := make([]bool, n)
	for s := range int32(n) {
		component := d.ends.component[s]
		settled[s] = component != outside && d.stops[component]
		for k := d.table.stateStart[s]; k < d.table.stateStart[s+1]; k++ {
			costs[k] = d.table.costs[k] - d.estimates[s]
			decided[k] = k-d.table.stateStart[s] == d.policy[s]
			keeps[k] = decided[k] || !slices.ContainsFunc(d.choices.next(k), func(j int32) bool {
				return d.floor.number(int(j)) != d.floor.number(int(s)) || d.roof.number(int(j)) != d.roof.number(int(s))
			})
		}
	}
	for _, allowed := range [][]bool{keeps, decided} {
		p := &paths{
			Table: d.table.withCosts(costs), run: d.run, dear: costs, likely: costs,
			allowed: allowed, settled: slices.Clone(settled), policy: slices.Clone(d.policy), lower: newValues(n), upper: newValues(n), value: newValues(n),
		}
		copy(p.lower.high, d.values)
		copy(p.upper.high, d.values)
		copy(p.value.high, d.values)
		if err := p.solve(); err != nil {
			return err
		}
		if slices.ContainsFunc(p.value.high, func(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) }) {
			continue // rounding of gains made a cycle of negative cost
		}
		d.policy, d.values = p.policy, p.value.high
		return nil
	}
	return nil
}

func (d *division) result() *Result {
	r := &Result{
		Values:  d.values,
		Gain:    d.estimates[0],
		Method:  d.method,
		average: true,
		gains:   d.estimates,
	}
	if d.method == "" {
		r.Method = PolicyIteration{}.String()
	}
	if d.run.settings.Method == nil {
		r.Choice = fmt.Sprintf("%d maximal end components, the largest of %d states", d.ends.count, max(d.solvedStates, 1))
		if d.choice != "" {
			r.Choice += ": " + d.choice
		}
	}
	r.Policy = d.policy
	bounds := stateBounds{lower: make([]float64, len(d.policy)), upper: make([]float64, len(d.policy))}
	for s := range d.policy {
		bounds.lower[s], bounds.upper[s] = d.floor.number(s).RoundDown(), d.roof.number(s).RoundUp()
	}
	bounds.proof = [2]Witness{{d.floor.vector(), d.below.vector()}, {d.roof.vector(), d.above.vector()}}
	r.bounds = bounds
	r.Lower, r.Upper = slices.Min(bounds.lower), slices.Max(bounds.upper)
	origin := d.values[0]
	for s := range r.Values {
		r.Values[s] = (r.Values[s] - origin) / d.table.rate
	}
	return r
}
