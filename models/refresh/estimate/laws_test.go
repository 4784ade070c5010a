package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// The derivatives of ψ are zeta functions of Hurwitz.
func TestPolygamma(t *testing.T) {
	for _, x := range []float64{0.01, 0.3, 1, 2.5, 7.999, 8, 40, 1e4} {
		first, second := polygamma(x)
		assert.InEpsilon(t, mathext.Zeta(2, x), first, 1e-10)
		assert.InEpsilon(t, -2*mathext.Zeta(3, x), second, 1e-10)
		assert.InEpsilon(t, x, inverseTrigamma(first), 1e-9)
	}
}

// The gamma laws that stand for others have their moments, by integrals over densities of distuv.
func TestGammaLaws(t *testing.T) {
	for _, shape := range []float64{1.2, 3, 50} {
		law := distuv.Gamma{Alpha: shape, Beta: 0.7}
		mean := func(f func(x float64) float64) float64 {
			g := func(u float64) float64 { return f(math.Exp(u)) * math.Exp(u+law.LogProb(math.Exp(u))) }
			return quad.Fixed(g, -60, 8, 4000, nil, 0)
		}
		log := mean(math.Log)
		square := mean(func(x float64) float64 { return math.Log(x) * math.Log(x) })
		for _, got := range []Prior{gammaOf(log, square-log*log), gammaWith(log, mean(func(x float64) float64 { return 1 / x }))} {
			assert.InEpsilon(t, shape, got.Shape, 1e-5)
			assert.InEpsilon(t, 0.7, got.Rate, 1e-5)
		}
	}
}

// A prior with a tail: its scale, derivatives and moments beside integrals of its density.
func TestPriorsWithTails(t *testing.T) {
	for _, p := range []Prior{{1.3, 0.8, 0.5}, {0.4, 2, 1.2}, {3, 0.1, 0.05}} {
		density := func(u float64) float64 { return math.Exp(p.log(u, math.Exp(u)) + p.logScale()) }
		mean := func(f func(u float64) float64) float64 {
			return quad.Fixed(func(u float64) float64 { return f(u) * density(u) }, -90, 60, 6000, nil, 0)
		}
		assert.InEpsilon(t, 1, mean(func(float64) float64 { return 1 }), 1e-8)
		log := mean(func(u float64) float64 { return u })
		variance := mean(func(u float64) float64 { return (u - log) * (u - log) })
		assert.InEpsilon(t, gammaOf(log, variance).Mean(), p.Mean(), 1e-6)
		for _, rate := range []float64{0.01, 1, 300} {
			const h = 1e-4
			u := math.Log(rate)
			at := func(u float64) float64 { return p.log(u, math.Exp(u)) }
			pull, change := p.pull(rate)
			assert.InDelta(t, p.Shape-rate*pull, (at(u+h)-at(u-h))/(2*h), 1e-6)
			assert.InDelta(t, -rate*(pull+rate*change), (at(u+h)-2*at(u)+at(u-h))/(h*h), 1e-5)
		}
		// After two changes and a gap without one.
		h := historyOf(t, []float64{1, 2}, []float64{3})
		var e evidence
		e.take(h)
		seen := func(f func(u float64) float64) float64 {
			return mean(func(u float64) float64 { return f(u) * math.Exp(e.log(math.Exp(u))) })
		}
		all := seen(func(float64) float64 { return 1 })
		want := gammaWith(seen(func(u float64) float64 { return u })/all, seen(func(u float64) float64 { return math.Exp(-u) })/all)
		rate, deviation := p.MomentsAfter(h)
		assert.InEpsilon(t, want.Shape/want.Rate, rate, 1e-5)
		assert.InEpsilon(t, math.Sqrt(want.Shape)/want.Rate, deviation, 1e-5)
		after := p.After(h)
		assert.InEpsilon(t, rate, after.Mean, 1e-5)
		assert.InEpsilon(t, deviation, after.StandardDeviation, 1e-5)
	}
	// A light tail is none.
	gamma, light, h := Prior{Shape: 1.5, Rate: 2}, Prior{1.5, 2, 1e-7}, historyOf(t, nil, []float64{2})
	mean, deviation := light.MomentsAfter(h)
	assert.InEpsilon(t, gamma.MeanAfter(h), mean, 1e-5)
	assert.InEpsilon(t, gamma.After(h).StandardDeviation, deviation, 1e-5)
}

