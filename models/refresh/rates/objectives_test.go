package rates

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// algorithm2 is Algorithm 2 of Azar et al. as printed, and Algorithm 1 for
// slotted time.
func algorithm2(pages refresh.Pages, bandwidth float64, slotted bool) []float64 {
	n := pages.Len()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	merit := func(i int) float64 { return pages.Weight(i) / pages.ChangeRates[i] }
	sort.Slice(order, func(a, b int) bool { return merit(order[a]) < merit(order[b]) })
	scale := func(i int) float64 {
		if slotted {
			return 1 - pages.ChangeRates[i]
		}
		return 1
	}
	r, s := 0.0, 0.0
	for _, i := range order {
		r += math.Sqrt(pages.Weight(i)*pages.ChangeRates[i]) / scale(i)
		s += pages.ChangeRates[i] / scale(i)
	}
	rates := make([]float64, n)
	for _, i := range order {
		root, delta := math.Sqrt(pages.Weight(i)*pages.ChangeRates[i]), pages.ChangeRates[i]
		if price := r / (bandwidth + s); merit(i) <= price*price {
			r -= root / scale(i)
			s -= delta / scale(i)
		} else {
			rates[i] = ((bandwidth+s)*root - r*delta) / (r * scale(i))
		}
	}
	return rates
}

func TestAzarsAlgorithms(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		n := 1 + r.IntN(400)
		pages := syntheticPages(n, r.Uint64())
		bandwidth := float64(n) * math.Pow(10, -3*r.Float64())
		s := solve(t, refresh.Problem{Pages: pages, Objective: refresh.Random{}, Bandwidth: bandwidth})
		assert.InDeltaSlice(t, algorithm2(pages, bandwidth, false), s.Rates, 1e-11*bandwidth, "seed %d", seed)

		s = solve(t, refresh.Problem{Pages: pages, Objective: refresh.Discrete{}, Bandwidth: 1})
		assert.InDeltaSlice(t, algorithm2(pages, 1, true), s.Rates, 1e-11, "seed %d", seed)

		same := solve(t, refresh.Problem{Pages: pages, Objective: refresh.Decaying{}, Bandwidth: bandwidth})
		again := solve(t, refresh.Problem{Pages: pages, Objective: refresh.Random{}, Bandwidth: bandwidth})
		assert.Equal(t, again.Rates, same.Rates)
	}
}

// No point of a grid beats the optimum, and the best comes close.
func TestGridSearch(t *testing.T) {
	pages := refresh.Pages{ChangeRates: []float64{0.3, 0.8, 0.05}, Weights: []float64{1, 2, 0.4}}
	for _, objective := range objectives(0.5) {
		const bandwidth, steps = 2, 300
		_, fastest := (&refresh.Problem{Objective: objective}).Limits()
		s := solve(t, refresh.Problem{Pages: pages, Objective: objective, Bandwidth: bandwidth})
		sign := 1.0
		if objective.Minimizes() {
			sign = -1
		}
		best := math.Inf(-1)
		values, marginals := make([]float64, 3), make([]float64, 3)
		for i := range steps + 1 {
			for j := range steps + 1 - i {
				a, b := bandwidth*float64(i)/steps, bandwidth*float64(j)/steps
				c := max(0, bandwidth-a-b)
				if max(a, b, c) > fastest {
					continue
				}
				objective.Measure(values, marginals, pages, []float64{a, b, c})
				best = max(best, sign*(values[0]+values[1]+values[2]))
			}
		}
		assert.LessOrEqual(t, best, sign*s.Value+1e-12, "%v", objective)
		assert.GreaterOrEqual(t, best, sign*s.Value-2e-4, "%v", objective)
	}
}

