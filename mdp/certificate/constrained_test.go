package certificate_test

import (
	"bytes"
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// TestCheckOfForgedLimits changes one claim, or one part of the proof, at a time.
func TestCheckOfForgedLimits(t *testing.T) {
	model, result := limited()
	verdict := func(change func(*certificate.Result)) certificate.Verdict {
		var file bytes.Buffer
		require.NoError(t, certificate.Write(&file, result))
		forged, err := certificate.Read(&file, "result.json")
		require.NoError(t, err)
		assert.Equal(t, result, forged)
		change(forged)
		report, err := certificate.Check(context.Background(), model, forged, certificate.Options{})
		require.NoError(t, err)
		return report.Verdict()
	}
	assert.Equal(t, certificate.Holds, verdict(func(*certificate.Result) {}))
	for name, change := range map[string]func(*certificate.Result){
		"a lower bound too high":       func(r *certificate.Result) { r.Value, r.ValueBounds[0], r.ValueBounds[1] = 1.6, 1.6, 1.6 },
		"an upper bound too low":       func(r *certificate.Result) { r.Value, r.ValueBounds[0], r.ValueBounds[1] = 1.4, 1.4, 1.4 },
		"a value outside":              func(r *certificate.Result) { r.Value = 2 },
		"a bound that is not kept":     func(r *certificate.Result) { r.Constraints[0].Bound.SetFloat64(1.5) },
		"a value of a limit":           func(r *certificate.Result) { r.Constraints[0].Value = 1.5 },
		"another multiplier":           func(r *certificate.Result) { r.Constraints[0].Multiplier = 1 },
		"another probability":          func(r *certificate.Result) { r.Mixture[0].Probabilities[1] = 0.2 },
		"another policy":               func(r *certificate.Result) { r.Mixture[0].Probabilities = []float64{1, 0, 1} },
		"no proof of the bound":        func(r *certificate.Result) { r.Certificate = &certificate.Certificate{} },
		"no proof of the values":       func(r *certificate.Result) { r.Mixture[0].Certificates[1] = nil },
		"no status, so no tolerance":   func(r *certificate.Result) { r.Status = ""; r.Constraints[0].Bound.SetFloat64(1.5) },
		"no mixture within the limits": func(r *certificate.Result) { r.Status = "precision-limit"; r.Constraints[0].Bound.SetFloat64(1.5) },
		"bounds far apart":             func(r *certificate.Result) { r.ValueBounds[0] = 1 },
	} {
		assert.NotEqual(t, certificate.Holds, verdict(change), name)
	}
}

// A mixture that keeps to its limits within the tolerance alone is not one of those over which the
// optimum is taken: it bounds the optimum on one side only, wherever such a limit stands.
func TestLimitsKeptWithinTheTolerance(t *testing.T) {
	model, result := limited()
	met, err := certificate.Check(context.Background(), model, result, certificate.Options{})
	require.NoError(t, err)
	require.False(t, math.IsInf(met.Optimum[0].Upper, 1))
	limit := result.Constraints[0].Bound
	limit.Add(limit, big.NewRat(1, 1e11))
	near, err := certificate.Check(context.Background(), model, result, certificate.Options{})
	require.NoError(t, err)
	assert.Equal(t, certificate.Holds, near.Policy.Verdict)
	assert.True(t, math.IsInf(near.Optimum[0].Upper, 1))
}

// TestLimitsOutOfOrder has results that are not in order.
func TestLimitsOutOfOrder(t *testing.T) {
	for want, change := range map[string]func(*certificate.Result){
		"need constraints":     func(r *certificate.Result) { r.Constraints = nil },
		"no values":            func(r *certificate.Result) { r.Policy = []int32{0} },
		"needs value_bounds":   func(r *certificate.Result) { r.ValueBounds = nil },
		"the sense":            func(r *certificate.Result) { r.Constraints[0].Sense = "<" },
		"probabilities from 0": func(r *certificate.Result) { r.Mixture[0].Probabilities[0] = math.NaN() },
		"a weight above 0":     func(r *certificate.Result) { r.Mixture[0].Weight = math.Inf(1) },
		"2 certificates":       func(r *certificate.Result) { r.Mixture[0].Certificates = nil },
	} {
		_, result := limited()
		change(result)
		assert.ErrorContains(t, result.Validate(), want)
	}
	for want, change := range map[string]func(*certificate.Result){
		"mixture: probabilities: 1 weights are too few": func(r *certificate.Result) { r.Mixture[0].Probabilities = []float64{1} },
		"all weights of state 0 are 0":                  func(r *certificate.Result) { r.Mixture[0].Probabilities[0], r.Mixture[0].Probabilities[1] = 0, 0 },
		"state 1 of a result":                           func(r *certificate.Result) { r.Initial = 1 },
		"state 9 of a result":                           func(r *certificate.Result) { r.Initial = 9 },
		"neither one for each of 2":                     func(r *certificate.Result) { r.Mixture[0].Certificates[0].Lower.Value.High = []float64{1, 2, 3} },
	} {
		model, result := limited()
		change(result)
		_, err := certificate.Check(context.Background(), model, result, certificate.Options{})
		assert.ErrorContains(t, err, want)
	}
}
