package estimate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mathext"
)

// lawOf returns the probabilities of all numbers of changes, one access after the other.
func lawOf(gaps []float64, rate float64) []float64 {
	law := []float64{1}
	for _, gap := range gaps {
		p, q := -math.Expm1(-rate*gap), math.Exp(-rate*gap)
		next := make([]float64, len(law)+1)
		for k, was := range law {
			next[k] += q * was
			next[k+1] += p * was
		}
		law = next
	}
	return law
}

// Equal gaps: the limits of Clopper and Pearson, where tails of the binomial law are beta
// integrals.
func TestIntervalOfEqualGapsIsClopperPearson(t *testing.T) {
	for _, gap := range []float64{1e-60, 0.25, 1e60} {
		for _, n := range []int64{1, 2, 9, 40, 100, 1000, 1_000_000} {
			for _, x := range []int64{0, 1, 2, n / 3, n / 2, n - 2, n - 1, n} {
				if x < 0 || x > n {
					continue
				}
				h := History{}
				for changed, count := range map[bool]int64{true: x, false: n - x} {
					for range count {
						if err := h.Add(gap, changed); err != nil {
							t.Fatal(err)
						}
					}
				}
				for _, confidence := range []float64{0.5, 0.95, 0.9999} {
					lower, upper, err := h.Interval(confidence)
					require.NoError(t, err)
					N, X, tail := float64(n), float64(x), (1-confidence)/2
					const within = 1e-6 // the beta integrals of a million, and 1 − p, are no better
					if x == 0 {
						assert.Zero(t, lower)
					} else {
						p := -math.Expm1(-lower * gap)
						assert.InEpsilon(t, tail, mathext.RegIncBeta(X, N-X+1, p), within, "n %d, x %d, confidence %v", n, x, confidence)
					}
					if x == n {
						assert.True(t, math.IsInf(upper, 1))
					} else {
						q := math.Exp(-upper * gap)
						assert.InEpsilon(t, tail, mathext.RegIncBeta(N-X, X+1, q), within, "n %d, x %d, confidence %v", n, x, confidence)
					}
				}
			}
		}
	}
}

// With different gaps the interval holds the rate at least as often as promised, at every
// rate: by sums over all numbers of accesses that see a change.
func TestIntervalCoversDifferentGaps(t *testing.T) {
	const seed = 43
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	least := 1.
	for range 60 {
		orders := []float64{0.5, 2, 6}[random.IntN(3)]
		gaps := randomGaps(random, 2, orders)
		lower, upper := limits(t, gaps)
		for range 60 {
			rate := math.Pow(10, (orders+4)*(random.Float64()-0.5))
			held := 0.
			for x, p := range lawOf(gaps, rate) {
				if lower[x] <= rate && rate <= upper[x] {
					held += p
				}
			}
			require.GreaterOrEqual(t, held, 0.95-1e-12, "gaps %v, rate %v", gaps, rate)
			least = min(least, held)
		}
	}
	t.Logf("%.2f%% at the least", 100*least)
}

// limits returns those of all numbers of accesses that see a change: which of them do does not
// matter.
func limits(t *testing.T, gaps []float64) (lower, upper []float64) {
	for x := range len(gaps) + 1 {
		low, high, err := historyOf(t, gaps[:x], gaps[x:]).Interval(0.95)
		require.NoError(t, err)
		lower, upper = append(lower, low), append(upper, high)
	}
	return lower, upper
}

// Gaps between visits, regular and irregular: every day, or after 0.01 to 100 days or so.
var schedules = []struct {
	name string
	gap  func(random *rand.Rand) float64
}{
	{"regular", func(*rand.Rand) float64 { return 1 }},
	{"jittered", jittered},
	{"random", func(random *rand.Rand) float64 { return random.ExpFloat64() + 1e-9 }},
	{"irregular", irregular},
}

func jittered(random *rand.Rand) float64  { return 0.5 + random.Float64() }
func irregular(random *rand.Rand) float64 { return math.Exp(2 * random.NormFloat64()) }