func TestFitGradientOfTails(t *testing.T) {
	histories, _ := population(t, rand.New(rand.NewPCG(52, 0)), 50, 4, gammaRates(0.8, 0.5), jittered)
	f := fit{}
	for _, h := range histories {
		var e evidence
		e.take(h)
		f.pages = append(f.pages, e)
	}
	x, gradient, nothing := []float64{0.3, -0.5, 0.4}, make([]float64, 3), make([]float64, 3)
	f.value(x, gradient, 1)
	for i := range x {
		const h = 1e-4
		up, down := append([]float64(nil), x...), append([]float64(nil), x...)
		up[i] += h
		down[i] -= h
		assert.InDelta(t, (f.value(up, nothing, 1)-f.value(down, nothing, 1))/(2*h), gradient[i], 2e-6)
	}
}

// A tail is found where there is one, and hardly ever where there is none. Pages of which each access
// saw a change stay unchanged as often as the estimates say.
func TestTailsAreFound(t *testing.T) {
	random := rand.New(rand.NewPCG(91, 0))
	pareto := func(random *rand.Rand) float64 { return min(1e4, 0.05*math.Pow(random.Float64(), -1/0.9)) }
	histories, rates := population(t, random, 3000, 12, pareto, jittered)
	p, err := Fit(t.Context(), histories, 2)
	require.NoError(t, err)
	require.Positive(t, p.Tail)
	always, fresh, expected, byGamma := 0., 0., 0., 0.
	gamma := Prior{Shape: p.gamma().Shape, Rate: p.gamma().Rate}
	for i, h := range histories {
		if h.Changes() == h.Accesses() {
			always++
			for _, age := range []float64{0.1, 0.3, 1} {
				fresh += math.Exp(-rates[i] * age)
				share := func(mean, deviation float64) float64 { // by the gamma law of both
					shape := mean * mean / (deviation * deviation)
					return math.Pow(1+age*mean/shape, -shape)
				}
				expected += share(p.MomentsAfter(h))
				byGamma += share(gamma.MomentsAfter(h))
			}
		}
	}
	t.Logf("%v; %.0f pages always changed: %.3f unchanged, %.3f expected, %.3f by a gamma law", p, always, fresh/(3*always), expected/(3*always), byGamma/(3*always))
	assert.InDelta(t, fresh/(3*always), expected/(3*always), 0.03)
	tails := 0
	for range 10 {
		histories, _ = population(t, random, 300, 12, gammaRates(1, 0.5), jittered)
		p, err := Fit(t.Context(), histories, 2)
		require.NoError(t, err)
		if p.Tail > 0 {
			tails++
		}
	}
	assert.LessOrEqual(t, tails, 1)
}

// A host's law of the kind of one with a tail keeps the mean and variance of ln Δ.
func TestLawsOfHostsHaveTails(t *testing.T) {
	other := Prior{1.5, 2, 0.9}
	for _, host := range []Prior{{Shape: 0.3, Rate: 5}, {Shape: 2, Rate: 0.1}, {Shape: 40, Rate: 3}} {
		got := host.like(other)
		back := got.gamma()
		assert.InEpsilon(t, host.Shape, back.Shape, 1e-8)
		assert.InEpsilon(t, host.Rate, back.Rate, 1e-8)
		assert.InEpsilon(t, other.Tail*other.Shape, got.Tail*got.Shape, 1e-12)
		assert.Equal(t, host, host.like(Prior{Shape: 1, Rate: 1}))
	}
}
