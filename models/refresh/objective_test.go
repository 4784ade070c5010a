package refresh

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

// The marginal value is the derivative of the value, the demand its inverse, and
// the slope the demand's derivative: by differences, for every objective.
func TestDemandInvertsTheMarginalValue(t *testing.T) {
	for _, objective := range objectives(0.1) {
		for _, delta := range []float64{1e-3, 0.2, 0.9, 0.97} {
			pages := Pages{ChangeRates: []float64{delta}, Weights: []float64{1.7}}
			measure := func(rate float64) (value, marginal float64) {
				var values, marginals [1]float64
				objective.Measure(values[:], marginals[:], pages, []float64{rate})
				if objective.Minimizes() {
					return -values[0], marginals[0]
				}
				return values[0], marginals[0]
			}
			demand := func(multiplier float64) (rate, slope float64) {
				var rates, slopes [1]float64
				objective.Demand(rates[:], slopes[:], pages, multiplier)
				return rates[0], slopes[0]
			}
			for _, rate := range []float64{0.05, 0.3, 0.8} {
				_, marginal := measure(rate)
				h := 1e-4 * rate
				up, _ := measure(rate + h)
				down, _ := measure(rate - h)
				// The values agree to 1e-16, the difference in them is h·marginal.
				assert.InDelta(t, marginal, (up-down)/(2*h), 1e-6*marginal+1e-11/h, "%v Δ=%v x=%v", objective, delta, rate)

				back, slope := demand(marginal)
				conditioning := max(1, slope/rate)
				if conditioning < 1e8 {
					assert.InEpsilon(t, rate, back, 1e-13*max(conditioning, 1), "%v Δ=%v x=%v", objective, delta, rate)
				}
				more, _ := demand(marginal * math.Exp(-1e-5))
				less, _ := demand(marginal * math.Exp(+1e-5))
				if conditioning < 1e3 {
					assert.InEpsilon(t, slope, (more-less)/2e-5, 1e-4, "%v Δ=%v x=%v", objective, delta, rate)
				}
			}
			never, slope := demand(math.Inf(1))
			assert.Zero(t, never, "%v", objective)
			assert.Zero(t, slope, "%v", objective)
			always, slope := demand(0)
			assert.True(t, math.IsInf(always, 1), "%v", objective)
			assert.Zero(t, slope, "%v", objective)
		}
		for _, idle := range []Pages{
			{ChangeRates: []float64{0}, Weights: []float64{1}}, {ChangeRates: []float64{0.5}, Weights: []float64{0}}, {ChangeRates: []float64{0}, Weights: []float64{0}},
		} {
			for _, multiplier := range []float64{0, 1e-300, 1, math.Inf(1)} {
				rates, slopes := []float64{-1}, []float64{-1}
				objective.Demand(rates, slopes, idle, multiplier)
				assert.Zero(t, rates[0], "%v %v λ=%v", objective, idle, multiplier)
				assert.Zero(t, slopes[0])
			}
			objective.Measure([]float64{0}, []float64{0}, idle, []float64{0})
		}
	}
}

// algorithm2 is Algorithm 2 of Azar et al. as printed, and Algorithm 1 for
// slotted time.
func algorithm2(pages Pages, bandwidth float64, slotted bool) []float64 {
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
		pages := SyntheticPages(n, SyntheticWeights(r.IntN(2)), r.Uint64())
		bandwidth := float64(n) * math.Pow(10, -3*r.Float64())
		s := solve(t, Problem{Pages: pages, Objective: Random{}, Bandwidth: bandwidth})
		assert.InDeltaSlice(t, algorithm2(pages, bandwidth, false), s.Rates, 1e-11*bandwidth, "seed %d", seed)

		s = solve(t, Problem{Pages: pages, Objective: Discrete{}, Bandwidth: 1})
		assert.InDeltaSlice(t, algorithm2(pages, 1, true), s.Rates, 1e-11, "seed %d", seed)

		same := solve(t, Problem{Pages: pages, Objective: Decaying{}, Bandwidth: bandwidth})
		again := solve(t, Problem{Pages: pages, Objective: Random{}, Bandwidth: bandwidth})
		assert.Equal(t, again.Rates, same.Rates)
	}
}