// The interval holds the rate at least as often as promised. For equal gaps, that is a sum
// over all histories.
func TestIntervalCoversEqualGaps(t *testing.T) {
	rates := 60
	if *longRun {
		rates = 2000
	}
	for _, n := range []int{1, 2, 3, 5, 8, 15, 40, 100} {
		lower, upper := limits(t, ones(n))
		for i := range rates {
			rate := 0.01 * math.Pow(1000, float64(i)/float64(rates-1))
			held := 0.
			for x, p := range lawOf(ones(n), rate) {
				if lower[x] <= rate && rate <= upper[x] {
					held += p
				}
			}
			require.GreaterOrEqual(t, held, 0.95-1e-12, "%d visits, rate %v", n, rate)
		}
	}
}

func ones(n int) []float64 {
	gaps := make([]float64, n)
	for i := range gaps {
		gaps[i] = 1
	}
	return gaps
}

// Rates of 0.01 to 10 changes a day, 3 to 100 visits, regular or not: the interval of 95 %
// is promised to hold the rate in 94.5 % of 2,000 pages. Without -refresh.long there are
// fewer pages and cases, and three standard deviations of room.
func TestIntervalCovers(t *testing.T) {
	const seed = 44
	pages, rates, visits, slack := 300, []float64{0.01, 1}, []int{3, 40}, 3*math.Sqrt(0.05*0.95/300)
	if *longRun {
		pages, slack = 2000, 0
		rates, visits = []float64{0.01, 0.05, 0.2, 1, 3, 10}, []int{3, 5, 8, 15, 40, 100}
	}
	t.Logf("seed %d", seed)
	for _, schedule := range schedules {
		name, gap := schedule.name, schedule.gap
		least := 1.
		for _, rate := range rates {
			for _, n := range visits {
				random := rand.New(rand.NewPCG(seed, uint64(n)))
				held := 0
				for range pages {
					var h History
					for range n {
						tau := gap(random)
						require.NoError(t, h.Add(tau, random.Float64() < -math.Expm1(-rate*tau)))
					}
					lower, upper, err := h.Interval(0.95)
					require.NoError(t, err)
					if lower <= rate && rate <= upper {
						held++
					}
				}
				share := float64(held) / float64(pages)
				assert.GreaterOrEqual(t, share, 0.945-slack, "%s, %d visits, rate %v", name, n, rate)
				least = min(least, share)
			}
		}
		t.Logf("%s visits: %.2f%% at the least", name, 100*least)
	}
}

// The greater the confidence the wider the interval, to the ends of float64.
func TestIntervalsOfAnyConfidence(t *testing.T) {
	for _, counts := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {3, 2}, {200, 100}} {
		h := historyOf(t, slices.Repeat([]float64{1}, counts[0]), slices.Repeat([]float64{1}, counts[1]))
		narrower := [2]float64{math.Inf(1), 0}
		for _, confidence := range []float64{5e-324, 1e-16, 1e-8, 0.5, 0.999, math.Nextafter(1, 0)} {
			lower, upper, err := h.Interval(confidence)
			require.NoError(t, err)
			const slack = 1e-9
			assert.LessOrEqual(t, lower, narrower[0]*(1+slack), "%v, confidence %v", counts, confidence)
			assert.GreaterOrEqual(t, upper, narrower[1]*(1-slack), "%v, confidence %v", counts, confidence)
			assert.Less(t, lower, upper)
			narrower = [2]float64{lower, upper}
		}
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

func BenchmarkInterval(b *testing.B) {
	random := rand.New(rand.NewPCG(45, 0))
	for _, schedule := range schedules {
		name, gap := schedule.name, schedule.gap
		for _, n := range []int{10, 100} {
			var h History
			for range n {
				tau := gap(random)
				require.NoError(b, h.Add(tau, random.Float64() < -math.Expm1(-tau)))
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					_, _, _ = h.Interval(0.95)
				}
			})
		}
	}
}
