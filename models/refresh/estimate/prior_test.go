package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

// Without a change, the posterior is a gamma law again.
func TestPosteriorOfUnchangedPagesIsGamma(t *testing.T) {
	for _, shape := range []float64{0.1, 0.7, 1, 3, 250} {
		for _, idle := range []float64{0, 2, 1e6} {
			p := Prior{Shape: shape, Rate: 0.8}
			var h History
			if idle > 0 {
				require.NoError(t, h.Add(idle, false))
			}
			want := distuv.Gamma{Alpha: shape, Beta: 0.8 + idle}
			got := p.After(&h)
			assert.InEpsilon(t, want.Mean(), got.Mean, 1e-9, "shape %v", shape)
			assert.InEpsilon(t, want.StdDev(), got.StandardDeviation, 1e-8, "shape %v", shape)
			for _, probability := range []float64{0.001, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9999} {
				rate := got.Quantile(probability)
				assert.InDelta(t, probability, want.CDF(rate), 2e-5, "shape %v", shape)
				assert.InEpsilon(t, min(probability, 1-probability), min(want.CDF(rate), want.Survival(rate)), 2e-3, "shape %v, %v", shape, probability)
			}
		}
	}
}

// With x changes after equal gaps τ, and gaps of sum U without one, moments are those of
// Σ_j (−1)^j·C(x,j)·(b+U+jτ)^{−a−m}, here with 300 bits, for whole shapes a.
func TestPosteriorAgainstSignedSums(t *testing.T) {
	const gap = 0.75
	for _, shape := range []int{1, 2, 7} {
		for _, x := range []int64{1, 2, 5, 17, 40} {
			for _, idle := range []float64{0, 0.75, 30} {
				p := Prior{Shape: float64(shape), Rate: 1.25}
				var h History
				for range x {
					require.NoError(t, h.Add(gap, true))
				}
				if idle > 0 {
					require.NoError(t, h.Add(idle, false))
				}
				moment := func(m int) *big.Float {
					sum := wide(0)
					for j := range x + 1 {
						term, base := over(wide(1), wide(1)), wide(p.Rate+idle+float64(j)*gap)
						for range shape + m {
							term = over(term, base)
						}
						term = times(term, wide(0).SetInt(new(big.Int).Binomial(x, j)))
						if j%2 == 1 {
							term = minus(wide(0), term)
						}
						sum = plus(sum, term)
					}
					for k := range shape + m - 1 {
						sum = times(sum, wide(float64(k+1)))
					}
					return sum
				}
				mean := near(over(moment(1), moment(0)))
				square := near(over(moment(2), moment(0)))
				got := p.After(&h)
				assert.InEpsilon(t, mean, got.Mean, 1e-8, "shape %d, %d changes, %v without", shape, x, idle)
				assert.InEpsilon(t, math.Sqrt(square-mean*mean), got.StandardDeviation, 1e-7)
				assert.InEpsilon(t, mean, p.MeanAfter(&h), 1e-8)

				var e evidence
				e.take(&h)
				var l law
				l.spread(p, &e, sumPoints)
				gamma, _ := math.Lgamma(p.Shape)
				assert.InDelta(t, math.Log(near(moment(0)))+p.Shape*math.Log(p.Rate)-gamma, l.logMarginal, 1e-6)
			}
		}
	}
}

// A population is pages with random rates and few visits to each.
func population(t testing.TB, random *rand.Rand, pages, visits int, rate, gap func(random *rand.Rand) float64) (histories []*History, rates []float64) {
	for range pages {
		h, r := &History{}, rate(random)
		for range visits {
			tau := gap(random)
			require.NoError(t, h.Add(tau, random.Float64() < -math.Expm1(-r*tau)))
		}
		histories, rates = append(histories, h), append(rates, r)
	}
	return histories, rates
}

func gammaRates(shape, mean float64) func(random *rand.Rand) float64 {
	return func(random *rand.Rand) float64 {
		return distuv.Gamma{Alpha: shape, Beta: shape / mean, Src: random}.Rand()
	}
}

// The gradient is that of differences.
func TestFitGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(52, 0))
	histories, _ := population(t, random, 50, 4, gammaRates(0.8, 0.5), jittered)
	f := fit{}
	for i, h := range histories {
		require.NoError(t, h.Add(1, i%3 > 0))
		var e evidence
		e.take(h)
		f.pages = append(f.pages, e)
	}
	x, gradient, nothing := []float64{0.3, -0.5}, make([]float64, 2), make([]float64, 2)
	f.value(x, gradient, 1)
	for i := range x {
		const h = 1e-4
		up, down := append([]float64(nil), x...), append([]float64(nil), x...)
		up[i] += h
		down[i] -= h
		assert.InDelta(t, (f.value(up, nothing, 1)-f.value(down, nothing, 1))/(2*h), gradient[i], 2e-6)
	}
}

