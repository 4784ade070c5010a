package mdp

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// exactly solves for discounted costs by policy iteration with exact
// evaluation. Discounting by β is the same as ending in each step with
// probability 1−β, so this is a stochastic shortest path problem, all of whose
// policies reach the end:
//
//	p'(j|s,a) = β·p(j|s,a),  p'(end|s,a) = 1−β.
func (d Discounted) exactly(r *run, model Explicit) (*Result, error) {
	all, err := rowsOf(model)
	if err != nil {
		return nil, err
	}
	ending, ok := d.ending(all)
	if !ok {
		return nil, limit.ErrNotFinite
	}
	_, rounded := d.leave()
	n := all.NumStates()
	p := r.paths(ending, relativeError(model)+2*rounding.Unit+rounded)
	p.Settled[n] = true
	if start := r.settings.Policy; start != nil {
		p.StartFrom(append(slices.Clone(start), 0))
	}
	if err := p.Solve(); err != nil {
		return nil, err
	}
	result := r.pathResult(p, n, rateOf(model), func(s int) int { return s })
	result.Policy = p.Policy[:n]
	return result, nil
}

// ending returns the rows with one more state, in which the process ends; false
// where a probability times β is subnormal, whose digits float64 does not hold.
func (d Discounted) ending(r *rows.Rows) (ending *rows.Rows, ok bool) {
	leave, _ := d.leave()
	n, m := r.NumStates(), r.NumChoices()
	end := int32(n)
	ending = rows.New(n+1, m+1, len(r.Columns)+m+1)
	for s := range n {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
				p := d.Discount * r.Probabilities[e]
				if p < 0x1p-1022 {
					return nil, false
				}
				ending.Add(r.Columns[e], p)
			}
			ending.Add(end, leave.Hi)
			ending.EndChoice(r.Costs[k])
		}
		ending.EndState()
	}
	ending.Add(end, 1)
	ending.EndChoice(0)
	ending.EndState()
	return ending, true
}
