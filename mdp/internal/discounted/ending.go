package discounted

import (
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Ending returns the rows of a stochastic shortest path problem that is the same as
// discounting: each step ends with probability 1−β,
//
//	p'(j|s,a) = β·p(j|s,a),  p'(end|s,a) = 1−β,
//
// in one more state. ok is false if a probability times β is subnormal and so loses digits.
func Ending(r *rows.Rows, by *vector.Discount) (ending *rows.Rows, ok bool) {
	n, m := r.NumStates(), r.NumChoices()
	end := int32(n)
	ending = rows.New(n+1, m+1, len(r.Columns)+m+1)
	for s := range n {
		for k := r.StateStart[s]; k < r.StateStart[s+1]; k++ {
			for e := r.RowStart[k]; e < r.RowStart[k+1] && by.Factor > 0; e++ {
				p := by.Factor * r.Probabilities[e]
				if p < 0x1p-1022 {
					return nil, false
				}
				ending.Add(r.Columns[e], p)
			}
			ending.Add(end, by.Complement.Hi)
			ending.EndChoice(r.Costs[k])
		}
		ending.EndState()
	}
	ending.Add(end, 1)
	ending.EndChoice(0)
	ending.EndState()
	return ending, true
}
