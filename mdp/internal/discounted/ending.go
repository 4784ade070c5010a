package discounted

import (
	"slices"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Ending returns the rows of a stochastic shortest path problem that is the same as
// discounting: each step ends with probability 1−β,
//
//	p'(j|s,a) = β·p(j|s,a),  p'(end|s,a) = 1−β,
//
// in one more state. ok is false if a probability times β is subnormal and so loses digits.
func Ending(r *rows.Rows, by *vector.Discount, workers int) (ending *rows.Rows, ok bool) {
	n, m := r.NumStates(), r.NumChoices()
	end := int32(n)
	if by.Factor == 0 { // every step is the last
		r = &rows.Rows{StateStart: r.StateStart, RowStart: make([]int32, m+1), Costs: r.Costs}
	}
	length := len(r.Columns) + m + 1
	ending = &rows.Rows{
		StateStart: append(slices.Clone(r.StateStart), int32(m)+1), RowStart: make([]int32, m+2),
		Columns: make([]int32, length), Probabilities: make([]float64, length), Costs: append(slices.Clone(r.Costs), 0),
	}
	var isLost atomic.Bool
	cuts := parallel.Cuts(m, endingChoices)
	parallel.For(workers, len(cuts)-1, func(block int) {
		for k := cuts[block]; k < cuts[block+1]; k++ {
			at := int(r.RowStart[k]) + k // each choice before it has one entry more
			ending.RowStart[k] = int32(at)
			for e := r.RowStart[k]; e < r.RowStart[k+1]; e++ {
				p := by.Factor * r.Probabilities[e]
				if p < 0x1p-1022 {
					isLost.Store(true)
				}
				ending.Columns[at], ending.Probabilities[at] = r.Columns[e], p
				at++
			}
			ending.Columns[at], ending.Probabilities[at] = end, by.Complement.Hi
		}
	})
	ending.RowStart[m], ending.RowStart[m+1] = int32(length)-1, int32(length)
	ending.Columns[length-1], ending.Probabilities[length-1] = end, 1
	return ending, !isLost.Load()
}

// endingChoices is the number of choices that a worker copies at a time.
const endingChoices = 1 << 14