// With weights proportional to change rates the optima have closed forms:
// Coffman, Liu and Weber, Theorems 3.4 and 4.1.
func TestProportionalWeights(t *testing.T) {
	const mean, unit = 0.02, 3.0
	r := rand.New(rand.NewPCG(8, 0))
	for _, spread := range []float64{0, 2, 6} {
		pages := refresh.Pages{ChangeRates: make([]float64, 60), Weights: make([]float64, 60)}
		for i := range pages.ChangeRates {
			pages.ChangeRates[i] = 0.1 * math.Pow(10, spread*(r.Float64()-1))
			pages.Weights[i] = unit * pages.ChangeRates[i]
		}
		for _, law := range accessLaws(mean) {
			s := solve(t, refresh.Problem{Pages: pages, Objective: refresh.NewCoffman(law), Bandwidth: 1 / mean})
			bound := refresh.ProportionalBound(pages.ChangeRates, unit, law)
			assert.InEpsilon(t, bound, s.Value, 1e-12, "%v", law)
			sum := 0.0
			for _, mu := range pages.ChangeRates {
				sum -= math.Log1p(-law.LaplaceComplement(mu))
			}
			for i, rate := range s.Rates {
				assert.InEpsilon(t, -math.Log1p(-law.LaplaceComplement(pages.ChangeRates[i]))/sum, rate*mean, 1e-10)
			}

			s = solve(t, refresh.Problem{Pages: pages, Objective: refresh.NewCoffmanRandomized(law), Bandwidth: 1 / mean})
			assert.InEpsilon(t, refresh.RandomizedProportionalBound(pages.ChangeRates, unit, law), s.Value, 1e-12, "%v", law)
			assert.Greater(t, s.Value, bound)
		}
	}
}

// With constant access times the Coffman objective is that of fixed order.
func TestCoffmanWithConstantAccessTimes(t *testing.T) {
	pages := randomPages(rand.New(rand.NewPCG(4, 0)), 200, 4, false)
	law := must(queue.NewDeterministic(0.25))
	cost := solve(t, refresh.Problem{Pages: pages, Objective: refresh.NewCoffman(law), Bandwidth: 4})
	fresh := solve(t, refresh.Problem{Pages: pages, Objective: refresh.FixedOrder{}, Bandwidth: 4})
	assert.InDeltaSlice(t, fresh.Rates, cost.Rates, 1e-9)
	total := 0.0
	for i := range 200 {
		total += pages.Weight(i)
	}
	assert.InEpsilon(t, total-fresh.Value, cost.Value, 1e-11)
}

func TestWhatOptimizeRefuses(t *testing.T) {
	ctx := context.Background()
	good := refresh.Problem{Pages: refresh.Pages{ChangeRates: []float64{1, 2}, Weights: []float64{1, 1}}, Objective: refresh.Random{}, Bandwidth: 1}
	for name, change := range map[string]func(p *refresh.Problem){
		"Objective: nil is not valid":         func(p *refresh.Problem) { p.Objective = nil },
		"Bandwidth: NaN is not valid":         func(p *refresh.Problem) { p.Bandwidth = math.NaN() },
		"Bandwidth: 0 is not valid":           func(p *refresh.Problem) { p.Bandwidth = 0 },
		"ChangeRates[1]: -1 is not valid":     func(p *refresh.Problem) { p.Pages.ChangeRates = []float64{1, -1} },
		"ChangeRates[0]: NaN is not valid":    func(p *refresh.Problem) { p.Pages.ChangeRates = []float64{math.NaN(), -1} },
		"ChangeRates[1]: 1e-101 is not valid": func(p *refresh.Problem) { p.Pages.ChangeRates = []float64{1, 1e-101} },
		"ChangeRates[1]: 2 is not valid":      func(p *refresh.Problem) { p.Objective = refresh.Discrete{} },
		"Weights[0]: +Inf is not valid":       func(p *refresh.Problem) { p.Pages.Weights = []float64{math.Inf(1), 1} },
		"Weights: a slice of 1 numbers":       func(p *refresh.Problem) { p.Pages.Weights = []float64{1} },
		"Hosts: a slice of 1":                 func(p *refresh.Problem) { p.Hosts = []int32{0} },
		"Hosts: a slice of 0":                 func(p *refresh.Problem) { p.HostCaps = []float64{1} },
		"Hosts[1]: 1 is not valid":            func(p *refresh.Problem) { p.Hosts, p.HostCaps = []int32{0, 1}, []float64{1} },
		"HostCaps[0]: NaN is not valid":       func(p *refresh.Problem) { p.Hosts, p.HostCaps = []int32{0, 0}, []float64{math.NaN()} },
	} {
		p := good
		change(&p)
		s, err := Optimize(ctx, p, Settings{})
		assert.Nil(t, s, name)
		assert.ErrorContains(t, err, name)
	}
	assert.Panics(t, func() { _, _ = Optimize(ctx, good, Settings{Rates: make([]float64, 3)}) })
}

