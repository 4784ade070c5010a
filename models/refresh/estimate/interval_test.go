package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// 3.841458820694124 is the 0.95 quantile of χ² with one degree of freedom: the
// square of 1.959963984540054, that of the normal law at 0.975 (Abramowitz and
// Stegun, table 26.1).
const half95 = 3.841458820694124 / 2

func TestIntervalAgainstBisection(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, orders := range []float64{0, 1, 6, 12} {
		for range 300 {
			changed, unchanged := randomGaps(random, 1, orders), randomGaps(random, 0, orders)
			h := historyOf(t, changed, unchanged)
			lower, upper, err := h.Interval(0.95)
			require.NoError(t, err)
			top := 0.
			if len(unchanged) > 0 {
				best := bisect(changed, unchanged)
				require.Less(t, lower, best)
				require.Greater(t, upper, best)
				top = logLikelihood(best, changed, unchanged)
				assert.InDelta(t, half95, top-logLikelihood(upper, changed, unchanged), 1e-10*(1-top))
			} else {
				require.True(t, math.IsInf(upper, 1))
			}
			assert.InDelta(t, half95, top-logLikelihood(lower, changed, unchanged), 1e-10*(1-top), "%v %v", changed, unchanged)
		}
	}
}

// With equal gaps the likelihood is that of the binomial law: of n accesses x with
// a change, and 1 − e^{−Δτ} the probability of one.
func TestIntervalOfEqualGapsIsBinomial(t *testing.T) {
	for _, gap := range []float64{1e-60, 0.25, 1e60} {
		for _, counts := range [][2]int64{{1, 0}, {9, 0}, {1, 1}, {9, 9}, {12, 1}, {12, 11}, {1_000_000, 3}, {1_000_000, 400_000}, {1_000_000, 999_999}} {
			n, x := counts[0], counts[1]
			var h History
			for i := range n {
				if err := h.Add(gap, i < x); err != nil {
					t.Fatal(err)
				}
			}
			lower, upper, err := h.Interval(0.95)
			require.NoError(t, err)
			deviance := func(rate float64) float64 {
				p, found := -math.Expm1(-rate*gap), float64(x)/float64(n)
				sum := 0.
				if x > 0 {
					sum += float64(x) * math.Log(found/p)
				}
				if x < n {
					sum += float64(n-x) * (math.Log1p(-found) + rate*gap)
				}
				return sum
			}
			if x > 0 {
				assert.InEpsilon(t, half95, deviance(lower), 1e-8, counts) // the sums cancel: n·ε
			} else {
				assert.Zero(t, lower)
			}
			if x < n {
				assert.InEpsilon(t, half95, deviance(upper), 1e-8, counts)
			} else {
				assert.True(t, math.IsInf(upper, 1))
			}
		}
	}
}

// How often the interval holds the rate, which has a binomial law of its own:
// 0.95 ± 4 standard deviations of the simulation, and 0.01 for what 50 accesses are
// short of infinitely many.
func TestIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	const trials = 4000
	for _, rate := range []float64{0.2, 1, 3} {
		held := 0
		for range trials {
			var h History
			for range 50 {
				gap := []float64{0.25, 0.5, 1}[random.IntN(3)]
				require.NoError(t, h.Add(gap, random.Float64() < -math.Expm1(-rate*gap)))
			}
			lower, upper, err := h.Interval(0.95)
			require.NoError(t, err)
			if lower <= rate && rate <= upper {
				held++
			}
		}
		assert.InDelta(t, 0.95, float64(held)/trials, 4*math.Sqrt(0.95*0.05/trials)+0.01, rate)
	}
}

func TestIntervalRefuses(t *testing.T) {
	_, _, err := new(History).Interval(0.95)
	require.ErrorIs(t, err, ErrNoHistory)
	for _, confidence := range []float64{0, 1, -1, math.NaN()} {
		_, _, err = historyOf(t, []float64{1}, nil).Interval(confidence)
		require.ErrorContains(t, err, "use a number between 0 and 1")
	}
}
