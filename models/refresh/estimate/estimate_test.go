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

// of returns the groups of a kind.
func (h *History) of(k kind) (groups []gaps) {
	for _, g := range h.groups {
		if g.Kind == k {
			groups = append(groups, g)
		}
	}
	return groups
}

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

// randomGaps returns at least so many gaps, and no more than a History keeps apart,
// within some orders of magnitude.
func randomGaps(random *rand.Rand, least int, orders float64) []float64 {
	gaps := make([]float64, least+random.IntN(MaxKeptGaps+1-least))
	for i := range gaps {
		gaps[i] = math.Pow(10, orders*(random.Float64()-0.5))
	}
	return gaps
}

// Changed after 1 and 2, unchanged after 1 and 3: 0.374159 (found by bisection
// of 1/(e^Δ − 1) + 2/(e^{2Δ} − 1) = 4).
func TestLikelihoodExample(t *testing.T) {
	estimate, err := historyOf(t, []float64{1, 2}, []float64{1, 3}).Estimate()
	require.NoError(t, err)
	assert.InDelta(t, 0.374159, estimate.Rate, 5e-7)
	assert.Equal(t, estimate.Rate, estimate.Lower)
	assert.Equal(t, estimate.Rate, estimate.Upper)
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
			require.Equal(t, estimate.Lower, estimate.Upper)
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
				require.Greater(t, after.Upper, estimate.Lower)
			} else {
				require.Less(t, after.Lower, estimate.Upper)
			}
		}
	}
}

// Many different gaps: Lower and Upper enclose the estimate from all of them,
// and are close.
func TestMergedGapsEncloseTheExactEstimate(t *testing.T) {
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
			require.LessOrEqual(t, len(h.of(sawChange)), MaxKeptGaps)
			require.EqualValues(t, 2000, h.Accesses())
			require.EqualValues(t, len(changed), h.Changes())
			estimate, err := h.Estimate()
			require.NoError(t, err)
			exact := bisectLikelihood(changed, unchanged)
			require.LessOrEqual(t, estimate.Lower, exact*(1+1e-12))
			require.GreaterOrEqual(t, estimate.Upper, exact*(1-1e-12))
			require.InEpsilon(t, exact, estimate.Rate, 0.01)
			widest = max(widest, (estimate.Upper-estimate.Lower)/exact)
		}
		t.Logf("gaps over %v orders of magnitude: relative width at most %.2g", orders, widest)
		if orders == 1 {
			assert.Less(t, widest, 0.002) // Rate is in the middle: half of that
		}
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
		require.NoError(t, log.Observe(float64(day), day%3 == 0))
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
		switch random.IntN(6) {
		case 0:
			err = log.Fail(at)
		case 1:
			err = log.Signal(at)
		case 2:
			err = log.Leave(at)
		case 3:
			err = log.Observe(at+random.Float64()/2, random.IntN(2) == 0)
		default:
			err = log.ObserveDigest(at, []byte{byte(random.IntN(3))})
		}
		require.NoError(t, err)
	}
	require.Positive(t, log.History().Signals())
}

func TestAccessLog(t *testing.T) {
	var log AccessLog
	require.NoError(t, log.Observe(10, true)) // no gap before it
	require.NoError(t, log.Observe(11, true))
	require.NoError(t, log.Observe(12, false))
	require.NoError(t, log.Observe(14, true))
	require.EqualError(t, log.Observe(14, true), "estimate: access time: 14 is not valid: use a time after 14, that of the access before")
	require.Error(t, log.Observe(13, true))
	require.Error(t, log.Observe(math.NaN(), true))
	require.NoError(t, log.Observe(17, false))
	assert.Equal(t, *historyOf(t, []float64{1, 2}, []float64{1, 3}), *log.History())

	var digests AccessLog
	for i, digest := range []string{"a", "b", "b", "c", "c"} {
		require.NoError(t, digests.ObserveDigest([]float64{10, 11, 12, 14, 17}[i], []byte(digest)))
	}
	assert.Equal(t, *log.History(), *digests.History())

	require.NoError(t, digests.Observe(17.5, false)) // still "c"
	require.NoError(t, digests.ObserveDigest(17.75, []byte("c")))
	assert.EqualValues(t, 6, digests.History().Accesses())
	assert.EqualValues(t, 2, digests.History().Changes())
	require.NoError(t, digests.Observe(18, true))
	require.NoError(t, digests.ObserveDigest(19, []byte("c"))) // nothing to compare with
	assert.EqualValues(t, 7, digests.History().Accesses())
}

// Failed visits leave no trace; gone pages begin anew; signals count between visits.
func TestAccessLogOfWhatIsNoVisit(t *testing.T) {
	var log AccessLog
	require.NoError(t, log.Signal(0)) // before the first visit
	require.NoError(t, log.Observe(1, true))
	require.NoError(t, log.Fail(2))
	require.Error(t, log.Fail(1))
	require.NoError(t, log.Signal(2.5))
	require.Error(t, log.Signal(0.5))
	require.Error(t, log.Signal(math.NaN()))
	require.NoError(t, log.Observe(3, true))
	require.NoError(t, log.Find(3.5)) // changed or not
	require.NoError(t, log.Leave(4))
	assert.True(t, log.Gone())
	require.NoError(t, log.Signal(4.5))
	require.NoError(t, log.Observe(5, true))
	assert.False(t, log.Gone())
	require.NoError(t, log.Observe(6, false))
	var want History
	require.NoError(t, want.AddSignalled(2, 1, true))
	require.NoError(t, want.Add(1, false))
	assert.Equal(t, want, *log.History())
	require.ErrorContains(t, want.AddSignalled(1, -1, true), "use 0 or more")
}
