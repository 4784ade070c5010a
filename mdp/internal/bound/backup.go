package bound

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Bounds from a sweep by the Backup of a model, in float64.

// AssumedTerms is the number of terms that a backup is assumed to add up, if the model
// does not list its rows, to bound its rounding.
const AssumedTerms = 64

// Underflow bounds the error of subnormal products in a backup.
const Underflow = 16 * AssumedTerms * math.SmallestNonzeroFloat64

// Backup sweeps by the model's Backup, in float64, to dst, and returns bounds on T x −
// v, widened by the rounding of a backup of the given number of terms and by the
// relative error ε of the model; x is v, or β·v. The error of the costs of an
// approximate model is at most
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
	return Gap{Lower: lower - widening, Upper: upper + widening, Policy: policy, Widening: widening}
}

// BackupError bounds the error of a backup of the given number of terms in float64,
// relative to the largest magnitude of a value before and after it: the rounding of its
// sums and of the probabilities, whose sum may be off 1 by twice as much, and the
// relative error of the model.
func BackupError(terms int, relativeError float64) float64 {
	return float64(3*terms+4)*rounding.Unit + 2*relativeError
}

// DifferenceError bounds the float64 rounding error of T v − v: a backup adds up at most
// AssumedTerms products whose magnitudes sum to at most max|v|, the cost, which is
// part of the result, and −v.
func DifferenceError(v []float64) float64 {
	return (AssumedTerms + 4) * rounding.Unit * 2 * vector.LargestMagnitude(v)
}
