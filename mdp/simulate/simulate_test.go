package simulate_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
)

// table is a model of four states with two actions each; the last one is absorbing, at no cost.
func table(t testing.TB, rate float64, absorbing bool) *mdp.Table {
	t.Helper()
	b := mdp.TableBuilder{Rate: rate}
	for s := range 3 {
		b.AddState()
		for a := range 2 {
			b.AddAction(float64(1 + s + 3*a))
			b.AddTransition(s, 0.25)
			b.AddTransition((s+1)%3, 0.5-0.25*float64(a))
			b.AddTransition(3, 0.25+0.25*float64(a))
		}
	}
	b.AddState()
	for range 2 {
		b.AddAction(0)
		if absorbing {
			b.AddTransition(3, 1)
		} else {
			b.AddTransition(0, 0.5)
			b.AddTransition(3, 0.5)
		}
	}
	made, err := b.Build()
	require.NoError(t, err)
	return made
}

func mixed(t testing.TB, model mdp.Explicit) mdp.Policy {
	t.Helper()
	policy, err := mdp.RandomizedPolicy(model, []float64{1, 2, 0, 1, 3, 1, 1, 1})
	require.NoError(t, err)
	return policy
}

// Intervals of 99.99% hold the value that mdp.Evaluate proves, for each criterion and kind of
// policy. Seeds are fixed, so that a failure is no accident.
func TestRunAgreesWithEvaluate(t *testing.T) {
	cycle, ending, timed := table(t, 1, false), table(t, 1, true), table(t, 2.5, false)
	some := mdp.Policy{Actions: []int32{1, 0, 1, 0}}
	bySteps := mdp.Policy{Steps: []mdp.Policy{some, {Actions: []int32{0, 1, 1, 1}}, mixed(t, cycle)}}
	terminal := []float64{8, 2, 4, 1}
	chain, err := mdp.Under(timed, some)
	require.NoError(t, err)
	only := mdp.Policy{Actions: make([]int32, 4)}
	for name, test := range map[string]struct {
		model     mdp.Explicit
		policy    mdp.Policy
		criterion mdp.Criterion
		settings  simulate.Settings
	}{
		"average":            {cycle, some, mdp.LongRunAverage{}, simulate.Settings{Horizon: 2000, WarmUp: 50, Replications: 20}},
		"average by batches": {cycle, mixed(t, cycle), mdp.LongRunAverage{}, simulate.Settings{Horizon: 40_000, WarmUp: 50, Replications: 1, Batches: 20}},
		"average in time":    {timed, mixed(t, timed), mdp.LongRunAverage{}, simulate.Settings{Horizon: 2000, WarmUp: 50, Replications: 20}},
		"discounted":         {cycle, mixed(t, cycle), mdp.Discounted{Discount: 0.9}, simulate.Settings{Horizon: 400, Replications: 2000}},
		"total":              {ending, some, mdp.TotalCost{Target: []int32{3}}, simulate.Settings{Replications: 5000}},
		"finite":             {cycle, mixed(t, cycle), mdp.FiniteHorizon{Steps: 5, Terminal: terminal}, simulate.Settings{Replications: 5000}},
		"a policy by step":   {cycle, bySteps, mdp.FiniteHorizon{Steps: 3, Terminal: terminal, Discount: 0.8}, simulate.Settings{Replications: 5000}},
		"finite time":        {chain, only, mdp.TimeHorizon{Time: 1.7, Terminal: terminal}, simulate.Settings{Replications: 5000}},
	} {
		t.Run(name, func(t *testing.T) {
			exact, err := mdp.Evaluate(t.Context(), test.model, test.policy, test.criterion, mdp.Settings{})
			require.NoError(t, err)
			test.settings.Seed, test.settings.Confidence, test.settings.State = 3, 0.9999, 1
			found, err := simulate.Run(t.Context(), simulate.Of(test.model), test.policy, test.criterion, test.settings)
			require.NoError(t, err)
			value := exact.Optimum(1)
			assert.True(t, found.Value.Contains(value), "%v, not %v", found.Value, value)
			assert.Less(t, found.Value.HalfWidth, 0.1*math.Abs(value))
			assert.Equal(t, test.settings.Replications == 1, found.ByBatch)
			test.settings.Workers = 3
			again, err := simulate.Run(t.Context(), simulate.Of(test.model), test.policy, test.criterion, test.settings)
			require.NoError(t, err)
			assert.Equal(t, found, again)
		})
	}
}

