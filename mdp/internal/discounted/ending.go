package discounted

import (
	"math"
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
// in one more state, the last. The others are numbered in an order, nil for that of r. ok is false if a
// probability times β is subnormal and so loses digits.
func Ending(r *rows.Rows, by *vector.Discount, order []int32, workers int) (ending *rows.Rows, ok bool) {
	n, m := r.NumStates(), r.NumChoices()
	end := int32(n)
	if by.Factor == 0 { // every step is the last
		r = &rows.Rows{StateStart: r.StateStart, RowStart: make([]int32, m+1), Costs: r.Costs}
	}
	number := make([]int32, n) // of each state of r
	for i := range int32(n) {
		if order == nil {
			number[i] = i
		} else {
			number[order[i]] = i
		}
	}
	length := len(r.Columns) + m + 1
	ending = &rows.Rows{
		StateStart: make([]int32, n+2), RowStart: make([]int32, m+2),
		Columns: make([]int32, length), Probabilities: make([]float64, length), Costs: make([]float64, m+1),
	}
	starts := make([]int32, n+1) // of the entries of each state
	for s, i := range number {
		first, last := r.Choices(s)
		ending.StateStart[i+1] = last - first
		starts[i+1] = r.RowStart[last] - r.RowStart[first] + last - first // each choice has one entry more
	}
	for i := range n {
		ending.StateStart[i+1] += ending.StateStart[i]
		starts[i+1] += starts[i]
	}
	ending.StateStart[n+1], ending.RowStart[m], ending.RowStart[m+1] = int32(m)+1, int32(length)-1, int32(length)
	ending.Columns[length-1], ending.Probabilities[length-1] = end, 1
	var isLost atomic.Bool
	cuts := parallel.Cuts(n, endingStates)
	parallel.For(workers, len(cuts)-1, func(block int) {
		least := math.Inf(1)
		for s := cuts[block]; s < cuts[block+1]; s++ {
			at, to := starts[number[s]], ending.StateStart[number[s]]
			first, last := r.Choices(s)
			for k := first; k < last; k++ {
				from, length := r.RowStart[k], r.RowStart[k+1]-r.RowStart[k]
				next, probabilities := r.Columns[from:from+length], r.Probabilities[from:from+length]
				columns, scaled := ending.Columns[at:at+length+1], ending.Probabilities[at:at+length+1]
				ending.RowStart[to], ending.Costs[to] = at, r.Costs[k]
				for e, j := range next {
					p := by.Factor * probabilities[e]
					least = min(least, p)
					columns[e], scaled[e] = number[j], p
				}
				columns[length], scaled[length] = end, by.Complement.Hi
				at, to = at+length+1, to+1
			}
		}
		if least < 0x1p-1022 {
			isLost.Store(true)
		}
	})
	return ending, !isLost.Load()
}

// endingStates is the number of states whose choices a worker copies at a time.
const endingStates = 1 << 12