// Shape and mean come back from simulated pages, within four standard errors or so.
func TestFitRecoversThePrior(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const seed = 53
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	pages := 3000
	if *longRun {
		pages = 20_000
	}
	for _, shape := range []float64{0.4, 1, 4} {
		for _, schedule := range schedules {
			name, gap := schedule.name, schedule.gap
			histories, _ := population(t, random, pages, 6, gammaRates(shape, 0.4), gap)
			p, err := Fit(context.Background(), histories, 2)
			require.NoError(t, err)
			slack := 15 / math.Sqrt(float64(pages))
			assert.InDelta(t, math.Log(0.4), math.Log(p.Mean()), slack/2, "%s, shape %v", name, shape)
			assert.InDelta(t, math.Log(shape), math.Log(p.Shape), slack*max(1, shape/2), "%s, shape %v", name, shape)
		}
	}
}

// Whatever is seen, there is a prior; without any access there is none.
func TestFitOfExtremes(t *testing.T) {
	for _, changed := range []bool{false, true} {
		for _, pages := range []int{1, 3, 300} {
			histories := make([]*History, pages)
			for i := range histories {
				histories[i] = &History{}
				for range 5 {
					require.NoError(t, histories[i].Add(2, changed))
				}
			}
			p, err := Fit(context.Background(), histories, 1)
			require.NoError(t, err)
			again, err := Fit(context.Background(), histories, 3)
			require.NoError(t, err)
			assert.Equal(t, p, again)
			if changed {
				assert.Greater(t, p.Mean(), 0.5, "%d pages: %v", pages, p)
			} else {
				assert.Less(t, p.Mean(), 0.2, "%d pages: %v", pages, p)
			}
		}
	}
	_, err := Fit(context.Background(), []*History{{}}, 1)
	require.ErrorIs(t, err, ErrNoHistory)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Fit(ended, []*History{historyOf(t, []float64{1}, nil)}, 1)
	require.ErrorIs(t, err, context.Canceled)
}

// requireUsable has a prior be allowed, and give every page an estimate.
func requireUsable(t *testing.T, p Prior, histories []*History, what string) {
	t.Helper()
	require.True(t, p.Shape >= 0.01 && p.Shape <= 1e6 && p.Rate > 0 && p.Rate <= math.MaxFloat64, "%s: %v", what, p)
	for _, h := range append([]*History{{}}, histories...) {
		after := p.After(h)
		require.True(t, after.Mean > 0 && after.Mean <= math.MaxFloat64, "%s: %v after %v", what, p, after.Mean)
		lower, upper, err := after.Interval(0.95)
		require.NoError(t, err)
		require.True(t, 0 <= lower && lower <= upper && upper <= math.MaxFloat64, "%s: %v from %v to %v", what, p, lower, upper)
	}
}

// Pages that are all alike or of kinds far apart, gaps of milliseconds beside days: there are
// priors for all pages and for hosts, the best ones or plain ones.
func TestPriorsOfOddHistories(t *testing.T) {
	const seed = 36
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	histories := func(pages, visits int, gaps, shares []float64, regular bool) (all []*History, hosts []int32) {
		for page := range pages {
			h := &History{}
			share := shares[page%len(shares)]
			for visit := range visits {
				changed := random.Float64() < share
				if regular {
					changed = math.Floor(float64(visit+1)*share) > math.Floor(float64(visit)*share)
				}
				require.NoError(t, h.Add(gaps[(page/2)%len(gaps)], changed))
			}
			all, hosts = append(all, h), append(hosts, int32(page%7))
		}
		return all, hosts
	}
	plain := 0
	check := func(all []*History, hosts []int32, what string) Prior {
		p, err := Fit(t.Context(), all, 2)
		if errors.Is(err, ErrPlain) {
			plain++
		} else {
			require.NoError(t, err, what)
		}
		requireUsable(t, p, all, what)
		byHost, unknown, err := FitHosts(t.Context(), all, hosts, p, 2)
		require.NoError(t, err, what)
		requireUsable(t, unknown, all, what)
		for _, one := range byHost {
			requireUsable(t, one, all, what)
		}
		return p
	}
	all, hosts := histories(1000, 90, []float64{1}, []float64{1. / 3}, true)
	alike := check(all, hosts, "every third")
	assert.InEpsilon(t, math.Log(1.5), alike.After(all[0]).Mean, 0.02, "the likelihood of 30 changes in 90 days is greatest there; the prior counts for a day or two")
	for _, shares := range [][]float64{{0}, {1}, {0, 1}, {0.5}} {
		for _, gaps := range [][]float64{{1}, {1e-8}, {1e-8, 1}, {1e-8, 1000}} {
			all, hosts := histories(30, 90, gaps, shares, true)
			check(all, hosts, fmt.Sprint(shares, gaps))
		}
	}
	for trial := range 100 {
		gaps, shares := make([]float64, 1+random.IntN(3)), make([]float64, 1+random.IntN(3))
		for i := range gaps {
			gaps[i] = math.Exp([]float64{0, 1, 10, 30}[random.IntN(4)] * random.NormFloat64())
		}
		for i := range shares {
			shares[i] = []float64{0, 1, 0.5, 0.01, random.Float64()}[random.IntN(5)]
		}
		all, hosts := histories(1+random.IntN(40), 1+random.IntN(200), gaps, shares, trial%2 == 0)
		check(all, hosts, fmt.Sprint(trial, gaps, shares))
	}
	t.Logf("%d of 117 times a plain prior", plain)
	assert.Positive(t, plain)
}

