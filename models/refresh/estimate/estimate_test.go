package estimate

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var longRun = flag.Bool("refresh.long", false, "run tests at full length: simulations of estimates")

func historyOf(t testing.TB, changed, unchanged []float64) *History {
	var h History
	for _, gap := range changed {
		require.NoError(t, h.Add(gap, true))
	}
	for _, gap := range unchanged {
		require.NoError(t, h.Add(gap, false))
	}
	return &h
}

// randomGaps returns at least so many gaps within some orders of magnitude, of lengths that a
// History keeps apart.
func randomGaps(random *rand.Rand, least int, orders float64) []float64 {
	byLength := map[uint64]float64{}
	gaps := make([]float64, least+random.IntN(33-least))
	for i := range gaps {
		gap := math.Pow(10, orders*(random.Float64()-0.5))
		length := math.Float64bits(gap) >> 47
		if _, known := byLength[length]; !known {
			byLength[length] = gap
		}
		gaps[i] = byLength[length]
	}
	return gaps
}

// Changed after 1 and 2, unchanged after 1 and 3: 0.374159 (found by bisection
// of 1/(e^Δ − 1) + 2/(e^{2Δ} − 1) = 4).
func TestLikelihoodExample(t *testing.T) {
	estimate, err := historyOf(t, []float64{1, 2}, []float64{1, 3}).Estimate()
	require.NoError(t, err)
	assert.InDelta(t, 0.374159, estimate.Rate, 5e-7)
	assert.Equal(t, NotSmoothed, estimate.Smoothing)
	assert.EqualValues(t, 4, estimate.Accesses)
	assert.EqualValues(t, 2, estimate.Changes)
}

// logLikelihood is Σ ln(1 − e^{−Δτ}) − Δ·Σ τ.
func logLikelihood(rate float64, changed, unchanged []float64) float64 {
	sum := 0.
	for _, gap := range changed {
		sum += math.Log(-math.Expm1(-rate * gap))
	}
	for _, gap := range unchanged {
		sum -= rate * gap
	}
	return sum
}

// bisectLikelihood solves the equation of the likelihood on a logarithmic scale.
func bisectLikelihood(changed, unchanged []float64) float64 {
	low, high := -400., 400.
	for range 200 {
		middle := (low + high) / 2
		left, right := 0., 0.
		for _, gap := range changed {
			left += gap / math.Expm1(math.Exp(middle)*gap)
		}
		for _, gap := range unchanged {
			right += gap
		}
		if left > right {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp((low + high) / 2)
}

func TestLikelihoodAgainstBisection(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, orders := range []float64{0, 1, 6, 30} {
		for range 300 {
			changed, unchanged := randomGaps(random, 1, orders), randomGaps(random, 1, orders)
			estimate, err := historyOf(t, changed, unchanged).Estimate()
			require.NoError(t, err)
			require.InEpsilon(t, bisectLikelihood(changed, unchanged), estimate.Rate, 1e-12, "changed %v, unchanged %v", changed, unchanged)
		}
	}
}

// The standard error is that of the second difference of the log-likelihood.
func TestStandardErrorIsTheCurvature(t *testing.T) {
	changed, unchanged := []float64{1, 2, 2.5, 0.1}, []float64{1, 3, 0.2}
	estimate, err := historyOf(t, changed, unchanged).Estimate()
	require.NoError(t, err)
	h := 1e-4 * estimate.Rate
	curvature := (logLikelihood(estimate.Rate+h, changed, unchanged) - 2*logLikelihood(estimate.Rate, changed, unchanged) +
		logLikelihood(estimate.Rate-h, changed, unchanged)) / (h * h)
	assert.InEpsilon(t, 1/math.Sqrt(-curvature), estimate.StandardError, 1e-5)
}

// Equal gaps: −ln((n−x)/n)/τ, and the smoothed forms at both ends.
func TestEqualGaps(t *testing.T) {
	for _, gap := range []float64{1e-60, 0.25, 7, 1e60} {
		for n := int64(1); n <= 12; n++ {
			for x := int64(0); x <= n; x++ {
				var h History
				for i := range n {
					require.NoError(t, h.Add(gap, i < x))
				}
				estimate, err := h.Estimate()
				require.NoError(t, err)
				N, X := float64(n), float64(x)
				switch x {
				case 0:
					assert.Equal(t, NoneChanged, estimate.Smoothing)
					assert.InEpsilon(t, math.Log((N+0.5)/N)/gap, estimate.Rate, 1e-13)
				case n:
					assert.Equal(t, AllChanged, estimate.Smoothing)
					assert.InEpsilon(t, BiasReducedChangeRate(n, x, gap), estimate.Rate, 1e-13)
				default:
					assert.Equal(t, NotSmoothed, estimate.Smoothing)
					assert.InEpsilon(t, -math.Log((N-X)/N)/gap, estimate.Rate, 1e-13)
				}
				assert.Positive(t, estimate.StandardError)
				assert.Less(t, estimate.StandardError, math.Inf(1))
			}
		}
	}
}

// In another unit of time the rate scales, and more accesses with a change (or
// fewer without) raise it.
func TestEstimateScalesAndIsMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		var h, scaled History
		for range 2 + random.IntN(60) {
			gap, changed := random.ExpFloat64()+1e-3, random.IntN(2) == 0
			require.NoError(t, h.Add(gap, changed))
			require.NoError(t, scaled.Add(gap*1024, changed))
		}
		estimate, err := h.Estimate()
		require.NoError(t, err)
		inOtherUnit, err := scaled.Estimate()
		require.NoError(t, err)
		require.InEpsilon(t, estimate.Rate, inOtherUnit.Rate*1024, 1e-12)
		require.InEpsilon(t, estimate.StandardError, inOtherUnit.StandardError*1024, 1e-9)
		if estimate.Smoothing != NotSmoothed {
			continue
		}
		for _, changed := range []bool{true, false} {
			more := History{slices.Clone(h.groups)}
			require.NoError(t, more.Add(1, changed))
			after, err := more.Estimate()
			require.NoError(t, err)
			if changed {
				require.Greater(t, after.Rate, estimate.Rate)
			} else {
				require.Less(t, after.Rate, estimate.Rate)
			}
		}
	}
}

