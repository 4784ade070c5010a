package queue

import (
	"math/bits"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// geometricSums returns Σ_{i<n} r^i and Σ_{i<n} i·r^i for 0 ≤ r ≤ 1 and n ≥ 1.
//
// Both sums double their length in one step,
//
//	S(2m) = S(m) + r^m·S(m)
//	M(2m) = M(m) + r^m·(M(m) + m·S(m)),
//
// and grow by one with the next terms, r^m and m·r^m. Nothing is
// subtracted, so r near 1 needs no special case. The powers
// r^m carry the largest error, which doubles with m: in double-double the relative
// error of both sums is below n·2^−100, that is 2^−80 for n = 10⁶.
func geometricSums(r doubledouble.Number, n int) (sum, moment doubledouble.Number) {
	power := doubledouble.FromFloat(1) // r^m
	for bit := bits.Len(uint(n)) - 1; bit >= 0; bit-- {
		m := n >> (bit + 1)
		moment = moment.Add(power.Mul(moment.Add(sum.Mul(doubledouble.FromFloat(float64(m))))))
		sum = sum.Add(power.Mul(sum))
		power = power.Mul(power)
		if n>>bit&1 == 1 {
			moment = moment.Add(power.Mul(doubledouble.FromFloat(float64(2 * m))))
			sum = sum.Add(power)
			power = power.Mul(r)
		}
	}
	return sum, moment
}
