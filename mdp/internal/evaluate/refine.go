package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Iterative refinement: values in double-double from factors in float64.

// Roundoff is the typical relative rounding of a residual in double-double, below which
// corrections do not help.
const Roundoff = 0x1p-104

// maxCorrections bounds the corrections of refine. Each correction adds the decimal digits that
// the conditioning leaves of a float64: rarely fewer than eight, of the 32 of a double-double.
const maxCorrections = 10

// Solution is the gain and the values, in float64, of some costs on a chain with
// one closed class.
type Solution struct {
	System *System
	Costs  []float64
	Gain   float64
	Values []float64
}

// Solve solves the evaluation equations for costs.
func (s *System) Solve(costs []float64) (Solution, error) {
	gain := s.Gain(s.Classes[0], costs)
	values, err := s.values(costs, gain)
	return Solution{s, costs, gain, values}, err
}

// Refine returns the values in double-double, refined until the residual is at most enough.
func (s Solution) Refine(team *parallel.Team, enough float64) (vector.Vector, error) {
	e := equations{chain: s.System.Chain, costs: s.Costs, team: team}
	e.correct = func(costs []float64) (float64, []float64, error) {
		more, err := s.System.Solve(costs)
		return more.Gain, more.Values, err
	}
	return e.refine(vector.Extended(slices.Clone(s.Values)), s.Gain, enough)
}

// RefineTotals returns the expected total costs of a chain until it reaches its last
// state, in double-double, refined until the residual is at most enough. It overwrites
// start. totals must be prepared for the [Chain.Ending] of the chain.
func RefineTotals(ctx context.Context, totals *Totals, team *parallel.Team, chain *Chain, start vector.Vector, enough float64) (vector.Vector, error) {
	e := equations{chain: chain, costs: chain.Costs, team: team}
	e.correct = func(costs []float64) (float64, []float64, error) {
		costs[len(costs)-1] = 0
		x, isGood, err := totals.Solve(ctx, costs, 0)
		if err == nil && !isGood {
			err = fmt.Errorf("mdp: evaluating a policy by iteration: %w", limit.ErrPrecisionLimit)
		}
		return 0, x, err
	}
	return e.refine(start, 0, enough)
}

// equations are the evaluation equations of a chain,
//
//	0 = c(s) − g + Σ_j p_sj·(h(j) − h(s)).
type equations struct {
	chain *Chain
	costs []float64
	team  *parallel.Team

	// correct returns an approximate solution for other costs, with the gain.
	correct func(costs []float64) (gain float64, values []float64, err error)
}

// refine brings values closer to the solution: the residual
//
//	c(s) − g + Σ_j p_sj·(h(j) − h(s))
//
// is computed in double-double, and the solution for it as a right-hand side
// corrects gain and values (iterative refinement; Higham 2002, chapter 12),
// while the residual falls and exceeds enough. The last residual becomes the resolution
// of the values. The start is overwritten.
func (e equations) refine(v vector.Vector, gain, enough float64) (vector.Vector, error) {
	n, g := len(v.High), doubledouble.FromFloat(gain)
	v.Resolution = math.Inf(1)
	before := vector.New(n)
	right := make([]float64, n)
	for range maxCorrections {
		largest := e.residual(right, g, v)
		if !(largest < v.Resolution/2) {
			if largest > v.Resolution {
				v.High, v.Low = before.High, before.Low
			}
			break
		}
		v.Resolution = largest
		if largest <= enough {
			break
		}
		copy(before.High, v.High)
		copy(before.Low, v.Low)
		more, correction, err := e.correct(right)
		if err != nil {
			return vector.Vector{}, err
		}
		g = g.AddFloat(more)
		for i, c := range correction {
			v.Set(i, v.At(i).AddFloat(c))
		}
	}
	return v, nil
}

// residual sets right to the residual of the equations and returns its largest
// magnitude relative to that of the terms of its row: the componentwise
// backward error. One norm for all states would not do, as values may differ by forty
// orders of magnitude, and the states that are visited most often have the smallest.
func (e equations) residual(right []float64, g doubledouble.Number, v vector.Vector) (largest float64) {
	cuts := parallel.Cuts(len(right), rows.BlockStates)
	most := make([]float64, len(cuts)-1)
	e.team.For(len(most), func(block int) {
		for s := cuts[block]; s < cuts[block+1]; s++ {
			sum := doubledouble.FromFloat(e.costs[s]).Sub(g)
			magnitude := math.Abs(e.costs[s]) + math.Abs(g.Hi)
			columns, probabilities := e.chain.Row(int32(s))
			for i, j := range columns {
				sum = sum.Add(v.Difference(int(j), s).MulFloat(probabilities[i]))
				magnitude += probabilities[i] * (math.Abs(v.High[j]) + math.Abs(v.High[s]))
			}
			right[s] = sum.Hi
			if sum.Hi != 0 {
				most[block] = max(most[block], math.Abs(sum.Hi)/magnitude)
			}
		}
	})
	return slices.Max(most)
}
