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

// refine solves the evaluation equations of a chain with one closed class to
// double-double precision: the factors are those of float64, the residual
//
//	c(s) − g + Σ_j p_sj·(h(j) − h(s))
//
// is computed in double-double, and the solution for it as a right-hand side
// corrects gain and values (iterative refinement; Higham 2002, chapter 12),
// for as long as that brings the residual down and it is more than enough. What
// remains of it becomes the resolution of the values.
//
// It starts from the gain and the values of the costs.
func refine(e evaluated, enough float64) (values, error) {
	class := e.classes[0]
	n, g := len(e.values), doubledouble.FromFloat(e.gain)
	v := values{high: slices.Clone(e.values), low: make([]float64, n), resolution: math.Inf(1)}
	before := values{high: make([]float64, n), low: make([]float64, n)}
	right := make([]float64, n)
	for range maxCorrections {
		largest := residual(right, e, g, v)
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
		more := e.system.gain(class, right)
		g = g.AddFloat(more)
		correction, err := e.system.values(right, more)
		if err != nil {
			return values{}, err
		}
		for i, c := range correction {
			x := doubledouble.Number{Hi: v.high[i], Lo: v.low[i]}.AddFloat(c)
			v.high[i], v.low[i] = x.Hi, x.Lo
		}
	}
	return v, nil
}

// residual sets right to the residual of the evaluation equations and returns
// its largest magnitude relative to that of the terms of its row: the
// componentwise backward error. A norm that is one for all states would not do,
// as values may differ by forty orders of magnitude, and those of the states
// that are visited most are often the smallest.
func residual(right []float64, e evaluated, g doubledouble.Number, v values) (largest float64) {
	cuts := parallel.Cuts(len(right), blockStates)
	most := make([]float64, len(cuts)-1)
	e.elimination.team.For(len(most), func(block int) {
		for s := cuts[block]; s < cuts[block+1]; s++ {
			sum := doubledouble.FromFloat(e.costs[s]).Sub(g)
			magnitude := math.Abs(e.costs[s]) + math.Abs(g.Hi)
			columns, probabilities := e.chain.row(int32(s))
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