// In continuous time a choice lasts until its end, also from one batch to the next: half of the
// stays in state 0 take 1 on average, and half 1/10; those in state 1 take 1. Each visit to state 1
// earns 2, half of those to state 0 earn 3 at their end, and the way back earns 5.
func TestContinuousTime(t *testing.T) {
	process := &simulate.Process{
		StateStart: []int32{0, 2, 3}, RowStart: []int32{0, 1, 2, 3}, Columns: []int32{1, 1, 0}, Weights: []float64{7, 1, 2},
		Exits: []float64{1, 10, 1}, Rates: []float64{1, 1, 2}, Choices: []float64{0, 3, 0}, Transitions: []float64{0, 0, 5},
	}
	half := big.NewRat(1, 2)
	policy := mdp.Policy{Start: []int32{0, 2, 3}, Actions: []int32{0, 1, 0}, Probabilities: []*big.Rat{half, half, nil}}
	found, err := simulate.Run(t.Context(), process, policy, mdp.LongRunAverage{},
		simulate.Settings{Horizon: 500, Batches: 5000, WarmUp: 10, Replications: 100, Seed: 1, Confidence: 0.9999})
	require.NoError(t, err)
	value := (0.55 + 2 + 0.5*3 + 5) / 1.55
	assert.True(t, found.Value.Contains(value), "%v, not %v", found.Value, value)
	assert.Less(t, found.Value.HalfWidth, 0.02*value)
}

func TestRunRefuses(t *testing.T) {
	cycle, timed := table(t, 1, false), table(t, 2, false)
	some := mdp.Policy{Actions: make([]int32, 4)}
	good := simulate.Settings{Horizon: 5, Replications: 2, Confidence: 0.9}
	run := func(model mdp.Explicit, policy mdp.Policy, criterion mdp.Criterion, change func(s *simulate.Settings)) error {
		settings := good
		if change != nil {
			change(&settings)
		}
		_, err := simulate.Run(t.Context(), simulate.Of(model), policy, criterion, settings)
		return err
	}
	average := mdp.LongRunAverage{}
	require.NoError(t, run(cycle, some, average, nil))
	for _, change := range []func(s *simulate.Settings){
		func(s *simulate.Settings) { s.State = 4 },
		func(s *simulate.Settings) { s.Replications = 0 },
		func(s *simulate.Settings) { s.Confidence = 1 },
		func(s *simulate.Settings) { s.Horizon = 0 },
		func(s *simulate.Settings) { s.WarmUp = math.NaN() },
	} {
		assert.ErrorContains(t, run(cycle, some, average, change), "not valid: use")
	}
	assert.ErrorContains(t, run(cycle, some, mdp.Discounted{}, func(s *simulate.Settings) { s.Horizon = math.Inf(1) }), "not valid: use")
	assert.ErrorContains(t, run(cycle, some, mdp.TotalCost{Target: []int32{4}}, nil), "target 4 is not valid: use 0 … 3")
	assert.ErrorContains(t, run(cycle, some, mdp.FiniteHorizon{Steps: 1, Terminal: []float64{1}}, nil), "1 states are not valid for 4")
	_, err := simulate.Run(t.Context(), &simulate.Process{StateStart: []int32{0, 1}, RowStart: []int32{0, 1}, Columns: []int32{0}}, some, average, good)
	assert.ErrorContains(t, err, "do not fit")
	assert.ErrorContains(t, run(cycle, mdp.Policy{Actions: []int32{0}}, average, nil), "a policy for 1 states does not fit")
	assert.ErrorContains(t, run(cycle, mdp.Policy{Actions: []int32{0, 0, 2, 0}}, average, nil), "action 2 of state 2")
	steps := mdp.Policy{Steps: []mdp.Policy{some}}
	for _, err := range []error{
		run(cycle, some, mdp.TotalCost{}, nil),
		run(cycle, some, mdp.TimeHorizon{Time: 1}, nil),
		run(timed, some, mdp.Discounted{Discount: 0.5}, nil),
		run(cycle, steps, average, nil),
		run(cycle, steps, mdp.FiniteHorizon{Steps: 2}, nil),
	} {
		assert.ErrorIs(t, err, mdp.ErrUnsupported)
	}
}

