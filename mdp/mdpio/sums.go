// This file sums up the values of choices, by which probabilities are divided.

package mdpio

import (
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// SumTolerance is how far the probabilities of a choice may be from 1 in sum,
// and an announced exit rate from the sum of the rates, relatively. It is that
// of mdp.NewTable: 1e-9, and what rounding may add.
const SumTolerance = 1e-9 * (1 + 0x1p-20)

// sumToOne reports whether numbers lo … hi−1 sum to 1, up to SumTolerance.
func (n *Numbers) sumToOne(lo, hi int) bool {
	excess := floatSum(n.Float[lo:hi]).AddFloat(-1).Float()
	if n.Exact != nil {
		excess, _ = new(big.Rat).Sub(n.sum(lo, hi), one).Float64()
	}
	return math.Abs(excess) <= SumTolerance
}

// sum returns the exact sum of numbers lo … hi−1.
func (n *Numbers) sum(lo, hi int) *big.Rat {
	sum := new(big.Rat)
	for i := lo; i < hi; i++ {
		sum.Add(sum, n.rational(i))
	}
	return sum
}

// floatSum adds numbers up with twice the digits.
func floatSum(numbers []float64) doubledouble.Number {
	var sum doubledouble.Number
	for _, x := range numbers {
		sum = sum.AddFloat(x)
	}
	return sum
}
