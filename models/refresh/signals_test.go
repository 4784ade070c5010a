package refresh

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// announced returns one page with signals.
func announced(changeRate, weight, recall, falseRate float64) Pages {
	return Pages{ChangeRates: []float64{changeRate}, Weights: []float64{weight}, Recalls: []float64{recall}, FalseRates: []float64{falseRate}}
}

func demandOne(objective Objective, pages Pages, multiplier float64) (rate, slope float64) {
	var rates, slopes [1]float64
	objective.Demand(rates[:], slopes[:], pages, multiplier)
	return rates[0], slopes[0]
}

func measurePage(objective Objective, pages Pages, rate float64) (value, marginal float64) {
	var values, marginals [1]float64
	objective.Measure(values[:], marginals[:], pages, []float64{rate})
	return values[0], marginals[0]
}

// signalQualities are recalls and false rates per change: good, poor, nearly complete,
// never false, complete.
var signalQualities = []struct{ recall, falseRate float64 }{
	{0.5, 0.3}, {0.9, 0.1}, {0.2, 2}, {0.99, 0.05}, {0.999, 1}, {0.5, 0}, {0.1, 0}, {1, 0.5}, {1, 0}, {1e-3, 1e-3}, {0.7, 20},
}

// The marginal value is the derivative of the value, the demand its inverse, and the slope
// the demand's derivative, but at corners.
func TestDemandOfSignalsInvertsTheMarginalValue(t *testing.T) {
	for _, q := range signalQualities {
		if q.recall == 1 {
			continue // the demand is a staircase
		}
		for _, delta := range []float64{0.02, 3} {
			pages := announced(delta, 1.7, q.recall, q.falseRate*delta)
			top := 1.7 / delta
			for _, share := range []float64{1e-6, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99} {
				label := fmt.Sprintf("%+v Δ=%v λ=%v of the greatest", q, delta, share)
				multiplier := share * top
				rate, slope := demandOne(Signals{}, pages, multiplier)
				require.Greater(t, rate, 0.0, label)
				h := 1e-4 * rate
				up, _ := measurePage(Signals{}, pages, rate+h)
				down, _ := measurePage(Signals{}, pages, rate-h)
				_, marginal := measurePage(Signals{}, pages, rate)
				if slope > 1e-3*rate { // else there is a corner
					assert.InEpsilon(t, multiplier, marginal, 1e-13*max(1, rate/slope)+2e-13, label)
					assert.InDelta(t, marginal, (up-down)/(2*h), 1e-3*marginal*max(1, 0.01*rate/slope), label)
				}
				// The values lie below the tangent: the demand is what maximises f(x) − λx.
				value, _ := measurePage(Signals{}, pages, rate)
				for _, factor := range []float64{0.1, 0.5, 0.9, 0.99, 1.01, 1.1, 2, 10} {
					other, _ := measurePage(Signals{}, pages, factor*rate)
					assert.LessOrEqual(t, other-multiplier*factor*rate, value-multiplier*rate+1e-13, label)
				}
				more, _ := demandOne(Signals{}, pages, multiplier*math.Exp(-1e-6))
				less, _ := demandOne(Signals{}, pages, multiplier*math.Exp(+1e-6))
				assert.InDelta(t, slope, (more-less)/2e-6, 1e-4*slope+1e-8*rate, label)
			}
		}
	}
}

func TestSignalsAtTheirLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	for range 100 {
		delta, weight := r.ExpFloat64(), r.ExpFloat64()
		multiplier := r.Float64() * weight / delta
		// Without signals, or with ones that say nothing, accesses are evenly spaced.
		want, _ := demandOne(FixedOrder{}, announced(delta, weight, 0, 0), multiplier)
		for _, q := range []struct{ recall, falseRate float64 }{{0, 0}, {0, 3}, {1e-3, 1}} {
			got, _ := demandOne(Signals{}, announced(delta, weight, q.recall, q.falseRate), multiplier)
			if q.recall == 0 {
				assert.Equal(t, want, got)
			}
		}
		assert.Equal(t, math.Exp(-delta/want), Signals{}.AccessAt(delta, 0, 0, want))
		// Few signals that are never false change little.
		got, _ := demandOne(Signals{}, announced(delta, weight, 1e-9, 0), multiplier)
		assert.InEpsilon(t, want, got, 1e-7*max(1, weight/delta/multiplier))
		// Complete signals are answered, all of them or none.
		complete := announced(delta, weight, 1, 0)
		got, _ = demandOne(Signals{}, complete, multiplier)
		assert.Equal(t, delta, got)
		value, marginal := measurePage(Signals{}, complete, 0.3*delta)
		assert.InEpsilon(t, 0.3*weight, value, 1e-15)
		assert.InEpsilon(t, weight/delta, marginal, 1e-15)
		value, _ = measurePage(Signals{}, complete, delta)
		assert.InEpsilon(t, weight, value, 1e-15)
		// Nearly complete ones are nearly so.
		got, _ = demandOne(Signals{}, announced(delta, weight, 1-1e-9, 1e-9*delta), multiplier)
		assert.InEpsilon(t, delta, got, 1e-4/(1-multiplier*delta/weight))
	}
}