// The credible interval of 95 % holds the rates of 2,000 pages about as often as promised, on
// average over pages, with the prior fitted to these pages; also where their rates have no
// gamma law. That the prior is fitted, and may be of the wrong kind, costs some coverage: up
// to 3 %.
func TestCredibleIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const seed = 54
	pages, visited := 600, []int{7}
	if *longRun {
		pages, visited = 2000, []int{3, 7, 40}
	}
	laws := []struct {
		name string
		rate func(random *rand.Rand) float64
	}{
		{"gamma 0.5", gammaRates(0.5, 0.3)},
		{"gamma 2", gammaRates(2, 1)},
		{"log-normal", func(random *rand.Rand) float64 { return 0.2 * math.Exp(random.NormFloat64()) }},
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for _, law := range laws {
		for _, schedule := range schedules {
			name, gap := schedule.name, schedule.gap
			for _, visits := range visited {
				histories, rates := population(t, random, pages, visits, law.rate, gap)
				p, err := Fit(context.Background(), histories, 2)
				require.NoError(t, err)
				held := 0
				for i, h := range histories {
					lower, upper, err := p.After(h).Interval(0.95)
					require.NoError(t, err)
					if lower <= rates[i] && rates[i] <= upper {
						held++
					}
				}
				share := float64(held) / float64(pages)
				t.Logf("%s, %s, %d visits: %.1f%%", law.name, name, visits, 100*share)
				assert.GreaterOrEqual(t, share, 0.92-3*math.Sqrt(0.95*0.05/float64(pages)), "%s, %s, %d visits", law.name, name, visits)
			}
		}
	}
}

// hostsOf returns pages of several hosts: the mean rates of the hosts are from 0.01 to 10, as
// likely in each decade.
func hostsOf(t testing.TB, random *rand.Rand, hosts, size, visits int, gap func(random *rand.Rand) float64) (histories []*History, rates []float64, of []int32) {
	for host := range hosts {
		mean := 0.01 * math.Pow(1000, random.Float64())
		some, theirs := population(t, random, size, visits, gammaRates(2, mean), gap)
		histories, rates = append(histories, some...), append(rates, theirs...)
		for range size {
			of = append(of, int32(host))
		}
	}
	return histories, rates, of
}

// squaredErrors returns the sums of squared errors of plain estimates and of those with priors.
func squaredErrors(t testing.TB, histories []*History, rates []float64, prior func(page int) Prior) (plain, with float64) {
	for i, h := range histories {
		estimate, err := h.Estimate()
		require.NoError(t, err)
		off := estimate.Rate - rates[i]
		plain += off * off
		off = prior(i).After(h).Mean - rates[i]
		with += off * off
	}
	return plain, with
}