// Many different gaps: the estimate is close to that from all of them, and there are few groups.
func TestGroupedGapsEstimateTheRate(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	for _, orders := range []float64{1, 2, 6} {
		widest := 0.
		for range 30 {
			rate := math.Pow(10, random.Float64()-0.5)
			var changed, unchanged []float64
			for range 2000 {
				gap := math.Pow(10, orders*(random.Float64()-0.5))
				if random.Float64() < -math.Expm1(-rate*gap) {
					changed = append(changed, gap)
				} else {
					unchanged = append(unchanged, gap)
				}
			}
			h := historyOf(t, changed, unchanged)
			require.LessOrEqual(t, len(h.groups), 2*(2+int(32*orders*math.Log2(10))))
			require.EqualValues(t, 2000, h.Accesses())
			require.EqualValues(t, len(changed), h.Changes())
			estimate, err := h.Estimate()
			require.NoError(t, err)
			widest = max(widest, math.Abs(estimate.Rate/bisectLikelihood(changed, unchanged)-1))
		}
		t.Logf("gaps over %v orders of magnitude: off by at most %.2g", orders, widest)
		assert.Less(t, widest, 1e-4)
	}
	// The worst: two lengths, at both ends of the widest group, and a rate that answers most.
	for rate, off := range map[float64]float64{0.1: 1e-4, 0.5: 1e-4, 1: 1e-4, 2: 1e-4, 4: 3e-4} {
		h, ends := &History{}, []float64{1, 1.0312}
		sum := 0.
		for _, gap := range ends {
			sum += gap / math.Expm1(rate*gap)
			require.NoError(t, h.Add(gap, true))
		}
		require.NoError(t, h.Add(sum, false))
		estimate, err := h.Estimate()
		require.NoError(t, err)
		assert.InEpsilon(t, rate, estimate.Rate, off)
	}
}

