package robots_test

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// What a solve knows that ends at once is the best fixed number of robots. Its bounds
// hold for the parameters as fractions, which float64 does not have: the cost of n
// robots is summed up in rational numbers.
func TestEarlyEndIsTheBestFixedNumber(t *testing.T) {
	for _, test := range []struct {
		robots, buffer     int
		lambda, mu, weight string
	}{
		{16, 5, "1/10", "1", "7/5"},
		{3, 60, "1/7", "1/3", "1/1000"},
		{40, 200, "1/30", "3/2", "20"},
		{100, 50, "1/3", "100/7", "1/3"},
		{1, 2, "1/3", "1/7", "1000"},
	} {
		lambda, mu, weight := rational(t, test.lambda), rational(t, test.mu), rational(t, test.weight)
		p := robots.Parameters{Robots: test.robots, Buffer: test.buffer}
		p.ArrivalRate, _ = lambda.Float64()
		p.ServiceRate, _ = mu.Float64()
		p.StarvationWeight, _ = weight.Float64()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s, err := robots.Solve(ctx, p, mdp.Settings{})
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, mdp.Interrupted, s.Status)
		fixed, err := p.BestStatic(context.Background(), robots.Limit{})
		require.NoError(t, err)

		rate := new(big.Rat).Mul(lambda, big.NewRat(int64(fixed.Robots[0]), 1))
		rho := new(big.Rat).Quo(rate, mu)
		power, sum := big.NewRat(1, 1), big.NewRat(1, 1)
		for range test.buffer {
			power.Mul(power, rho)
			sum.Add(sum, power)
		}
		cost := new(big.Rat).Add(weight, power.Mul(power, rate))
		cost.Quo(cost, sum)
		upper := new(big.Rat).SetFloat64(s.Upper)
		assert.GreaterOrEqual(t, upper.Cmp(cost), 0, "%+v", test)
		assert.LessOrEqual(t, upper.Cmp(cost.Mul(cost, rational(t, "1.0000000000002"))), 0, "%+v", test)

		// The policy costs at most what the best fixed number of robots does.
		require.NotNil(t, s.Measures)
		assert.LessOrEqual(t, s.Measures.Gain, fixed.Cost)
		assert.LessOrEqual(t, s.Lower, s.Gain)
		assert.LessOrEqual(t, s.Gain, s.Upper)
		if s.Measures.Gain == fixed.Cost {
			static, err := robots.NewStaticPolicy(p, fixed.Robots...)
			require.NoError(t, err)
			assert.Equal(t, static, s.Policy)
			measures, err := robots.Measure(context.Background(), s.Policy)
			require.NoError(t, err)
			assert.InEpsilon(t, measures.Gain, s.Measures.Gain, 1e-12)
			assert.InEpsilon(t, measures.LossRate, s.Measures.LossRate, 1e-12)
			assert.InEpsilon(t, measures.PagesMean, s.Measures.PagesMean, 1e-12)
			assert.InEpsilon(t, measures.RobotsMean, s.Measures.RobotsMean, 1e-12)
			assert.Equal(t, []int{measures.RobotsMin, measures.RobotsMax}, []int{s.Measures.RobotsMin, s.Measures.RobotsMax})
		}
	}
}

// Where a sweep takes a tenth of a second and elimination half a minute, a solve ends
// soon all the same: the limit is generous, for machines that do other things.
func TestEndsSoonAfterItsTime(t *testing.T) {
	if testing.Short() {
		t.Skip("a model of two million states")
	}
	p := robots.Parameters{Robots: 2000, Buffer: 1000, ArrivalRate: 1.0 / 2000, ServiceRate: 1, StarvationWeight: 1.4}
	for _, method := range []mdp.Method{0, mdp.RelativeValueIteration} {
		const limit = 2 * time.Second
		begin := time.Now()
		s, err := robots.Solve(context.Background(), p, mdp.Settings{Method: method, TimeLimit: limit})
		require.ErrorIs(t, err, mdp.ErrTimeLimit)
		assert.Less(t, time.Since(begin), limit+15*time.Second)
		fixed, err := p.BestStatic(context.Background(), robots.Limit{})
		require.NoError(t, err)
		assert.LessOrEqual(t, s.Upper, fixed.Cost*(1+1e-9))
		assert.LessOrEqual(t, s.Gain, s.Upper)
	}
}

// Forecasts against what programs of this size were seen to take, in MB: those of the
// plain process are at most twice that. (Measured with mdpsolve robots solve; a test of
// the command measures again.)
func TestForecastsOfMemory(t *testing.T) {
	for _, test := range []struct {
		robots, buffer        int
		byRVI, byAuto, factor float64
	}{
		{400, 200, 95.1, 149.8, 2},
		{1000, 200, 196.5, 364.7, 2},
		{1000, 1000, 1192, 1854, 2},
		{2000, 2000, 4951, 6232, 2},
	} {
		p := robots.Parameters{Robots: test.robots, Buffer: test.buffer, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
		for method, seen := range map[mdp.Method]float64{mdp.RelativeValueIteration: test.byRVI, 0: test.byAuto} {
			forecast, err := p.SolveBytes(method)
			require.NoError(t, err)
			forecast /= 1e6
			assert.GreaterOrEqual(t, forecast, seen, "%+v", test)
			assert.LessOrEqual(t, forecast, test.factor*seen, "%+v", test)
		}
	}
}

// Where services go on in one of many phases, what programs were seen to take, in MB, is
// not above the forecast, and not below a quarter of it.
func TestForecastsOfMemoryWithManyPhases(t *testing.T) {
	for _, test := range []struct {
		phases, robots, buffer int
		seen                   float64
	}{
		{10, 20, 20, 61},
		{10, 60, 10, 74},
		{10, 10, 60, 83},
		{30, 20, 20, 651},
		{30, 60, 10, 746},
		{30, 10, 60, 1028},
		{100, 20, 20, 491}, // in the first 15 seconds, as the next
		{200, 20, 20, 1611},
		{1000, 20, 5, 545},
	} {
		weights, means := make([]float64, test.phases), make([]float64, test.phases)
		for i := range means {
			weights[i], means[i] = 1/float64(test.phases), float64(i+1)
		}
		law, err := queue.NewHyperexponential(weights, means, 1)
		require.NoError(t, err)
		p := robots.Parameters{Robots: test.robots, Buffer: test.buffer, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1, Service: law}
		forecast, err := p.SolveBytes(0)
		require.NoError(t, err)
		forecast /= 1e6
		assert.GreaterOrEqual(t, forecast, test.seen, "%+v", test)
		if test.phases <= 30 {
			assert.LessOrEqual(t, forecast, 4*test.seen, "%+v", test)
		}
	}
}
