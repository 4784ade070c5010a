package mdp

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/average"
	"github.com/mdpsolve/mdpsolve/mdp/internal/endcomponents"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/total"
)

// Totals of all steps, without a target. In the end a policy stays in end components. Staying for
// ever at no cost adds 0, so an end component without costs gets a choice to stop, which leads to an
// added state, the end, which is the target. In any other end component where the least gain is
// above 0, staying costs +∞, as never reaching a target does. Where the least gain is below 0, the
// total is −∞.

// endless states the total of all steps as a problem whose target is the end of a quotient.
func (r *run) endless(ctx context.Context, q *endcomponents.Quotient, rate, relativeError float64) (*total.Problem, error) {
	p := r.paths(q.Rows, relativeError+q.RelativeError)
	p.Settled[len(q.Members)] = true // the end
	if p.IsAcyclic() {
		return p, nil
	}
	before := endcomponents.NewPredecessors(q.Rows)
	sure, _ := before.SurelyReaching(p.Settled, slices.Clone(p.Allowed))
	for s := range sure {
		sure[s] = !sure[s]
	}
	if slices.Contains(sure, true) {
		if err := r.decideSigns(ctx, p, endcomponents.Find(q.Rows, sure), rate, relativeError); err != nil {
			return nil, err
		}
	}
	sure, p.Policy = before.SurelyReaching(p.Settled, p.Allowed)
	open := make([]bool, len(sure)) // states that may lead to an end component with a gain of unknown sign
	for s := range open {
		open[s] = p.Lower.High[s] < p.Upper.High[s]
	}
	before.Towards(open, p.Allowed, slices.Clone(p.Policy))
	for s, isSure := range sure {
		switch {
		case !isSure:
			p.Settled[s], p.Lower.High[s], p.Upper.High[s] = true, math.Inf(1), math.Inf(1)
		case open[s]:
			p.Settled[s], p.Lower.High[s], p.Upper.High[s] = true, math.Inf(-1), math.Inf(1)
		}
	}
	return p, nil
}

// decideSigns settles the states of end components that cannot stop and whose least gain is not
// proved to be above 0. Their total is −∞ if that gain is proved to be below 0, and otherwise unknown.
func (r *run) decideSigns(ctx context.Context, p *total.Problem, ends *endcomponents.Components, rate, relativeError float64) error {
	place := make([]int32, p.Rows.NumStates())
	for _, members := range graph.Members(ends.Of, ends.Count) {
		part, action := average.PartOf(p.Rows, ends, members, place)
		if slices.Min(part.Costs) >= 0 {
			continue // some cost is positive and recurs: if all were 0, the end component could stop
		}
		found, err := r.leastGain(ctx, part, rate, relativeError)
		if err != nil {
			return err
		}
		low, high := math.Inf(-1), math.Inf(1)
		values := found.Below
		if found.Upper < 0 {
			high, values = low, found.Above
		}
		if found.Lower <= 0 && found.Upper >= 0 {
			r.limits.Note(ErrPrecisionLimit)
		} else if p.Cycle == nil {
			p.Cycle = &total.Cycle{Policy: make([]int32, p.Rows.NumStates()), Value: make([]float64, p.Rows.NumStates())}
		}
		for i, s := range members {
			if found.Lower <= 0 {
				p.Settled[s], p.Lower.High[s], p.Upper.High[s] = true, low, high
			}
			if found.Lower > 0 || found.Upper < 0 {
				p.Cycle.Policy[s], p.Cycle.Value[s] = action[part.StateStart[i]+found.Policy[i]], values.AtOrZero(i).Float()
			}
		}
	}
	return nil
}

// leastGain solves an end component for its average.
func (r *run) leastGain(ctx context.Context, part *rows.Rows, rate, relativeError float64) (average.Part, error) {
	if part.NumStates() == 1 || r.limits.HasEnded() {
		return average.SweepOnce(part, relativeError), nil
	}
	in := *r
	in.settings.Policy, in.settings.Values, in.settings.Method, in.settings.isGiven = nil, nil, 0, false
	found, _, err := LongRunAverage{}.whole(ctx, &in, approximateTable{&Table{rows: part, rate: rate}, relativeError})
	return found, err
}

// staying sets, in each end component where the policy of the quotient stops, actions with which the
// policy stays in the component.
func staying(q *endcomponents.Quotient, quotientPolicy, policy []int32) {
	for i, members := range q.Members {
		if q.Choice[q.Rows.StateStart[i]+quotientPolicy[i]] != endcomponents.Stopping {
			continue
		}
		for _, s := range members {
			first, end := q.Of.Choices(int(s))
			policy[s] = int32(slices.Index(q.Ends.Stays[first:end], true))
		}
	}
}