// The estimates of simulated pages lie around the true rate as their standard
// errors say, for the maximum likelihood and the bias-reduced estimator.
func TestEstimatesRecoverSimulatedRates(t *testing.T) {
	const seed = 58
	pages := 1500
	if *longRun {
		pages = 100_000
	}
	t.Logf("seed %d, %d pages", seed, pages)
	random := rand.New(rand.NewPCG(seed, 0))
	const rate, accesses = 0.4, 400
	within, sum, sumReduced := 0, 0., 0.
	for range pages {
		var h History
		changes := int64(0)
		for range accesses {
			gap := []float64{0.5, 1, 3, 7}[random.IntN(4)]
			require.NoError(t, h.Add(gap, random.Float64() < -math.Expm1(-rate*gap)))
			if random.Float64() < -math.Expm1(-rate) {
				changes++
			}
		}
		estimate, err := h.Estimate()
		require.NoError(t, err)
		if math.Abs(estimate.Rate-rate) < 1.96*estimate.StandardError {
			within++
		}
		sum += (estimate.Rate - rate) / estimate.StandardError
		// From the binomial law of the number of changes, by the delta method.
		still := (accesses - float64(changes) + 0.5) / (accesses + 0.5)
		deviation := math.Sqrt((1 - still) / (still * accesses))
		sumReduced += (BiasReducedChangeRate(accesses, changes, 1) - rate) / deviation
	}
	n := float64(pages)
	assert.InDelta(t, 0.95, float64(within)/n, 4*math.Sqrt(0.05*0.95/n)+0.01) // four standard deviations and the skew
	assert.InDelta(t, 0, sum/n, 4/math.Sqrt(n)+0.05)
	assert.InDelta(t, 0, sumReduced/n, 4/math.Sqrt(n)+0.05)
}

// Cho and Garcia-Molina's reason for their estimator: its mean, over the
// binomial law of the changes, is nearer to the rate.
func TestBiasReducedChangeRateHasLessBias(t *testing.T) {
	const n, gap = 10, 1.
	for _, rate := range []float64{0.1, 0.5, 1} {
		p, mean, meanPlain := -math.Expm1(-rate*gap), 0., 0.
		for x := 0; x <= n; x++ {
			binomial, _ := math.Lgamma(n + 1)
			above, _ := math.Lgamma(float64(x) + 1)
			below, _ := math.Lgamma(float64(n-x) + 1)
			probability := math.Exp(binomial-above-below) * math.Pow(p, float64(x)) * math.Pow(1-p, float64(n-x))
			mean += probability * BiasReducedChangeRate(n, int64(x), gap)
			if x < n {
				meanPlain += probability * -math.Log(float64(n-x)/n)
			} else {
				meanPlain += probability * -math.Log(0.5/n) // the plain one is infinite there
			}
		}
		assert.Less(t, math.Abs(mean-rate), math.Abs(meanPlain-rate), "rate %v", rate)
		assert.InDelta(t, rate, mean, 0.02*rate, "rate %v", rate)
	}
}

func TestBiasReducedSpecialCases(t *testing.T) {
	assert.Zero(t, BiasReducedChangeRate(5, 0, 1))
	assert.InEpsilon(t, -math.Log(7.5/10.5)/2, BiasReducedChangeRate(10, 3, 2), 1e-15)
	assert.InEpsilon(t, 1e-12, BiasReducedChangeRate(1e12, 1, 1), 1e-11) // no cancellation
	for _, test := range []struct {
		accesses, changes int64
		gap               float64
	}{{0, 0, 1}, {-1, 0, 1}, {3, -1, 1}, {3, 4, 1}, {3, 1, 0}, {3, 1, -1}, {3, 1, math.NaN()}, {3, 1, math.Inf(1)}} {
		assert.True(t, math.IsNaN(BiasReducedChangeRate(test.accesses, test.changes, test.gap)), "%v", test)
	}
}

func TestHistoryRefuses(t *testing.T) {
	var h History
	_, err := h.Estimate()
	require.ErrorIs(t, err, ErrNoHistory)
	for _, gap := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-101, 1e101} {
		require.EqualError(t, h.Add(gap, true),
			fmt.Sprintf("estimate: gap between two accesses: %v is not valid: use a number from 1e-100 to 1e+100", gap))
	}
	assert.Zero(t, h.Accesses())
}

