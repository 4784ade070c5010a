package mdp

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// maxCorrections bounds the corrections of refine. Each gains the digits that
// conditioning leaves of a float64, rarely fewer than eight of the 32.
const maxCorrections = 10

// refine solves the evaluation equations of a chain with one closed class, for
// its costs and something extra on top of them (nil: nothing), to double-double
// precision: the factors are those of float64, the residual
//
//	c(s) + extra(s) − g + Σ_j p_sj·(h(j) − h(s))
//
// is computed in double-double, and the solution for it as a right-hand side
// corrects gain and values (iterative refinement; Higham 2002, chapter 12),
// for as long as that brings the residual down.
//
// The gain returned is that of the first solution, which for costs of one sign
// has a small relative error of its own; the corrected one is accurate to the
// precision of the values.
func refine(s *system, extra []float64) (gain float64, refined values) {
	costs := s.chain.costs
	first, high := s.solve(costs)
	root := s.classes[0].root
	gain = first[root]
	g := doubledouble.FromFloat(gain)
	v := values{high: high, low: make([]float64, len(high))}
	before := values{high: make([]float64, len(high)), low: make([]float64, len(high))}
	right := make([]float64, len(costs))
	previous := math.Inf(1)
	for range maxCorrections {
		largest, rounding := residual(right, s.chain, extra, g, v)
		if !(largest < previous/2) {
			if largest > previous {
				v = before
			}
			break
		}
		if largest <= rounding {
			break
		}
		previous = largest
		copy(before.high, v.high)
		copy(before.low, v.low)
		gains, correction := s.solve(right)
		g = g.AddFloat(gains[root])
		for i, c := range correction {
			x := doubledouble.Number{Hi: v.high[i], Lo: v.low[i]}.AddFloat(c)
			v.high[i], v.low[i] = x.Hi, x.Lo
		}
	}
	return gain, v
}

// residual sets right to the residual of the evaluation equations and returns
// its largest magnitude, with a bound on what rounding did to it.
func residual(right []float64, chain *chain, extra []float64, g doubledouble.Number, v values) (largest, rounding float64) {
	for s := range right {
		sum := doubledouble.FromFloat(chain.costs[s]).Sub(g)
		if extra != nil {
			sum = sum.AddFloat(extra[s])
		}
		magnitude := math.Abs(chain.costs[s]) + math.Abs(g.Hi)
		columns, probabilities := chain.row(int32(s))
		for i, j := range columns {
			term := v.difference(int(j), s).MulFloat(probabilities[i])
			sum = sum.Add(term)
			magnitude += math.Abs(term.Hi)
		}
		right[s] = sum.Hi
		largest = max(largest, math.Abs(sum.Hi))
		rounding = max(rounding, magnitude*residualRoundoff)
	}
	return largest, rounding
}

// residualRoundoff is the typical relative rounding of a residual, at which
// there is nothing left to correct.
const residualRoundoff = 0x1p-104
