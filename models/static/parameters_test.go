package static_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

func valid() static.Parameters {
	return static.Parameters{ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4, Buffer: 5}
}

func TestValidate(t *testing.T) {
	require.NoError(t, valid().Validate())
	slow, err := queue.NewDeterministic(2)
	require.NoError(t, err)
	exact, err := queue.NewExponential(1)
	require.NoError(t, err)
	constant, err := queue.NewDeterministic(1)
	require.NoError(t, err)
	for want, change := range map[string]func(*static.Parameters){
		"static: ArrivalRate: -1 is not valid: use a finite number above 0":  func(p *static.Parameters) { p.ArrivalRate = -1 },
		"static: ArrivalRate: 0 is not valid: use a finite number above 0":   func(p *static.Parameters) { p.ArrivalRate = 0 },
		"static: ServiceRate: NaN is not valid: use a finite number above 0": func(p *static.Parameters) { p.ServiceRate = math.NaN() },
		"static: StarvationWeight: +Inf is not valid: use a finite number above 0": func(p *static.Parameters) {
			p.StarvationWeight = math.Inf(1)
		},
		"static: Buffer: 1 is not valid: use a whole number from 2 to 1000000000": func(p *static.Parameters) { p.Buffer = 1 },
		"static: Buffer: 2000000 is not valid: use a whole number from 2 to 1000000": func(p *static.Parameters) {
			p.Buffer, p.Service = 2_000_000, constant
		},
		"static: Service: deterministic with mean 2 is not valid: use a law with mean 1/ServiceRate = 1": func(p *static.Parameters) {
			p.Service = slow
		},
		"static: Cost: Cost(7) is not valid: use loss-rate or loss-probability": func(p *static.Parameters) { p.Cost = 7 },
	} {
		p := valid()
		change(&p)
		require.EqualError(t, p.Validate(), want)
		var fault *static.ParameterError
		require.ErrorAs(t, p.Validate(), &fault)
		_, err := p.Optimize()
		require.EqualError(t, err, want)
		_, err = p.Evaluate(3)
		require.EqualError(t, err, want)
		assert.True(t, math.IsNaN(p.CostAt(1)))
		assert.True(t, math.IsNaN(p.OptimalLoad()))
		assert.True(t, math.IsNaN(p.CriticalWeight()))
	}
	p := valid()
	p.Service, p.Buffer = exact, 2_000_000
	require.NoError(t, p.Validate())
	_, err = valid().Evaluate(0)
	require.EqualError(t, err, "static: Robots: 0 is not valid: use a whole number of 1 or more")
	for _, rho := range []float64{-1, math.NaN(), math.Inf(1)} {
		assert.True(t, math.IsNaN(valid().CostAt(rho)))
	}
	assert.Equal(t, 1.4, valid().CostAt(0))
}

func TestExtremeRates(t *testing.T) {
	p := valid()
	p.ArrivalRate = 1e-300
	_, err := p.Optimize()
	require.ErrorContains(t, err, fmt.Sprintf("static: ArrivalRate: 1e-300 is not valid: use a rate at which at most %d robots", static.MaxRobots))
	p.Unlimited = true
	_, err = p.Optimize()
	require.Error(t, err)
	p.Unlimited = false
	p.ArrivalRate = 1e308
	_, err = p.Evaluate(2)
	require.ErrorContains(t, err, "static: ArrivalRate: 1e+308 is not valid: use a rate for which that of all robots is finite")
	result, err := p.Optimize()
	require.NoError(t, err)
	assert.Equal(t, 1, result.Robots)
	assert.Equal(t, 1e308, result.Cost)
	// 50 and 51 robots are best, but would bring more than 1.8e308 pages.
	p = static.Parameters{ArrivalRate: 1e308, ServiceRate: 1e300, StarvationWeight: 2.51e9, Buffer: 2, Cost: static.LossProbability}
	_, err = p.Optimize()
	require.ErrorContains(t, err, "of all robots is finite")
	// 1 robot is best and 2 are too many.
	p = static.Parameters{ArrivalRate: 1e308, ServiceRate: 1e300, StarvationWeight: 7.5e7, Buffer: 2, Cost: static.LossProbability}
	_, err = p.Optimize()
	require.ErrorContains(t, err, "of all robots is finite")
	_, err = static.Parameters{Unlimited: true}.Optimize()
	require.Error(t, err)
}

func TestResultAsJSON(t *testing.T) {
	result, err := valid().Optimize()
	require.NoError(t, err)
	text, err := json.Marshal(result)
	require.NoError(t, err)
	var keys map[string]float64
	require.NoError(t, json.Unmarshal(text, &keys))
	for _, key := range []string{"robots", "cost", "rho", "rho_optimal", "starvation", "loss_rate", "loss_probability", "gamma_critical"} {
		assert.Contains(t, keys, key)
	}
	assert.Len(t, keys, 8)
}

func TestNames(t *testing.T) {
	assert.Equal(t, "loss-rate", static.LossRate.String())
	assert.Equal(t, "loss-probability", static.LossProbability.String())
	for name, axis := range map[string]static.Axis{"gamma": static.OverWeight, "buffer": static.OverBuffer, "ratio": static.OverRatio} {
		assert.Equal(t, name, axis.String())
	}
	assert.Equal(t, "Axis(9)", static.Axis(9).String())
}