// The ends of what is allowed do not overflow.
func TestExtremeGaps(t *testing.T) {
	for _, changed := range [][]float64{{1e-100}, {1e100}, {1e-100, 1e100}} {
		for _, unchanged := range [][]float64{{1e-100}, {1e100}, {1e-100, 1e100}} {
			estimate, err := historyOf(t, changed, unchanged).Estimate()
			require.NoError(t, err)
			left := 0.
			for _, gap := range changed {
				left += gap / math.Expm1(estimate.Rate*gap)
			}
			right := 0.
			for _, gap := range unchanged {
				right += gap
			}
			assert.InEpsilon(t, right, left, 1e-9, "changed %v, unchanged %v, rate %v", changed, unchanged, estimate.Rate)
		}
	}
}

// A daily visitor takes few bytes.
func TestSavedLogIsSmall(t *testing.T) {
	var log AccessLog
	for day := range 1000 {
		require.NoError(t, log.Take(float64(day), outcomeOf(day%3 == 0), nil))
	}
	data, err := log.AppendBinary(nil)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(data), 125)
}

func TestSavedLogContinues(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var log AccessLog
	for time := range 300 {
		data, err := log.AppendBinary(nil)
		require.NoError(t, err)
		var again AccessLog
		require.NoError(t, again.UnmarshalBinary(data))
		require.Equal(t, log, again)
		require.Error(t, again.UnmarshalBinary(data[:len(data)-1]))
		at := float64(time)
		outcome, digest := Outcome(random.IntN(5)), []byte(nil)
		if random.IntN(2) == 0 {
			digest = []byte{byte(random.IntN(3))}
		}
		require.NoError(t, log.Take(at+random.Float64()/2, outcome, digest))
	}
	require.Positive(t, log.History().Accesses())
}

// outcomeOf returns that of an access that found a page changed or not.
func outcomeOf(changed bool) Outcome {
	if changed {
		return Changed
	}
	return Unchanged
}

func TestAccessLog(t *testing.T) {
	var log AccessLog
	require.NoError(t, log.Take(10, Changed, nil)) // no gap before it
	require.NoError(t, log.Take(11, Changed, nil))
	require.NoError(t, log.Take(12, Unchanged, nil))
	require.NoError(t, log.Take(14, Changed, nil))
	require.EqualError(t, log.Take(14, Changed, nil), "estimate: access time: 14 is not valid: use a time after 14, that of the access before")
	require.Error(t, log.Take(13, Changed, nil))
	require.Error(t, log.Take(math.NaN(), Changed, nil))
	require.NoError(t, log.Take(17, Unchanged, nil))
	assert.Equal(t, *historyOf(t, []float64{1, 2}, []float64{1, 3}), *log.History())

	var digests AccessLog
	for i, digest := range []string{"a", "b", "b", "c", "c"} {
		require.NoError(t, digests.Take([]float64{10, 11, 12, 14, 17}[i], Found, []byte(digest)))
	}
	assert.Equal(t, *log.History(), *digests.History())

	require.NoError(t, digests.Take(17.5, Unchanged, nil)) // still "c"
	require.NoError(t, digests.Take(17.75, Found, []byte("c")))
	assert.EqualValues(t, 6, digests.History().Accesses())
	assert.EqualValues(t, 2, digests.History().Changes())
	require.NoError(t, digests.Take(18, Changed, nil))
	require.NoError(t, digests.Take(19, Found, []byte("c"))) // nothing to compare with
	assert.EqualValues(t, 7, digests.History().Accesses())
}

// Failed visits leave no trace; gone pages begin anew.
func TestAccessLogOfWhatIsNoVisit(t *testing.T) {
	var log AccessLog
	require.NoError(t, log.Take(1, Changed, nil))
	require.NoError(t, log.Take(2, Failed, []byte("an error")))
	require.Error(t, log.Take(1, Failed, nil))
	require.NoError(t, log.Take(3, Changed, nil))
	require.NoError(t, log.Take(3.5, Found, nil)) // changed or not
	require.NoError(t, log.Take(4, Gone, nil))
	assert.True(t, log.Gone())
	require.NoError(t, log.Take(5, Changed, nil))
	assert.False(t, log.Gone())
	require.NoError(t, log.Take(6, Unchanged, nil))
	assert.Equal(t, *historyOf(t, []float64{2}, []float64{1}), *log.History())
}