// The fixed-order optimum of five pages with 300 bits: λ by bisection.
func TestFixedOrderAgainstBigFloats(t *testing.T) {
	rates := func(multiplier *big.Float) (all []*big.Float, sum *big.Float) {
		sum = wide(0)
		for delta := 1.0; delta <= 5; delta++ {
			rate := wide(0)
			if c := times(multiplier, wide(delta)); c.Cmp(wide(1)) < 0 {
				rate = over(wide(delta), exactFreshness(c, minus(wide(1), c)))
			}
			all = append(all, rate)
			sum = plus(sum, rate)
		}
		return all, sum
	}
	low, high := wide(0.2), wide(0.22)
	for range 70 {
		middle := over(plus(low, high), wide(2))
		if _, sum := rates(middle); sum.Cmp(wide(5)) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	want, _ := rates(low)
	s := solve(t, Problem{Pages: Pages{ChangeRates: []float64{1, 2, 3, 4, 5}}, Objective: FixedOrder{}, Bandwidth: 5})
	for i, rate := range s.Rates {
		assert.InDelta(t, near(want[i]), rate, 1e-14)
	}
	assert.InEpsilon(t, near(low), s.Multiplier, 1e-15)
}

// No point of a grid beats the optimum, and the best comes close.
func TestGridSearch(t *testing.T) {
	pages := Pages{ChangeRates: []float64{0.3, 0.8, 0.05}, Weights: []float64{1, 2, 0.4}}
	for _, objective := range objectives(0.5) {
		const bandwidth, steps = 2, 300
		_, fastest := (&Problem{Objective: objective}).limits()
		s := solve(t, Problem{Pages: pages, Objective: objective, Bandwidth: bandwidth})
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
		pages := Pages{ChangeRates: make([]float64, 60), Weights: make([]float64, 60)}
		for i := range pages.ChangeRates {
			pages.ChangeRates[i] = 0.1 * math.Pow(10, spread*(r.Float64()-1))
			pages.Weights[i] = unit * pages.ChangeRates[i]
		}
		for _, law := range accessLaws(mean) {
			s := solve(t, Problem{Pages: pages, Objective: NewCoffman(law), Bandwidth: 1 / mean})
			bound := ProportionalBound(pages.ChangeRates, unit, law)
			assert.InEpsilon(t, bound, s.Value, 1e-12, "%v", law)
			sum := 0.0
			for _, mu := range pages.ChangeRates {
				sum -= math.Log1p(-law.LaplaceComplement(mu))
			}
			for i, rate := range s.Rates {
				assert.InEpsilon(t, -math.Log1p(-law.LaplaceComplement(pages.ChangeRates[i]))/sum, rate*mean, 1e-10)
			}

			s = solve(t, Problem{Pages: pages, Objective: NewCoffmanRandomized(law), Bandwidth: 1 / mean})
			assert.InEpsilon(t, RandomizedProportionalBound(pages.ChangeRates, unit, law), s.Value, 1e-12, "%v", law)
			assert.Greater(t, s.Value, bound)
		}
	}
}

// With constant access times the Coffman objective is that of fixed order.
func TestCoffmanWithConstantAccessTimes(t *testing.T) {
	pages := randomPages(rand.New(rand.NewPCG(4, 0)), 200, 4, false)
	law := must(queue.NewDeterministic(0.25))
	cost := solve(t, Problem{Pages: pages, Objective: NewCoffman(law), Bandwidth: 4})
	fresh := solve(t, Problem{Pages: pages, Objective: FixedOrder{}, Bandwidth: 4})
	assert.InDeltaSlice(t, fresh.Rates, cost.Rates, 1e-9)
	total := 0.0
	for i := range 200 {
		total += pages.Weight(i)
	}
	assert.InEpsilon(t, total-fresh.Value, cost.Value, 1e-11)
}

func TestParseObjective(t *testing.T) {
	law := must(queue.NewExponential(1))
	for _, name := range []string{"fixed-order", "random", "discrete", "decaying", "age", "harmonic", "signals", "coffman", "coffman-randomized"} {
		objective, err := ParseObjective(name, law)
		require.NoError(t, err)
		assert.Equal(t, name, objective.String())
	}
	_, err := ParseObjective("coffman", nil)
	assert.ErrorContains(t, err, "needs a law")
	_, err = ParseObjective("best", law)
	assert.ErrorContains(t, err, "fixed-order, random, discrete, decaying, age, harmonic, signals, coffman or coffman-randomized")
	assert.Panics(t, func() { NewCoffman(nil) })
}

func TestWhatOptimizeRefuses(t *testing.T) {
	ctx := context.Background()
	good := Problem{Pages: Pages{ChangeRates: []float64{1, 2}, Weights: []float64{1, 1}}, Objective: Random{}, Bandwidth: 1}
	for name, change := range map[string]func(p *Problem){
		"Objective: nil is not valid":         func(p *Problem) { p.Objective = nil },
		"Bandwidth: NaN is not valid":         func(p *Problem) { p.Bandwidth = math.NaN() },
		"Bandwidth: 0 is not valid":           func(p *Problem) { p.Bandwidth = 0 },
		"ChangeRates[1]: -1 is not valid":     func(p *Problem) { p.Pages.ChangeRates = []float64{1, -1} },
		"ChangeRates[0]: NaN is not valid":    func(p *Problem) { p.Pages.ChangeRates = []float64{math.NaN(), -1} },
		"ChangeRates[1]: 1e-101 is not valid": func(p *Problem) { p.Pages.ChangeRates = []float64{1, 1e-101} },
		"ChangeRates[1]: 2 is not valid":      func(p *Problem) { p.Objective = Discrete{} },
		"Weights[0]: +Inf is not valid":       func(p *Problem) { p.Pages.Weights = []float64{math.Inf(1), 1} },
		"Weights: a slice of 1 numbers":       func(p *Problem) { p.Pages.Weights = []float64{1} },
		"Least[1]: NaN is not valid":          func(p *Problem) { p.Least = []float64{0, math.NaN()} },
		"Least[0]: 3 is not valid":            func(p *Problem) { p.Least, p.Greatest = []float64{3, 0}, []float64{2, 2} },
		"Least[0]: +Inf is not valid":         func(p *Problem) { p.Least = []float64{math.Inf(1), 0} },
		"Greatest[1]: -1 is not valid":        func(p *Problem) { p.Greatest = []float64{0, -1} },
		"Greatest: a slice of 3":              func(p *Problem) { p.Greatest = []float64{0, 1, 2} },
		"the bandwidth is 1":                  func(p *Problem) { p.Least = []float64{0.6, 0.6} },
		"Hosts: a slice of 1":                 func(p *Problem) { p.Hosts = []int32{0} },
		"Hosts: a slice of 0":                 func(p *Problem) { p.HostCaps = []float64{1} },
		"Hosts[1]: 1 is not valid":            func(p *Problem) { p.Hosts, p.HostCaps = []int32{0, 1}, []float64{1} },
		"HostCaps[0]: NaN is not valid":       func(p *Problem) { p.Hosts, p.HostCaps = []int32{0, 0}, []float64{math.NaN()} },
		"its cap is 0.5":                      func(p *Problem) { p.Hosts, p.HostCaps, p.Least = []int32{0, 0}, []float64{0.5}, []float64{0.3, 0.3} },
	} {
		p := good
		change(&p)
		s, err := Optimize(ctx, p, Settings{})
		assert.Nil(t, s, name)
		assert.ErrorContains(t, err, name)
	}
	assert.Panics(t, func() { _, _ = Optimize(ctx, good, Settings{Rates: make([]float64, 3)}) })
	p := Problem{Pages: good.Pages, Objective: Random{}, Bandwidth: 1, Least: []float64{1, 1}}
	_, err := Optimize(ctx, p, Settings{})
	assert.Equal(t, &InfeasibleError{Host: -1, Least: 2, Allowed: 1}, err)
	p.Hosts, p.HostCaps = []int32{0, 1}, []float64{2, 0.5}
	_, err = Optimize(ctx, p, Settings{})
	assert.Equal(t, &InfeasibleError{Host: 1, Least: 1, Allowed: 0.5}, err)
}
