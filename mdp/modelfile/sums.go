// This file sums up the values of choices, by which probabilities are divided.

package modelfile

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// SumTolerance is how far the sum of the probabilities of a choice may be from 1,
// and, relatively, an exit rate in a file from the sum of the rates. It is the
// tolerance of mdp.NewTable: 1e-9, and what rounding may add.
const SumTolerance = 1e-9 * (1 + 0x1p-20)

// normalTolerance is how far sums may be from 1 with [Options.Normalize].
const normalTolerance = 1e-6 * (1 + 0x1p-20)

// sumToOne reports whether numbers lo … hi−1, from 0 up, sum to 1, up to SumTolerance. The sum in
// float64 decides where it is clear: its relative error is below the number of numbers times 2⁻⁵³.
func (n *Numbers) sumToOne(lo, hi int) bool {
	const most = 1 << 20
	if hi-lo <= most {
		sum := 0.0
		for _, x := range n.Float[lo:hi] {
			sum += x
		}
		if math.Abs(sum-1) <= SumTolerance/2 {
			return true
		}
	}
	return math.Abs(n.excess(lo, hi)) <= SumTolerance
}

// normalize divides numbers lo … hi−1 by their sum if that is near 1.
func (n *Numbers) normalize(lo, hi int) {
	if off := math.Abs(n.excess(lo, hi)); off <= SumTolerance || !(off <= normalTolerance) {
		return
	}
	sum := n.sum(lo, hi)
	for i := lo; i < hi; i++ {
		quotient := new(big.Rat).Quo(n.rational(i), sum)
		if n.Float[i], _ = quotient.Float64(); n.Exact != nil {
			n.Exact[i] = quotient
		}
	}
}

// excess returns the sum of numbers lo … hi−1, less 1.
func (n *Numbers) excess(lo, hi int) float64 {
	excess := floatSum(n.Float[lo:hi]).AddFloat(-1).Float()
	if n.Exact != nil {
		excess, _ = new(big.Rat).Sub(n.sum(lo, hi), one).Float64()
	}
	return excess
}

// sum returns the exact sum of numbers lo … hi−1, which may be shared.
func (n *Numbers) sum(lo, hi int) *big.Rat {
	if n.Exact != nil {
		if sum, ok := shortSum(n.Exact[lo:hi]); ok {
			return sum
		}
	}
	sum := new(big.Rat)
	for i := lo; i < hi; i++ {
		sum.Add(sum, n.rational(i))
	}
	return sum
}

// shortSum adds up numbers from 0 up where 64 bits hold their numerators over a
// common denominator, as they do for the decimals of most files: that is quicker
// than fractions of any length.
func shortSum(numbers []*big.Rat) (sum *big.Rat, ok bool) {
	total, common := uint64(0), uint64(1)
	for _, x := range numbers {
		if !x.Num().IsUint64() || !x.Denom().IsUint64() {
			return nil, false
		}
		numerator, denominator := x.Num().Uint64(), x.Denom().Uint64()
		if common%denominator != 0 {
			factor := denominator / commonDivisor(common, denominator)
			high, low := bits.Mul64(common, factor)
			more, scaled := bits.Mul64(total, factor)
			if high|more != 0 {
				return nil, false
			}
			common, total = low, scaled
		}
		high, low := bits.Mul64(numerator, common/denominator)
		next, carry := bits.Add64(total, low, 0)
		if high|carry != 0 {
			return nil, false
		}
		total = next
	}
	if total == common {
		return one, true
	}
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(total), new(big.Int).SetUint64(common)), true
}

// commonDivisor returns the greatest common divisor of two positive numbers.
func commonDivisor(x, y uint64) uint64 {
	for y > 0 {
		x, y = y, x%y
	}
	return x
}

// floatSum adds numbers up with twice the digits.
func floatSum(numbers []float64) doubledouble.Number {
	var sum doubledouble.Number
	for _, x := range numbers {
		sum = sum.AddFloat(x)
	}
	return sum
}
