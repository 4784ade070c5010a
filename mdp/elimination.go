package mdp

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// elimination is the state-reduction factorization of a chain on a set of
// transient states T: those that are left with probability 1. With P the
// transition probabilities within T it factors
//
//	I − P = (I − F)·D·(I − G),
//
// F strictly above the diagonal, G strictly below, D diagonal, eliminating the
// states from last to first. Eliminating state k adds to the probability of
// every transition i → j the probability of going there by way of k,
//
//	p_ij ← p_ij + p_ik·p_kj / S_k,  S_k = Σ_{j<k} p_kj + (probability of leaving T),
//
// which is the algorithm of Grassmann, Taksar and Heyman (1985): the pivot S_k
// is a sum of the ways out of k instead of 1 − p_kk, so there is no
// subtraction anywhere, and every element of the factors has a relative error
// of at most some multiple of n·u, whatever the conditioning (O'Cinneide
// 1993). Solutions for right-hand sides of one sign inherit that.
//
// The states are ordered, and only the band that the transitions span is
// stored: rows of below + 1 + above elements.
type elimination struct {
	order        []int32 // state at each place
	below, above int
	band         []float64 // row i holds p_ij (j<i), and f_ij = p_ij/S_j (j>i), for places i−below … i+above
	exit         []float64 // probability of leaving T from each place, by way of eliminated states included
	pivot        []float64 // S
}

// forecast is what an elimination would take.
type forecast struct {
	bytes, operations float64
}

func forecastElimination(states, below, above int) forecast {
	n := float64(states)
	return forecast{
		bytes:      8 * n * float64(below+above+2),
		operations: n * float64(below+1) * float64(above+1),
	}
}

// String returns the forecast for people.
func (f forecast) String() string {
	return fmt.Sprintf("%.2g multiplications and %.2g MB", f.operations, f.bytes/1e6)
}

// maxEliminationBytes bounds the memory of one elimination.
const maxEliminationBytes = 8 << 30

// newElimination factors the chain on the states of order, a group. Whatever
// leaves the group counts as absorbed.
func newElimination(ctx context.Context, c *chain, order []int32, groups *groups, group int32) (*elimination, error) {
	m := len(order)
	below, above := c.bandwidths(order, groups, group)
	if f := forecastElimination(m, below, above); f.bytes > maxEliminationBytes {
		return nil, fmt.Errorf("mdp: %w: exact evaluation of %d states would take %s; %g MB are allowed",
			ErrTooLarge, m, f, float64(maxEliminationBytes)/1e6)
	}
	e := &elimination{
		order: order,
		below: below,
		above: above,
		band:  make([]float64, m*(below+1+above)),
		exit:  make([]float64, m),
		pivot: make([]float64, m),
	}
	for i, s := range order {
		columns, probabilities := c.row(s)
		for k, j := range columns {
			if groups.of[j] == group {
				e.band[e.at(i, int(groups.place[j]))] += probabilities[k]
			} else {
				e.exit[i] += probabilities[k]
			}
		}
	}
	return e, e.factor(ctx)
}

// stuckError says that the chain, once in a state, leaves the group with a
// probability that is too small for float64.
type stuckError struct{ state int32 }

func (e *stuckError) Error() string {
	return fmt.Sprintf("mdp: exact evaluation: the probability of ever leaving for good from state %d is too small for float64", e.state)
}

// Unwrap returns [ErrPrecisionLimit].
func (e *stuckError) Unwrap() error { return ErrPrecisionLimit }

// at returns where the band holds row i, column j.
func (e *elimination) at(i, j int) int { return i*(e.below+1+e.above) + j - i + e.below }

// lower returns row k left of the diagonal, and the first column of it.
func (e *elimination) lower(k int) (row []float64, first int) {
	first = max(0, k-e.below)
	return e.band[e.at(k, first):e.at(k, k)], first
}

// upper returns row k right of the diagonal, from column k+1.
func (e *elimination) upper(k int) []float64 {
	return e.band[e.at(k, k)+1 : e.at(k, min(k+e.above, len(e.order)-1))+1]
}

func (e *elimination) factor(ctx context.Context) error {
	for k := len(e.order) - 1; k >= 0; k-- {
		if k%contextInterval == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row, first := e.lower(k)
		e.pivot[k] = e.exit[k] + floats.Sum(row)
		if !(e.pivot[k] > 0) {
			return &stuckError{state: e.order[k]}
		}
		for i := max(0, k-e.above); i < k; i++ {
			at := e.at(i, k)
			if e.band[at] == 0 {
				continue
			}
			f := e.band[at] / e.pivot[k]
			e.band[at] = f
			e.exit[i] += f * e.exit[k]
			floats.AddScaled(e.band[at-k+first:at], f, row) // the diagonal element among them is not used
		}
	}
	return nil
}

// solve returns x with (I − P)·x = b: the expected sum of b over the visits
// before absorption, from each state. b and x are by place in the order.
func (e *elimination) solve(b []float64) []float64 {
	x := append([]float64(nil), b...)
	for i := len(x) - 1; i >= 0; i-- {
		upper := e.upper(i)
		x[i] += floats.Dot(upper, x[i+1:i+1+len(upper)])
	}
	for k := range x {
		row, first := e.lower(k)
		x[k] = (x[k] + floats.Dot(row, x[first:k])) / e.pivot[k]
	}
	return x
}

// solveTransposed returns y with yᵀ·(I − P) = bᵀ: the expected number of
// visits to each state before absorption, where b says how often the chain is
// entered at each.
func (e *elimination) solveTransposed(b []float64) []float64 {
	y := append([]float64(nil), b...)
	for k := len(y) - 1; k >= 0; k-- {
		row, first := e.lower(k)
		y[k] /= e.pivot[k]
		floats.AddScaled(y[first:k], y[k], row)
	}
	for i := range y {
		upper := e.upper(i)
		floats.AddScaled(y[i+1:i+1+len(upper)], y[i], upper)
	}
	return y
}

// mostVisited returns the state with the most visits of solveTransposed, also
// where these overflow: it scales them down on the way.
func (e *elimination) mostVisited(b []float64) int32 {
	const large = 0x1p500
	y := append([]float64(nil), b...)
	shrink := func(i int) {
		for y[i] = min(y[i], math.MaxFloat64); y[i] > large; {
			floats.Scale(1/large, y)
		}
	}
	for k := len(y) - 1; k >= 0; k-- {
		row, first := e.lower(k)
		y[k] /= e.pivot[k]
		shrink(k)
		floats.AddScaled(y[first:k], y[k], row)
	}
	for i := range y {
		shrink(i)
		upper := e.upper(i)
		floats.AddScaled(y[i+1:i+1+len(upper)], y[i], upper)
	}
	return e.order[floats.MaxIdx(y)]
}
