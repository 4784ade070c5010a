package bound

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
)

// Within reports whether upper − lower ≤ tolerance·scale. If the bounds have the same
// sign, the smaller of their magnitudes replaces a scale below it. See mdp.Within.
func Within(lower, upper, scale, tolerance float64) bool {
	if lower == upper {
		return true
	}
	if lower > 0 || upper < 0 {
		scale = max(scale, min(math.Abs(lower), math.Abs(upper)))
	}
	const outward = 1 + 8*rounding.Unit
	return (upper-lower)*outward <= tolerance*scale/outward && !math.IsInf(upper-lower, 0)
}

// Shortfall estimates the factor, at least 2, by which bounds must come closer to be
// within a tolerance of each other; it returns 0 if they are.
func Shortfall(lower, upper, tolerance float64) float64 {
	if Within(lower, upper, 0, tolerance) {
		return 0
	}
	return max(2, (upper-lower)/tolerance/max(math.Abs(lower), math.Abs(upper)))
}
