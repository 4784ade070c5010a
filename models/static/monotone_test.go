package static_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/static"
)

// rounding is more than the difference of two computed loads whose exact values are equal.
const rounding = 1e-14

// TestLoadRisesWithWeight is Proposition 2 of the paper: ρ*(γ,K) is
// nondecreasing in γ and tends to infinity; so is N(γ,K).
func TestLoadRisesWithWeight(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 60 {
		p := static.Parameters{
			ArrivalRate: math.Exp(random.NormFloat64() - 1), ServiceRate: math.Exp(random.NormFloat64()),
			Buffer: 2 + random.IntN(60), Cost: static.Cost(random.IntN(2)),
		}
		load, robots := 0.0, 0
		for weight := 1e-8; weight < 1e12 && robots < static.MaxRobots/1000; weight *= 1 + 3*random.Float64() {
			p.StarvationWeight = weight
			result, err := p.Optimize()
			require.NoError(t, err)
			assert.GreaterOrEqual(t, result.OptimalLoad, load*(1-rounding), "%+v", p)
			assert.GreaterOrEqual(t, result.Robots, robots, "%+v", p)
			load, robots = result.OptimalLoad, result.Robots
		}
		p.StarvationWeight = 1e300
		assert.Greater(t, p.OptimalLoad(), math.Pow(1e290, 1/float64(p.Buffer+1)))
	}
}

// TestLoadAgainstCriticalWeight is Lemma 1: ρ* is below, at or above 1 as γ is
// below, at or above γ(K).
func TestLoadAgainstCriticalWeight(t *testing.T) {
	for buffer := 2; buffer < 300; buffer += 7 {
		p := static.Parameters{ArrivalRate: 1, ServiceRate: 0.7, StarvationWeight: 1, Buffer: buffer}
		critical := p.CriticalWeight()
		for factor, want := range map[float64]int{0.5: -1, 1 - 1e-11: -1, 1: 0, 1 + 1e-11: 1, 3: 1} {
			p.StarvationWeight = critical * factor
			load := p.OptimalLoad()
			if want == 0 {
				assert.InDelta(t, 1, load, 2.3e-16)
			} else {
				assert.Equal(t, want > 0, load > 1, "K=%d, γ=%v: %v", buffer, p.StarvationWeight, load)
			}
		}
	}
}

// TestLoadAgainstBuffer is Lemmas 2 and 3, the first half of which the paper
// leaves unproved: in K, ρ* is nondecreasing for γ ≤ μ; for γ > μ it rises up
// to some K_0 and falls from there; it tends to 1.
func TestLoadAgainstBuffer(t *testing.T) {
	for _, weight := range []float64{1e-6, 0.1, 0.5, 0.999, 1, 1.001, 1.01, 1.2, 1.5, 2, 10, 1e3, 1e9} {
		p := static.Parameters{ArrivalRate: 1, ServiceRate: 1, StarvationWeight: weight, Buffer: 2}
		previous, falling := p.OptimalLoad(), false
		for p.Buffer = 3; p.Buffer <= 400; p.Buffer++ {
			load := p.OptimalLoad()
			if weight <= 1 || !falling {
				falling = load < previous*(1-rounding)
				assert.False(t, falling && weight <= 1, "K=%d, γ=%v", p.Buffer, weight)
			} else {
				assert.LessOrEqual(t, load, previous*(1+rounding), "K=%d, γ=%v", p.Buffer, weight)
			}
			previous = load
		}
		p.Buffer = 1_000_000
		assert.InDelta(t, 1, p.OptimalLoad(), 1e-3, "γ=%v", weight)
	}
}

// TestLimit: for large buffers the best number is that of the limit, and so is
// the cost.
func TestLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		p := static.Parameters{
			ArrivalRate: math.Exp(random.NormFloat64() - 2), ServiceRate: math.Exp(random.NormFloat64()),
			StarvationWeight: math.Exp(random.NormFloat64()), Buffer: 1_000_000, Cost: static.Cost(random.IntN(2)),
		}
		result, err := p.Optimize()
		require.NoError(t, err)
		p.Unlimited = true
		limit, err := p.Optimize()
		require.NoError(t, err)
		assert.Equal(t, 1.0, limit.OptimalLoad)
		assert.InEpsilon(t, result.CriticalWeight, limit.CriticalWeight, 1e-5)
		assert.InEpsilon(t, limit.Cost, p.CostAt(limit.Load)+1e-300, 1e-12)
		assert.InDelta(t, result.Cost, limit.Cost, 1e-5*(p.StarvationWeight+p.ServiceRate), "%+v", p)
		if limit.Cost > 1e-3 {
			assert.Equal(t, result.Robots, limit.Robots, "%+v", p)
			assert.Equal(t, result.Load, limit.Load)
		}
	}
}

func TestLimitByHand(t *testing.T) {
	for _, c := range []struct {
		lambda, gamma float64
		cost          static.Cost
		robots        int
		want          float64
	}{
		{0.4, 1, static.LossRate, 2, 0.2},              // ρ = 0.8 or 1.2: a tie
		{0.4, 1.1, static.LossRate, 3, 0.2},            // 0.22 against 0.2
		{0.4, 0.9, static.LossProbability, 3, 1.0 / 6}, // 0.18 against 1/6
		{0.4, 0.8, static.LossProbability, 2, 0.16},
		{0.1, 3, static.LossRate, 10, 0},
		{1.5, 9, static.LossRate, 1, 0.5},
		{8, 0.1, static.LossRate, 1, 7}, // one robot at least
	} {
		p := static.Parameters{ArrivalRate: c.lambda, ServiceRate: 1, StarvationWeight: c.gamma, Cost: c.cost}
		p.Unlimited = true
		limit, err := p.Optimize()
		require.NoError(t, err)
		assert.Equal(t, c.robots, limit.Robots, "%+v", p)
		assert.InDelta(t, c.want, limit.Cost, 1e-15)
	}
}