// Of pages with fewer than 8 visits each, 1 to 6 gaps, the mean squared error with a prior is
// at most half of that without where visits are irregular, or pages change less often than
// they are visited. Where they change more often than regular visits come, all visits see a
// change and no estimate can say more than the prior does: then the error is that with the
// true prior. Hosts have mean rates from 0.01 to 10, and their pages are somewhat alike.
func TestPriorsHalveTheError(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const seed = 55
	t.Logf("seed %d", seed)
	pages, visited := 800, []int{4, 7}
	if *longRun {
		pages, visited = 10_000, []int{2, 3, 4, 5, 6, 7}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for _, schedule := range schedules {
		name, gap := schedule.name, schedule.gap
		plain, with := 0., 0.
		for _, visits := range visited {
			histories, rates, of := hostsOf(t, random, pages/20, 20, visits-1, gap)
			overall, err := Fit(context.Background(), histories, 2)
			require.NoError(t, err)
			priors, _, err := FitHosts(context.Background(), histories, of, overall, 2)
			require.NoError(t, err)
			p, w := squaredErrors(t, histories, rates, func(i int) Prior { return priors[of[i]] })
			plain, with = plain+p, with+w
		}
		t.Logf("%s visits, priors by host: %.3f of the error without", name, with/plain)
		assert.LessOrEqual(t, with/plain, 0.65, name)

		for _, mean := range []float64{0.1, 0.5, 2} {
			plain, with, best := 0., 0., 0.
			for _, visits := range visited {
				histories, rates := population(t, random, pages, visits-1, gammaRates(1, mean), gap)
				prior, err := Fit(context.Background(), histories, 2)
				require.NoError(t, err)
				p, w := squaredErrors(t, histories, rates, func(int) Prior { return prior })
				_, b := squaredErrors(t, histories, rates, func(int) Prior { return Prior{Shape: 1, Rate: 1 / mean} })
				plain, with, best = plain+p, with+w, best+b
			}
			t.Logf("%s visits, mean rate %v: %.3f of the error without; %.3f with the true prior", name, mean, with/plain, best/plain)
			if name == "random" || name == "irregular" || mean < 0.5 {
				assert.LessOrEqual(t, with/plain, 0.5, "%s, mean rate %v", name, mean)
			}
			assert.LessOrEqual(t, with, 1.25*best, "%s, mean rate %v", name, mean)
		}
	}
}

// Priors by host hold what they say, on average over pages, and are better than that of all
// pages; where hosts are alike they lose little.
func TestFitHosts(t *testing.T) {
	const seed = 56
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	histories, rates, of := hostsOf(t, random, 60, 20, 5, irregular)
	overall, err := Fit(context.Background(), histories, 2)
	require.NoError(t, err)
	priors, unknown, err := FitHosts(context.Background(), histories, of, overall, 1)
	require.NoError(t, err)
	again, unknownAgain, err := FitHosts(context.Background(), histories, of, overall, 3)
	require.NoError(t, err)
	assert.Equal(t, priors, again)
	assert.Equal(t, unknown, unknownAgain)
	assert.Less(t, unknown.Shape, 1.)
	_, all := squaredErrors(t, histories, rates, func(int) Prior { return overall })
	_, byHost := squaredErrors(t, histories, rates, func(i int) Prior { return priors[of[i]] })
	assert.Less(t, byHost, 0.8*all)
	held := 0
	for i, h := range histories {
		lower, upper, err := priors[of[i]].After(h).Interval(0.95)
		require.NoError(t, err)
		if lower <= rates[i] && rates[i] <= upper {
			held++
		}
	}
	assert.InDelta(t, 0.95, float64(held)/float64(len(histories)), 0.03)

	histories, rates = population(t, random, 1200, 5, gammaRates(1, 0.5), irregular)
	overall, err = Fit(context.Background(), histories, 2)
	require.NoError(t, err)
	priors, _, err = FitHosts(context.Background(), histories, of, overall, 2)
	require.NoError(t, err)
	_, all = squaredErrors(t, histories, rates, func(int) Prior { return overall })
	_, byHost = squaredErrors(t, histories, rates, func(i int) Prior { return priors[of[i]] })
	assert.Less(t, byHost, 1.1*all)
}

// One host alone does not show how hosts differ: no more is known of another host than without it.
func TestFitHostsOfOneHost(t *testing.T) {
	histories, _, of := hostsOf(t, rand.New(rand.NewPCG(57, 0)), 1, 20, 5, irregular)
	overall, err := Fit(context.Background(), histories, 1)
	require.NoError(t, err)
	_, unknown, err := FitHosts(context.Background(), histories, of, overall, 1)
	require.NoError(t, err)
	_, ofNone, err := FitHosts(context.Background(), nil, nil, overall, 1)
	require.NoError(t, err)
	assert.Equal(t, ofNone, unknown)
}

func BenchmarkAfter(b *testing.B) {
	random := rand.New(rand.NewPCG(45, 0))
	for _, schedule := range schedules {
		name, gap := schedule.name, schedule.gap
		histories, _ := population(b, random, 1, 10, gammaRates(1, 1), gap)
		p := Prior{Shape: 1, Rate: 1}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p.After(histories[0])
			}
		})
	}
}

func BenchmarkFit(b *testing.B) {
	random := rand.New(rand.NewPCG(45, 0))
	histories, _ := population(b, random, FittedPages, 10, gammaRates(1, 1), jittered)
	for b.Loop() {
		p, err := Fit(context.Background(), histories, 2)
		require.NoError(b, err)
		b.Log(p)
	}
}

// The likelihood is a product far below all float64 here: the sum of logarithms.
func TestLikelihoodOfManyChanges(t *testing.T) {
	e, sum := evidence{idle: 3}, -3*0.5
	for i := range 400 {
		gap := 1e-3 * float64(1+i)
		e.add(1, gap)
		sum += math.Log(-math.Expm1(-0.5 * gap))
	}
	require.Less(t, sum, math.Log(math.SmallestNonzeroFloat64))
	assert.InEpsilon(t, sum, e.log(0.5), 1e-12) // 400 roundings
}
