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

// trialsOf are accesses after some gaps; what they saw does not matter.
func trialsOf(t testing.TB, gaps []float64) trials {
	trials := historyOf(t, nil, gaps).trials()
	require.EqualValues(t, len(gaps), trials.n)
	return trials
}

// The law of the number of changes by all outcomes of 12 accesses.
func TestTailAgainstEnumeration(t *testing.T) {
	const seed = 41
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, orders := range []float64{0, 1, 4} {
		gaps := make([]float64, 12)
		for i := range gaps {
			gaps[i] = math.Pow(10, orders*(random.Float64()-0.5))
		}
		trials := trialsOf(t, gaps)
		for _, rate := range []float64{0.01, 0.3, 1, 5, 1e4} {
			law := make([]float64, len(gaps)+1)
			for outcome := range 1 << len(gaps) {
				probability, changes := 1., 0
				for i, gap := range gaps {
					if outcome>>i&1 == 1 {
						probability *= -math.Expm1(-rate * gap)
						changes++
					} else {
						probability *= math.Exp(-rate * gap)
					}
				}
				law[changes] += probability
			}
			sum := 0.
			for x, p := range law[:len(gaps)] {
				sum += p
				assert.InDelta(t, sum, trials.atMost(int64(x), rate), 1e-14, "rate %v, x %d", rate, x)
			}
		}
	}
}

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

// Tails that are not summed to their end, and sums of groups of many equal gaps, against
// sums of everything.
func TestLongTails(t *testing.T) {
	const seed = 42
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	worst := 0.
	for range 40 {
		gaps := make([]float64, 81+random.IntN(800))
		kinds := 1 + random.IntN(20)
		for i := range gaps {
			gaps[i] = math.Pow(10, 3*float64(random.IntN(kinds))/float64(kinds)-1.5)
		}
		trials := trialsOf(t, gaps)
		for _, rate := range []float64{0.1, 1, 4} {
			sum := 0.
			for x, p := range lawOf(gaps, rate)[:len(gaps)] {
				sum += p
				if sum < 1e-4 || sum > 1-1e-4 {
					continue
				}
				got := trials.atMost(int64(x), rate)
				if trials.summed(int64(x)) {
					require.InEpsilon(t, sum, got, 1e-6)
					continue
				}
				off := math.Abs(got-sum) / min(sum, 1-sum)
				require.LessOrEqual(t, off, 0.01, "n %d, x %d, rate %v: %v, not %v", len(gaps), x, rate, got, sum)
				worst = max(worst, off)
			}
		}
	}
	t.Logf("off by %.2g of the tail at most", worst)
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
					within := 1e-7 // the beta integrals of a million are no better
					if n > summedTrials && min(x, n-x) >= summedTerms {
						within = 0.01
					}
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

// With different gaps the limits are where the tails, summed whole, are what they should be.
func TestIntervalOfDifferentGaps(t *testing.T) {
	const seed = 43
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		orders := []float64{0.5, 2, 6}[random.IntN(3)]
		changed, unchanged := randomGaps(random, 1, orders), randomGaps(random, 1, orders)
		lower, upper, err := historyOf(t, changed, unchanged).Interval(0.95)
		require.NoError(t, err)
		all := slices.Concat(changed, unchanged)
		tail := func(rate float64, from, to int) float64 {
			sum := 0.
			for _, p := range lawOf(all, rate)[from:to] {
				sum += p
			}
			return sum
		}
		require.InEpsilon(t, 0.025, tail(lower, len(changed), len(all)+1), 1e-8)
		require.InEpsilon(t, 0.025, tail(upper, 0, len(changed)+1), 1e-8)
	}
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
		var h History
		for range n {
			require.NoError(t, h.Add(1, false))
		}
		lower, upper := make([]float64, n+1), make([]float64, n+1)
		for x := 0; ; x++ {
			var err error
			lower[x], upper[x], err = h.Interval(0.95)
			require.NoError(t, err)
			if x == n {
				break
			}
			h.unchanged[0].count--
			h.unchanged[0].sum = h.unchanged[0].sum.AddFloat(-1)
			if x == n-1 {
				h.unchanged = nil
			}
			require.NoError(t, h.Add(1, true))
		}
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
