package rates

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Hosts that get nothing, with nothing else to weigh the value against or with
// an infinite cost: there is nothing to search for.
func TestCapsOfNothing(t *testing.T) {
	pages := refresh.Pages{ChangeRates: []float64{0.3, 0.2, 0.1}, Weights: []float64{1, 2, 1.5}}
	hosts := []int32{0, 1, 0}
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Discrete{}, refresh.NewCoffmanRandomized(must(queue.NewExponential(1)))} {
		s := solve(t, refresh.Problem{Pages: pages, Objective: objective, Bandwidth: 1, Hosts: hosts, HostCaps: []float64{0, 0, math.Inf(1)}})
		assert.Equal(t, []float64{0, 0, 0}, s.Rates)
		assert.InDelta(t, s.Value, s.Bound, 1e-12*s.Value, "%v", objective)
		marginals := make([]float64, 3)
		objective.Measure(make([]float64, 3), marginals, pages, s.Rates)
		assert.Equal(t, []float64{max(marginals[0], marginals[2]), marginals[1], 0}, s.HostMultipliers)
		assert.Zero(t, s.Multiplier)
	}
	// Ages grow without bound where nothing is fetched, whatever the scale.
	s := solve(t, refresh.Problem{
		Pages: refresh.Pages{ChangeRates: []float64{3290.9}, Weights: []float64{2.9e-6}}, Objective: refresh.Age{}, Bandwidth: 2061,
		Hosts: []int32{0}, HostCaps: []float64{0},
	})
	assert.Equal(t, math.Inf(1), s.Value)
	assert.Equal(t, math.Inf(1), s.Bound)
	assert.Zero(t, s.Residual)
}

func measureOne(objective refresh.Objective, changeRate, weight, rate float64) (value, marginal float64) {
	var values, marginals [1]float64
	objective.Measure(values[:], marginals[:], refresh.Pages{ChangeRates: []float64{changeRate}, Weights: []float64{weight}}, []float64{rate})
	return values[0], marginals[0]
}

// A guess may be of any size, and may be made where nothing can be gained.
func TestGuessesThatLeadNowhere(t *testing.T) {
	pages := refresh.Pages{ChangeRates: []float64{0.3, 0.2, 0.1}, Weights: []float64{1, 2, 1.5}}
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Age{}, refresh.Harmonic{}, refresh.Discrete{}} {
		p := refresh.Problem{Pages: pages, Objective: objective, Bandwidth: 1}
		want := solve(t, p)
		for _, guess := range []float64{5e-324, 1e-300, 1, 1e308, math.Inf(1), math.NaN(), -1} {
			s, err := Optimize(context.Background(), p, Settings{Multiplier: guess})
			require.NoError(t, err, "%v, guess %v", objective, guess)
			require.InDeltaSlice(t, want.Rates, s.Rates, 1e-12)
			nothing := refresh.Problem{Pages: refresh.Pages{ChangeRates: []float64{0.3, 0, 0.1}, Weights: []float64{0, 2, 0}}, Objective: objective, Bandwidth: 1}
			s, err = Optimize(context.Background(), nothing, Settings{Multiplier: guess})
			require.NoError(t, err, "%v, guess %v", objective, guess)
			require.Equal(t, []float64{0, 0, 0}, s.Rates)
			require.Zero(t, s.Multiplier)
		}
	}
}

// −0 is 0.
func TestNegativeZeros(t *testing.T) {
	zero := math.Copysign(0, -1)
	law := must(queue.NewUniform(0, 0.2))
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Random{}, refresh.Age{}, refresh.Harmonic{}, refresh.Discrete{}, refresh.NewCoffman(law), refresh.NewCoffmanRandomized(law)} {
		p := refresh.Problem{
			Pages: refresh.Pages{ChangeRates: []float64{zero, 1, 0.5, 0.7}, Weights: []float64{1, zero, 1, 2}}, Objective: objective, Bandwidth: 0.25,
		}
		got := solve(t, p)
		p.Pages = refresh.Pages{ChangeRates: []float64{0, 1, 0.5, 0.7}, Weights: []float64{1, 0, 1, 2}}
		want := solve(t, p)
		assert.Equal(t, want.Value, got.Value, "%v", objective)
		assert.InDeltaSlice(t, want.Rates, got.Rates, 0)
	}
}