// What happens to a page under the rule, played: rates and freshness.
func TestSignalsSimulated(t *testing.T) {
	const cycles = 100_000
	r := rand.New(rand.NewPCG(6, 0))
	for _, q := range signalQualities {
		const delta, weight = 2.0, 1.0
		falseRate := q.falseRate * delta
		pages := announced(delta, weight, q.recall, falseRate)
		for _, share := range []float64{0.1, 0.5, 0.8} {
			rate, _ := demandOne(Signals{}, pages, share*weight/delta)
			value, _ := measurePage(Signals{}, pages, rate)
			accessAt := Signals{}.AccessAt(delta, q.recall, falseRate, rate)
			time, fresh := 0.0, 0.0
			for range cycles {
				cycle, up := playSignals(r, delta, q.recall, falseRate, accessAt)
				time += cycle
				fresh += up
			}
			label := fmt.Sprintf("%+v λ=%v", q, share)
			assert.InEpsilon(t, rate, float64(cycles)/time, 5/math.Sqrt(float64(cycles)), label)
			assert.InEpsilon(t, value, fresh/time, 5/math.Sqrt(float64(cycles)), label)
		}
	}
}

// playSignals plays a page from one access to the next, and returns the time, and how
// much of it the copy was up to date.
func playSignals(r *rand.Rand, delta, recall, falseRate, accessAt float64) (time, fresh float64) {
	signals, changedAt := 0, math.Inf(1)
	for {
		// The access comes when the probability has fallen to accessAt, unless a signal
		// comes before.
		due := math.Inf(1)
		if silent := (1 - recall) * delta; silent > 0 {
			known := FreshProbability(delta, recall, falseRate, 0, signals)
			due = math.Log(known/accessAt) / silent
		}
		if FreshProbability(delta, recall, falseRate, time, signals) <= accessAt*(1+1e-12) {
			return time, min(time, changedAt)
		}
		next := time + r.ExpFloat64()/(delta+falseRate)
		if next >= due {
			return due, min(due, changedAt)
		}
		time = next
		switch {
		case r.Float64() < falseRate/(delta+falseRate):
			signals++
		default:
			changedAt = min(changedAt, time)
			if r.Float64() < recall {
				signals++
			}
		}
	}
}

// The page as a Markov decision process with the state (z, discretised): the engine finds
// no rule that is better than the threshold.
func TestSignalsAgainstTheEngine(t *testing.T) {
	for _, q := range []struct{ recall, falseRate float64 }{{0.5, 0.3}, {0.8, 0.8}, {0.3, 0.05}} {
		const price = 0.4
		rate, _ := demandOne(Signals{}, announced(1, 1, q.recall, q.falseRate), price)
		value, _ := measurePage(Signals{}, announced(1, 1, q.recall, q.falseRate), rate)
		gain := func(jump int) float64 { return engineGain(t, q.recall, q.falseRate, price, jump) }
		// The error of the discretisation halves with its step; two steps take it away.
		coarse, fine := gain(200), gain(400)
		assert.InDelta(t, value-price*rate, 2*fine-coarse, 2e-5, "%+v", q)
	}
}

// engineGain returns the best long-run average of freshness less price for each access, of
// a page with change rate 1. A signal moves z by jump steps of the grid.
func engineGain(t *testing.T, recall, falseRate, price float64, jump int) float64 {
	t.Helper()
	step := math.Log1p(recall/falseRate) / float64(jump) // of z
	dt := step / (1 - recall)
	signal := -math.Expm1(-dt * (recall + falseRate)) // probability in a step
	last := int(6 / step)
	var b mdp.TableBuilder
	wait := func(from int) {
		b.AddTransition(min(from+1, last), 1-signal)
		b.AddTransition(min(from+jump, last), signal)
	}
	for state := range last + 1 {
		b.AddState()
		b.AddAction(-math.Exp(-float64(state)*step) * dt) // wait
		wait(state)
		b.AddAction(price - dt) // access
		wait(0)
	}
	table, err := b.Build()
	require.NoError(t, err)
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
	require.NoError(t, err)
	return -result.Gain / dt
}

// Far from the last access all sums are near their limits, though e^z may be no float64 there:
// without false signals M is 1/γ times the chance of a signal so far, and h is 1.
func TestSignalsFarAway(t *testing.T) {
	for _, recall := range []float64{0.0236, 0.5, 0.99} {
		s, telling := newSignalled(1, recall, 0)
		require.True(t, telling)
		sums := s.at(farthest)
		assert.InEpsilon(t, -math.Expm1(-farthest*s.gamma/s.alpha)/s.gamma, sums.time, 1e-14)
		assert.InEpsilon(t, 1, sums.price, 1e-14)
	}
}

// Between rare accesses many signals come. More information on a page can do no harm, so that its
// freshness is at least that of accesses at even distances; a copy is fresh for 1/Δ at most.
func TestSignalsOfRareAccesses(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, 0))
	for range 600 {
		delta := math.Pow(10, 4*r.Float64()-2)
		pages := Pages{ChangeRates: []float64{delta}, Recalls: []float64{r.Float64()}, FalseRates: []float64{delta * math.Pow(10, 3*r.Float64()-1)}}
		rates := []float64{delta * math.Pow(10, -4*r.Float64())}
		var even, value, marginal [1]float64
		FixedOrder{}.Measure(even[:], marginal[:], pages, rates)
		Signals{}.Measure(value[:], marginal[:], pages, rates)
		require.GreaterOrEqual(t, value[0], even[0]*(1-1e-11), "%+v at %v, seed %d", pages, rates, seed)
		require.LessOrEqual(t, value[0], rates[0]/delta*(1+1e-11), "%+v at %v, seed %d", pages, rates, seed)
		require.GreaterOrEqual(t, marginal[0], 0.0, "%+v at %v, seed %d", pages, rates, seed)
		require.LessOrEqual(t, marginal[0], 1/delta*(1+1e-11), "%+v at %v, seed %d", pages, rates, seed)
	}
}
