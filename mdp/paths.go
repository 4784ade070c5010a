package mdp

import (
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/ssp"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Criteria that are stochastic shortest path problems: how a run poses them, and
// results of their solutions.

// paths returns a stochastic shortest path problem to be solved in a run.
func (r *run) paths(all *rows.Rows, inexact float64) *ssp.Problem {
	p := ssp.New(r.limits, all, inexact)
	_, p.Eliminate = r.settings.Method.(PolicyIteration)
	return p
}

// pathResult returns the result of a solved problem for a model of n states and a
// rate of steps, number being the state of the problem that stands for a state of
// the model.
func (r *run) pathResult(p *ssp.Problem, n int, rate float64, number func(s int) int) *Result {
	result := &Result{Value: make([]float64, n), Method: PolicyIteration{}.String()}
	if r.settings.Method == nil {
		result.Reason = "it is exact, one strongly connected component after the other"
	}
	bounds := stateBounds{lower: make([]float64, n), upper: make([]float64, n)}
	below, above := vector.New(n), vector.New(n)
	for s := range n {
		i := number(s)
		below.Set(s, p.Lower.At(i))
		above.Set(s, p.Upper.At(i))
		lower, upper := p.Lower.At(i).RoundDown(), p.Upper.At(i).RoundUp()
		if rate != 1 {
			lower, upper = rounding.QuotientDown(lower, rate), -rounding.QuotientDown(-upper, rate)
		}
		bounds.lower[s], bounds.upper[s] = lower, upper
		result.Value[s] = between(p.Value.High[i]/rate, lower, upper)
	}
	bounds.proof = [2]Witness{{Value: vectorOf(below)}, {Value: vectorOf(above)}}
	result.setBounds(bounds, scale{})
	return result
}