// However early it ends, the multiplier is that of the rates and finite.
func TestResidualWhenInterrupted(t *testing.T) {
	for calls := range 40 {
		ctx, cancel := context.WithCancel(context.Background())
		left := calls + 1
		p := refresh.Problem{
			Pages: refresh.Pages{ChangeRates: []float64{0.55, 1.07, 0.57}, Weights: []float64{0.1, 0.1, 180}}, Objective: counted{refresh.FixedOrder{}, &left, cancel},
			Bandwidth: 1e-3, Hosts: []int32{1, 0, 2}, HostCaps: []float64{1.6e-3, 2.4e-4, 5.6e-5},
		}
		s, err := Optimize(ctx, p, Settings{Workers: 1, Multiplier: 1e-3})
		cancel()
		assert.False(t, math.IsNaN(s.Residual), "%d calls", calls)
		assert.False(t, s.Used > 0 && math.IsInf(s.Multiplier, 1), "%d calls", calls)
		if err == nil {
			break
		}
	}
}

// The bound allows for the rounding of the value: a case in which the cost comes
// out too high by seven units in the last place, measured with 300 bits.
func TestBoundAgainstBigFloats(t *testing.T) {
	s := solve(t, refresh.Problem{Pages: refresh.Pages{ChangeRates: []float64{3.214}}, Objective: refresh.Age{}, Bandwidth: 3.171})
	require.LessOrEqual(t, s.Rates[0], 3.171)
	// (z/2 − 1 + (1−e^{−z})/z)/x with z = Δ/x
	cost, _, err := big.ParseFloat("0.04210711275652921665606663906524193491178", 10, 300, big.ToNearestEven)
	require.NoError(t, err)
	assert.Positive(t, cost.Cmp(big.NewFloat(s.Bound)), "the bound is above the least cost")
	assert.InEpsilon(t, 0.04210711275652921666, s.Value, 1e-14)
}

// Caps are numbers that can be computed with, as all others are.
func TestTinyCapsAreRefused(t *testing.T) {
	p := refresh.Problem{Pages: refresh.Pages{ChangeRates: []float64{1}}, Objective: refresh.Random{}, Bandwidth: 1}
	p.Hosts, p.HostCaps = []int32{0}, []float64{1e-300}
	require.EqualError(t, p.Validate(), "refresh: HostCaps[0]: 1e-300 is not valid: use 0 or a number of 1e-100 or more")
}

// flattered measures the marginal values of all pages but the first a little too
// high, so that the rates which it demands are not optimal by what it measures.
type flattered struct {
	refresh.FixedOrder
	by float64
}

func (o flattered) Measure(values, marginals []float64, pages refresh.Pages, rates []float64) {
	o.FixedOrder.Measure(values, marginals, pages, rates)
	for i := range marginals {
		if pages.ChangeRates[i] != 1 {
			marginals[i] *= 1 + o.by
		}
	}
}

// Where pages miss the conditions of optimality the residual says by how much, and
// the status that it is too much.
func TestResidualOfWrongDemands(t *testing.T) {
	const by = 1e-6
	p := refresh.Problem{Pages: refresh.Pages{ChangeRates: []float64{1, 2, 3}}, Objective: flattered{by: by}, Bandwidth: 3}
	s, err := Optimize(context.Background(), p, Settings{})
	require.ErrorIs(t, err, ErrPrecision)
	worst := 0.0
	for i, rate := range s.Rates {
		require.Positive(t, rate)
		_, marginal := measureOne(refresh.FixedOrder{}, p.Pages.ChangeRates[i], 1, rate)
		if i > 0 {
			marginal *= 1 + by
		}
		worst = max(worst, math.Abs(marginal/s.Multiplier-1))
	}
	assert.Greater(t, worst, 0.49*by) // no multiplier is nearer to both
	assert.InEpsilon(t, worst, s.Residual, 1e-6)
}

// Where the marginal value of the best rate is below all float64, the rates are finite and keep
// to the bandwidth.
func TestMarginalValuesThatUnderflow(t *testing.T) {
	pages := refresh.Pages{ChangeRates: []float64{1e-100}, Weights: []float64{1e-100}}
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Age{}} {
		s, err := Optimize(context.Background(), refresh.Problem{Pages: pages, Objective: objective, Bandwidth: 1e100}, Settings{})
		require.ErrorIs(t, err, ErrPrecision)
		assert.True(t, s.Rates[0] >= 0 && s.Rates[0] <= 1e100, s.Rates)
		assert.False(t, math.IsNaN(s.Value) || math.IsNaN(s.Bound), "%v", objective)
	}
}