func TestRunInterrupted(t *testing.T) {
	cycle := simulate.Of(table(t, 1, false))
	some, stop := mdp.Policy{Actions: make([]int32, 4)}, errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := 0
	settings := simulate.Settings{Horizon: 200_000, Replications: 10, Confidence: 0.9, Workers: 1, Done: func() {
		if ended++; ended == 4 {
			cancel(stop)
		}
	}}
	found, err := simulate.Run(ctx, cycle, some, mdp.LongRunAverage{}, settings)
	require.ErrorIs(t, err, stop)
	assert.Equal(t, 4, found.Replications)
	assert.Len(t, found.Observations, 4)
	found, err = simulate.Run(ctx, cycle, some, mdp.LongRunAverage{}, settings)
	require.ErrorIs(t, err, stop)
	assert.Nil(t, found)
}

// Discounted at rate α, a machine that works for 10 hours on average, and then costs 7, and 2 an
// hour until it is repaired after 2 hours on average, costs
//
//	v_0 = (7 + v_1)/10 / (α + 1/10)
//	v_1 = (2 + v_0/2) / (α + 1/2)
func TestRate(t *testing.T) {
	process := &simulate.Process{
		StateStart: []int32{0, 1, 2}, RowStart: []int32{0, 1, 2}, Columns: []int32{1, 0}, Weights: []float64{1, 1},
		Exits: []float64{1. / 10, 1. / 2}, Choices: []float64{7, 0}, Rates: []float64{0, 2},
	}
	const alpha = 0.25
	settings := simulate.Settings{Rate: alpha, Horizon: 80, Replications: 50_000, Seed: 2, Confidence: 0.9999}
	found, err := simulate.Run(t.Context(), process, mdp.Policy{Actions: []int32{0, 0}}, mdp.Discounted{}, settings)
	require.NoError(t, err)
	want := (7 + 2/(alpha+0.5)) / 10 / (alpha + 0.1 - 0.05/(alpha+0.5))
	assert.True(t, found.Value.Contains(want), "%v, not %v", want, found.Value)
	assert.Less(t, found.Value.HalfWidth, 0.1)
	settings.Rate = 0
	_, err = simulate.Run(t.Context(), process, mdp.Policy{Actions: []int32{0, 0}}, mdp.Discounted{Discount: 0.5}, settings)
	assert.ErrorIs(t, err, mdp.ErrUnsupported)
}

// What is asked of a simulation must make sense in itself.
func TestRefusedSimulations(t *testing.T) {
	p := &simulate.Process{StateStart: []int32{0, 1}, RowStart: []int32{0, 1}, Columns: []int32{0}, Weights: []float64{1}, Rates: []float64{1}}
	only := mdp.Policy{Actions: []int32{0}}
	for want, run := range map[string]func() error{
		"whole numbers of steps": func() error {
			_, err := simulate.Run(t.Context(), p, only, mdp.LongRunAverage{}, simulate.Settings{Horizon: 1.5, Replications: 2, Confidence: 0.9})
			return err
		},
		"in 5 batches": func() error {
			_, err := simulate.Run(t.Context(), p, only, mdp.LongRunAverage{}, simulate.Settings{Horizon: 3, Batches: 5, Replications: 1, Confidence: 0.9})
			return err
		},
		"discount 2 is not valid": func() error {
			_, err := simulate.Run(t.Context(), p, only, mdp.Discounted{Discount: 2}, simulate.Settings{Horizon: 3, Replications: 2, Confidence: 0.9})
			return err
		},
		"-1 steps": func() error {
			_, err := simulate.Run(t.Context(), p, only, mdp.FiniteHorizon{Steps: -1}, simulate.Settings{Replications: 2, Confidence: 0.9})
			return err
		},
		"probabilities of state 0 sum to 0": func() error {
			_, err := simulate.Run(t.Context(), p, mdp.Policy{Start: []int32{0, 0}}, mdp.FiniteHorizon{Steps: 1}, simulate.Settings{Replications: 2, Confidence: 0.9})
			return err
		},
		"do not fit": func() error {
			wrong := *p
			wrong.Columns = []int32{1}
			_, err := simulate.Run(t.Context(), &wrong, only, mdp.FiniteHorizon{Steps: 1}, simulate.Settings{Replications: 2, Confidence: 0.9})
			return err
		},
	} {
		assert.ErrorContains(t, run(), want)
	}
}
