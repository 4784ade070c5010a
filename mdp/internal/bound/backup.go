package bound

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Bounds from a sweep by the Backup of a model, in float64.

// AssumedTerms is how many terms a backup of a model that does not list its
// rows is taken to add up, where its rounding is bounded.
const AssumedTerms = 64

// Underflow bounds what the products of a backup lose that are subnormal.
const Underflow = 16 * AssumedTerms * math.SmallestNonzeroFloat64

// Backup sweeps by the model's Backup, in float64, to dst, and returns bounds on
// T x − v, widened by what rounding can do to a backup of so many terms and by the
// relative error of the model; x is v, or v discounted. The error of the costs that
// a model admits is at most
//
//	ε·|c| ≤ ε·(|T x| + |x|) ≤ ε·(|T x − v| + 2·|v|).
func Backup(model sweep.Model, sweeper *sweep.Sweeper, terms int, relativeError float64, dst, x, v []float64) Gap {
	policy := make([]int32, len(v))
	sweeper.Blocks(func(block, lo, hi int) {
		model.Backup(dst, policy, x, lo, hi)
		least, greatest := math.Inf(1), math.Inf(-1)
		for s := lo; s < hi; s++ {
			least, greatest = min(least, dst[s]-v[s]), max(greatest, dst[s]-v[s])
		}
		sweeper.Least[block], sweeper.Most[block] = least, greatest
	})
	lower, upper := sweeper.Extremes()
	size := vector.LargestMagnitude(v)
	widening := (BackupError(terms, relativeError)+2*relativeError)*size +
		(4*rounding.Unit+relativeError)*max(math.Abs(lower), math.Abs(upper))
	if widening > 0 || size > 0 {
		widening += Underflow
	}
	return Gap{Lower: lower - widening, Upper: upper + widening, Policy: policy}
}

// BackupError bounds the error of a backup of so many terms in float64 relative to
// the largest magnitude of a value before and after: the rounding of its sums, that
// of the probabilities, which sum to 1 only up to twice as much, and what the model
// admits.
func BackupError(terms int, relativeError float64) float64 {
	return float64(3*terms+4)*rounding.Unit + 2*relativeError
}

// Stalled bounds what float64 rounding can do to T v − v: a backup adds up at most
// AssumedTerms products whose magnitudes sum to at most max|v|, the cost, which is
// part of the result, and −v.
func Stalled(v []float64) float64 {
	return (AssumedTerms + 4) * rounding.Unit * 2 * vector.LargestMagnitude(v)
}
