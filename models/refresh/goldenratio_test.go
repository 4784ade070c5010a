package refresh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/special"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/queue"
)

// cycleOf evaluates a cycle of the golden ratio policy, of so many slots or a few more.
func cycleOf(t *testing.T, pages refresh.Pages, law queue.Law, frequencies []float64, slots int64) *refresh.Evaluation {
	t.Helper()
	cycle := sequence.FibonacciAtLeast(slots)
	policy, err := sequence.NewGoldenRatio(frequencies, cycle)
	require.NoError(t, err)
	e, err := refresh.NewEvaluator(pages, law)
	require.NoError(t, err)
	for range cycle {
		require.NoError(t, e.Access(policy.Next()))
	}
	return e.Cycle()
}

// The golden ratio policy: what it costs with long cycles tends to the limit,
// which is within 2φ²/5 of the bound where pages are many.
func TestGoldenRatioLimit(t *testing.T) {
	const mean = 0.1
	law, err := queue.NewExponential(mean)
	require.NoError(t, err)
	for _, n := range []int{1, 2, 5, 40} {
		r := rand.New(rand.NewPCG(uint64(n), 0))
		pages := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
		frequencies := make([]float64, n)
		for i := range n {
			pages.ChangeRates[i] = r.Float64() / float64(n)
			pages.Weights[i] = pages.ChangeRates[i]
			frequencies[i] = math.Log1p(pages.ChangeRates[i] * mean) // ln(1/h)
		}
		limit := refresh.GoldenRatioLimit(pages, frequencies, law)
		cost := cycleOf(t, pages, law, frequencies, 200_000).Cost
		assert.InEpsilon(t, limit, cost, 1e-3, "%d pages", n)
		bound := refresh.ProportionalBound(pages.ChangeRates, 1, law)
		assert.GreaterOrEqual(t, limit, bound*(1-1e-12))
	}

	assert.InDelta(t, refresh.GoldenRatioPowersFactor, (3+math.Sqrt(5))/5, 1e-15)
}

// goldenRatioFactor is the cost of the golden ratio policy over its bound in the
// limit of many pages, for frequencies θφ^{−j} and q = E[X]·Σμ_i: with D the
// length of a gap over its mean, (q − 1 + E[e^{−qD}])/(q − 1 + e^{−q}).
func goldenRatioFactor(theta, q float64) float64 {
	const phi = math.Phi
	shares := []float64{(theta - 1) / theta, (theta - 1/phi) / theta, (phi - theta) / theta}
	sum := 0.0
	for m, share := range shares {
		sum += share * special.ExpExcess(q*theta*math.Pow(phi, float64(m))/math.Sqrt(5))
	}
	return sum / special.ExpExcess(q)
}

// The factors 2φ²/5 of powers of 1/φ, as the papers say, and φ⁵/10 of all.
func TestGoldenRatioFactors(t *testing.T) {
	for _, theta := range []float64{1, math.Phi} {
		assert.InEpsilon(t, refresh.GoldenRatioPowersFactor, goldenRatioFactor(theta, 1e-6), 1e-6)
	}
	assert.InEpsilon(t, refresh.GoldenRatioFactor, goldenRatioFactor(math.Phi*math.Phi/2, 1e-6), 1e-6)
	for theta := 1.0; theta <= math.Phi; theta += 0.001 {
		for q := 1e-4; q < 100; q *= 1.1 {
			require.Less(t, goldenRatioFactor(theta, q), refresh.GoldenRatioFactor)
			fresh := (q - special.ExpExcess(q)*goldenRatioFactor(theta, q)) / (q - special.ExpExcess(q))
			require.Greater(t, fresh, 0.965)
		}
	}

	// 1042 ≈ φ¹⁵/(φ²/2) pages of equal rates, which change little while all are
	// accessed once: the policy itself, not its limit.
	const many = 1042
	law, err := queue.NewDeterministic(0.1)
	require.NoError(t, err)
	pages, equal := refresh.Pages{ChangeRates: make([]float64, many), Weights: nil}, make([]float64, many)
	for i := range many {
		pages.ChangeRates[i], equal[i] = 1e-4/many, 1
	}
	result := cycleOf(t, pages, law, equal, 3_000_000)
	assert.InEpsilon(t, refresh.GoldenRatioFactor, result.Cost/result.Bound, 1e-3)
	limit := refresh.GoldenRatioLimit(pages, equal, law)
	assert.InEpsilon(t, limit, result.Cost, 1e-3)
}
