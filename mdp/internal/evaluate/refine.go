package mdp

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// maxCorrections bounds the corrections of refine. Each gains the digits that
// conditioning leaves of a float64, rarely fewer than eight of the 32.
const maxCorrections = 10

// equations are the evaluation equations of a chain,
//
//	0 = c(s) − g + Σ_j p_sj·(h(j) − h(s)).
type equations struct {
	chain *chain
	costs []float64
	team  *parallel.Team

	// correct returns an approximate solution for other costs, with the gain.
	correct func(costs []float64) (gain float64, values []float64, err error)
}

// refine solves the evaluation equations of a chain with one closed class to
// double-double precision, from the gain and the values of the costs.
func refine(e evaluated, enough float64) (values, error) {
	start := values{high: slices.Clone(e.values), low: make([]float64, len(e.values))}
	equations := equations{chain: e.chain, costs: e.costs, team: e.elimination.Team}
	equations.correct = func(costs []float64) (float64, []float64, error) {
		gain := e.system.gain(e.classes[0], costs)
		x, err := e.system.values(costs, gain)
		return gain, x, err
	}
	return equations.refine(start, e.gain, enough)
}

// refine brings values closer to the solution: the residual
//
//	c(s) − g + Σ_j p_sj·(h(j) − h(s))
//
// is computed in double-double, and the solution for it as a right-hand side
// corrects gain and values (iterative refinement; Higham 2002, chapter 12),
// for as long as that brings the residual down and it is more than enough. What
// remains of it becomes the resolution of the values. The start is overwritten.
func (e equations) refine(v values, gain, enough float64) (values, error) {
	n, g := len(v.high), doubledouble.FromFloat(gain)
	v.resolution = math.Inf(1)
	before := newValues(n)
	right := make([]float64, n)
	for range maxCorrections {
		largest := e.residual(right, g, v)
		if !(largest < v.resolution/2) {
			if largest > v.resolution {
				v.high, v.low = before.high, before.low
			}
			break
		}
		v.resolution = largest
		if largest <= enough {
			break
		}
		copy(before.high, v.high)
		copy(before.low, v.low)
		more, correction, err := e.correct(right)
		if err != nil {
			return values{}, err
		}
		g = g.AddFloat(more)
		for i, c := range correction {
			v.set(i, v.number(i).AddFloat(c))
		}
	}
	return v, nil
}

// residual sets right to the residual of the equations and returns its largest
// magnitude relative to that of the terms of its row: the componentwise
// backward error. A norm that is one for all states would not do, as values may
// differ by forty orders of magnitude, and those of the states that are visited
// most are often the smallest.
func (e equations) residual(right []float64, g doubledouble.Number, v values) (largest float64) {
	cuts := parallel.Cuts(len(right), blockStates)
	most := make([]float64, len(cuts)-1)
	e.team.For(len(most), func(block int) {
		for s := cuts[block]; s < cuts[block+1]; s++ {
			sum := doubledouble.FromFloat(e.costs[s]).Sub(g)
			magnitude := math.Abs(e.costs[s]) + math.Abs(g.Hi)
			columns, probabilities := e.chain.Row(int32(s))
			for i, j := range columns {
				sum = sum.Add(v.difference(int(j), s).MulFloat(probabilities[i]))
				magnitude += probabilities[i] * (math.Abs(v.high[j]) + math.Abs(v.high[s]))
			}
			right[s] = sum.Hi
			if sum.Hi != 0 {
				most[block] = max(most[block], math.Abs(sum.Hi)/magnitude)
			}
		}
	})
	return slices.Max(most)
}

// residualRoundoff is the typical relative rounding of a residual, at which
// there is nothing left to correct.
const residualRoundoff = 0x1p-104
