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
// ever at no cost is worth 0, so that such an end component may stop: it is a choice that leads
// to the end, which is a target. In any other end component where the least gain is above 0,
// staying costs +∞, as never reaching a target does. Where the least gain is below 0, the total
// is −∞.

// endless states the total of all steps as a problem whose target is the end of a quotient.
func (r *run) endless(ctx context.Context, q *endcomponents.Quotient, rate, relativeError float64) (*total.Problem, error) {
	p := r.paths(q.Rows, relativeError+q.RelativeError)
	p.Settled[len(q.Members)] = true // the end
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
	open := make([]bool, len(sure)) // what leads to an end component whose sign is not known
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

// decideSigns settles the states of end components that cannot stop, and where the least gain is
// not proved to be above 0: the total is −∞ where it is proved to be below 0.
func (r *run) decideSigns(ctx context.Context, p *total.Problem, ends *endcomponents.Components, rate, relativeError float64) error {
	place := make([]int32, p.Rows.NumStates())
	for _, members := range graph.Members(ends.Of, ends.Count) {
		part, action := average.PartOf(p.Rows, ends, members, place)
		if slices.Min(part.Costs) >= 0 {
			continue // a positive cost recurs, or the end component would stop
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

// staying gives the states of end components that stop a choice that stays there.
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
