package refresh

import (
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Settings say how [Optimize] works. The zero value is useful.
type Settings struct {
	// Workers is the number of goroutines; below 1, one for each processor. The
	// answer does not depend on it.
	Workers int

	// Rates receives the rates where it is not nil, one for each page, so that
	// no memory is taken.
	Rates []float64

	// Multiplier is a guess of the multiplier, such as that of a similar
	// problem; 0 is none.
	Multiplier float64
}

// Solution is an answer of [Optimize].
type Solution struct {
	// Rates are the rates x_i, in the order of the pages.
	Rates []float64

	// Value is Σ f_i(x_i), or the cost where the objective is one.
	Value float64

	// Bound is what no rates within the bandwidth and the bounds can surpass: an
	// upper bound of every value, or a lower one of every cost. It follows from
	// duality, whatever the method did, and includes an allowance of 2⁻⁴⁶ of the
	// values for their own rounding.
	Bound float64

	// Multiplier is the price λ of bandwidth: what one more unit of it gains. It
	// is 0 where the bandwidth is more than the pages can use.
	Multiplier float64

	// HostMultipliers are the prices λ + ν_h of an access to a page of host h,
	// above Multiplier where the cap of the host matters; nil without hosts.
	HostMultipliers []float64

	// Residual is the greatest relative amount by which a page misses the
	// conditions of optimality: f_i′(x_i) equal to the price where x_i is between
	// its bounds, not above it at the lower, not below it at the upper.
	Residual float64

	Used   float64 // Σ x_i
	Active int     // pages with x_i > 0
	Passes int     // over all pages, or those of some hosts

	// Status is mdp.Converged, mdp.PrecisionLimit where Residual stayed above
	// 1e-12, or the bandwidth or a cap is missed, or Bound is away from Value, by
	// more than that relative to it, or mdp.Interrupted: the rates then keep to
	// the bandwidth and bounds, and Bound holds.
	Status mdp.Status

	Elapsed time.Duration
}
