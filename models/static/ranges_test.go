package static_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

// exactTie returns the γ at which n robots cost as much as n+1, in fractions.
func exactTie(lambda *big.Rat, buffer, n int) float64 {
	empty, loss := [2]*big.Rat{}, [2]*big.Rat{}
	for i := range 2 {
		arrivals := new(big.Rat).Mul(lambda, big.NewRat(int64(n+i), 1)) // = ρ, as μ = 1
		power, sum := big.NewRat(1, 1), big.NewRat(1, 1)
		for range buffer {
			power = new(big.Rat).Mul(power, arrivals)
			sum = new(big.Rat).Add(sum, power)
		}
		empty[i] = new(big.Rat).Inv(sum)
		loss[i] = new(big.Rat).Mul(arrivals, new(big.Rat).Quo(power, sum))
	}
	tie, _ := new(big.Rat).Quo(loss[1].Sub(loss[1], loss[0]), empty[0].Sub(empty[0], empty[1])).Float64()
	return tie
}

// The ends of the ranges of Figure 2, against fractions.
func TestRangesOverWeight(t *testing.T) {
	p := static.Parameters{ArrivalRate: 10. / 57, ServiceRate: 1, StarvationWeight: 1, Buffer: 10}
	ranges, err := p.Ranges(static.OverWeight, 0.1, 6, 100)
	require.NoError(t, err)
	require.Equal(t, 0.1, ranges[0].From)
	require.Equal(t, 6.0, ranges[len(ranges)-1].To)
	for i, r := range ranges[:len(ranges)-1] {
		assert.Equal(t, r.To, ranges[i+1].From)
		assert.Equal(t, r.Robots+1, ranges[i+1].Robots)
		assert.InEpsilon(t, exactTie(big.NewRat(10, 57), 10, r.Robots), r.To, 1e-13) // some digits go in the differences
	}
	assert.InDelta(t, 0.22205, ranges[0].To, 1e-5)
}

// For K → ∞, n robots and n+1 cost the same at μ/λ = (γn + μ(n+1))/(γ+μ), which is n + 1/2
// in Figure 5; where the loss probability is charged, x = μ/λ solves a quadratic equation.
func TestUnlimitedRanges(t *testing.T) {
	for _, p := range []static.Parameters{
		{ServiceRate: 1, StarvationWeight: 1},
		{ServiceRate: 2.5, StarvationWeight: 0.7},
		{ServiceRate: 1, StarvationWeight: 3, Cost: static.LossProbability},
	} {
		p.ArrivalRate, p.Buffer = 1, 2
		p.Unlimited = true
		ranges, err := p.Ranges(static.OverRatio, 0.5, 6, 100)
		require.NoError(t, err)
		require.Len(t, ranges, 6)
		for i, r := range ranges[:5] {
			n, gamma, mu := float64(i+1), p.StarvationWeight, p.ServiceRate
			want := (gamma*n + mu*(n+1)) / (gamma + mu)
			if p.Cost == static.LossProbability { // γ(1 − n/x) = 1 − x/(n+1)
				b := (n + 1) * (gamma - 1)
				want = (-b + math.Sqrt(b*b+4*gamma*n*(n+1))) / 2
			}
			assert.Equal(t, i+1, r.Robots)
			assert.InEpsilon(t, want, r.To, 1e-14)
		}
	}
	// N(γ,∞) changes once in γ, where γ(1 − nλ/μ) = (n+1)λ − μ.
	p := static.Parameters{ArrivalRate: 1 / 5.7, ServiceRate: 1, StarvationWeight: 1, Buffer: 2}
	p.Unlimited = true
	ranges, err := p.Ranges(static.OverWeight, 0.1, 6, 100)
	require.NoError(t, err)
	require.Len(t, ranges, 2)
	assert.InEpsilon(t, (6/5.7-1)/(1-5/5.7), ranges[0].To, 1e-14)
}

// On both sides of an end the best number is that of the range.
func TestRangesAgreeWithOptimize(t *testing.T) {
	law, err := queue.ParseLaw("erlang:3", 1, nil)
	require.NoError(t, err)
	for _, p := range []static.Parameters{
		{Buffer: 5}, {Buffer: 40}, {Buffer: 10, Cost: static.LossProbability}, {Buffer: 8, Service: law},
	} {
		p.ArrivalRate, p.ServiceRate, p.StarvationWeight = 0.15, 1, 1.3
		for _, axis := range []static.Axis{static.OverWeight, static.OverRatio} {
			ranges, err := p.Ranges(axis, 0.2, 9, 1000)
			require.NoError(t, err)
			require.Greater(t, len(ranges), 1)
			const aside = 1e-11 // far more than an end moves by rounding
			for _, r := range ranges {
				points, err := static.Sweep(p, axis, []float64{r.From * (1 + aside), (r.From + r.To) / 2, r.To * (1 - aside)})
				require.NoError(t, err)
				for _, point := range points {
					assert.Equal(t, r.Robots, point.Robots, "%v %v", axis, point.Value)
				}
			}
		}
	}
}

func TestRangesOfBadInput(t *testing.T) {
	p := static.Parameters{ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1, Buffer: 5}
	for _, test := range []struct {
		axis     static.Axis
		from, to float64
		most     int
		field    string
	}{
		{static.OverBuffer, 2, 5, 10, "Axis"},
		{static.OverWeight, 2, 1, 10, "Axis"},
		{static.OverWeight, 0, 1, 10, "StarvationWeight"},
		{static.OverRatio, 1, math.Inf(1), 10, "Ratio"},
		{static.OverRatio, 1, 100, 10, "To"},
	} {
		_, err := p.Ranges(test.axis, test.from, test.to, test.most)
		var fault *static.ParameterError
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, test.field, fault.Field)
	}
}