// Where all pages have the same ratio of weight to change rate, x/Δ is the same for
// all, and hence x_i = RΔ_i/ΣΔ.
func TestHarmonicInProportion(t *testing.T) {
	pages := refresh.Pages{ChangeRates: []float64{1, 2, 5}, Weights: []float64{3, 6, 15}}
	s := solve(t, refresh.Problem{Pages: pages, Objective: refresh.Harmonic{}, Bandwidth: 4})
	assert.InDeltaSlice(t, []float64{0.5, 1, 2.5}, s.Rates, 1e-14)
	assert.InEpsilon(t, 24*math.Log(3), s.Value, 1e-14)
	// At Δ = 1, x = 1/2 and w = 3 the marginal value is wΔ/(x(x+Δ)) = 4.
	assert.InEpsilon(t, 4.0, s.Multiplier, 1e-13)
}

// Two pages by brute force over the rate of the first.
func TestHarmonicByBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 30 {
		pages := refresh.Pages{ChangeRates: []float64{r.ExpFloat64(), r.ExpFloat64()}, Weights: []float64{r.ExpFloat64(), r.ExpFloat64()}}
		bandwidth := 3 * r.ExpFloat64()
		cost := func(x float64) float64 {
			return pages.Weights[0]*math.Log1p(pages.ChangeRates[0]/x) + pages.Weights[1]*math.Log1p(pages.ChangeRates[1]/(bandwidth-x))
		}
		low, high := 0.0, bandwidth // golden section: the cost is convex
		for range 200 {
			a, b := high-(high-low)/math.Phi, low+(high-low)/math.Phi
			if cost(a) < cost(b) {
				high = b
			} else {
				low = a
			}
		}
		s := solve(t, refresh.Problem{Pages: pages, Objective: refresh.Harmonic{}, Bandwidth: bandwidth})
		assert.InEpsilon(t, cost(low), s.Value, 1e-14)
		assert.InDelta(t, low, s.Rates[0], 1e-6*bandwidth, "golden section finds half of the digits")
	}
}

func TestSignalsAreOptimal(t *testing.T) {
	// Good, poor, nearly complete, never false, complete, as in the tests of the objective.
	qualities := []struct{ recall, falseRate float64 }{
		{0.5, 0.3}, {0.9, 0.1}, {0.2, 2}, {0.99, 0.05}, {0.999, 1}, {0.5, 0}, {0.1, 0}, {1, 0.5}, {1, 0}, {1e-3, 1e-3}, {0.7, 20},
	}
	r := rand.New(rand.NewPCG(9, 0))
	trials := 60
	if testing.Short() {
		trials = 10
	}
	for trial := range trials {
		n := 1 + r.IntN(60)
		p := refresh.Problem{Objective: refresh.Signals{}, Bandwidth: float64(n) * r.ExpFloat64(), Pages: refresh.Pages{
			ChangeRates: make([]float64, n), Weights: make([]float64, n), Recalls: make([]float64, n), FalseRates: make([]float64, n),
		}}
		for i := range n {
			q := qualities[r.IntN(len(qualities))]
			p.Pages.ChangeRates[i], p.Pages.Weights[i] = r.ExpFloat64(), r.ExpFloat64()
			p.Pages.Recalls[i], p.Pages.FalseRates[i] = q.recall, q.falseRate*p.Pages.ChangeRates[i]
		}
		s, err := Optimize(context.Background(), p, Settings{})
		require.NoError(t, err, "trial %d", trial)
		assert.LessOrEqual(t, s.Residual, 1e-12)
		assert.InEpsilon(t, s.Value, s.Bound, 1e-12)
		assert.GreaterOrEqual(t, s.Bound, s.Value)
		// It is at least what one gets without looking at signals.
		without := solve(t, refresh.Problem{Objective: refresh.FixedOrder{}, Bandwidth: p.Bandwidth, Pages: refresh.Pages{ChangeRates: p.Pages.ChangeRates, Weights: p.Pages.Weights}})
		assert.GreaterOrEqual(t, s.Value, without.Value*(1-1e-12))
	}
}

// No cycle of accesses, with the frequencies that it has, costs less than the best rates.
func TestNoCycleBeatsTheBestRates(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	pages := refresh.Pages{ChangeRates: []float64{0.5, 1, 3, 0.1, 0.7, 20}, Weights: []float64{1, 2, 0.5, 3, 1, 1}}
	for _, law := range accessLaws(0.4) {
		optimum := solve(t, refresh.Problem{Pages: pages, Objective: refresh.NewCoffman(law), Bandwidth: 1 / law.Mean()})
		for _, slots := range []int{1, 2, 17, 400} {
			e, err := refresh.NewEvaluator(pages, law)
			require.NoError(t, err)
			for range slots {
				require.NoError(t, e.Access(r.IntN(5))) // page 5 is never accessed
			}
			assert.LessOrEqual(t, optimum.Bound, e.Cycle().Bound)
		}
	}
}
