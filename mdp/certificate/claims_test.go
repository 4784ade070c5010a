package certificate

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// repair is a machine that works (0), or is broken (1) and then waits or is
// repaired: for 3 a step, which succeeds with probability 1/2. Working earns 6,
// and the machine breaks with probability 1/4.
const repair = `{"kind": "mdp", "labels": {"broken": [1]}, "reward_models": ["profit", "steps"], "states": [
	{"rewards": [6, 1], "actions": [{"to": [[0, 0.75], [1, 0.25]]}]},
	{"rewards": [0, 1], "actions": [{"name": "wait", "to": [[1, 1]]}, {"name": "repair", "rewards": [-3, 0], "to": [[0, 0.5], [1, 0.5]]}]}]}`

// repairModel returns the model and its answer: of the time 2/3 it works, so it
// earns 6·2/3 − 3·1/3 = 3 a step.
func repairModel(t testing.TB) (*modelfile.Model, *Result) {
	t.Helper()
	m, err := modelfile.ReadJSON(strings.NewReader(repair), "repair.json", modelfile.Options{})
	require.NoError(t, err)
	return m, &Result{
		Question: question.Question{Criterion: "average", Sense: "maximize", Reward: "profit"}, Status: "converged", Tolerance: new(1e-9),
		Value: 3, Values: []float64{3, 3}, Lower: []float64{3, 3}, Upper: []float64{3, 3}, Policy: []int32{0, 1},
		Classification: "unichain", Aperiodic: new(true),
		Certificate: repairCertificate(3, 12, 0, []int32{0, 1}),
	}
}

// repairCertificate returns a gain and two values that prove it on both sides, by a
// policy.
func repairCertificate(gain, works, broken float64, policy []int32) *Certificate {
	w := Witness{Gain: Vector{High: []float64{gain}}, Value: Vector{High: []float64{works, broken}}}
	return &Certificate{Lower: w, Upper: w, Policy: policy}
}

func TestClaims(t *testing.T) {
	findings := func(r *Report) map[string]Finding {
		return map[string]Finding{
			"bounds": r.Bounds, "values": r.Values, "policy": r.Policy, "status": r.Status, "classification": r.Classification,
		}
	}
	for _, test := range []struct {
		name  string
		spoil func(m *modelfile.Model, r *Result)
		wrong map[string]string // the findings that are refuted, with their first fault
	}{
		{"nothing", func(*modelfile.Model, *Result) {}, nil},
		{"no classification", func(_ *modelfile.Model, r *Result) { r.Classification = "" }, nil},
		{"wide bounds", func(_ *modelfile.Model, r *Result) { r.Status, r.Lower[1] = "iteration-limit", math.Inf(-1) }, nil},
		{"lower bound", func(_ *modelfile.Model, r *Result) {
			r.Lower[1], r.Upper[1], r.Values[1] = 3.5, 3.5, 3.5
		}, map[string]string{
			"bounds": "state 1: lower bound 3.5 is refuted: the optimum is 3",
			"policy": "state 1: the claim that the policy achieves the bound 3.5 is refuted: the value of the policy is 3",
		}},
		{"upper bound", func(_ *modelfile.Model, r *Result) {
			r.Lower[0], r.Upper[0], r.Values[0], r.Value = 2.5, 2.5, 2.5, 2.5
		}, map[string]string{"bounds": "state 0: upper bound 2.5 is refuted: the optimum is 3"}},
		{"bounds the wrong way round", func(_ *modelfile.Model, r *Result) { r.Lower[0], r.Upper[0] = 4, 2 }, map[string]string{
			"bounds": "state 0: lower bound 4 is refuted: the optimum is 3",
			"values": "state 0: value 3 is refuted: the bounds are [4, 2]",
			"policy": "state 0: the claim that the policy achieves the bound 4 is refuted: the value of the policy is 3",
		}},
		{"value", func(_ *modelfile.Model, r *Result) { r.Values[1] = 3.1 }, map[string]string{
			"values": "state 1: value 3.1 is refuted: the bounds are 3",
		}},
		{"initial state", func(_ *modelfile.Model, r *Result) { r.Initial = 1 }, map[string]string{
			"values": "state 1: the claim that this state is initial is refuted: the model begins in [0]",
		}},
		{"worse policy", func(_ *modelfile.Model, r *Result) { r.Policy = []int32{0, 0} }, map[string]string{
			"policy": "state 0: the claim that the policy achieves the bound 3 is refuted: the value of the policy is 0",
		}},
		{"no such action", func(_ *modelfile.Model, r *Result) { r.Policy = []int32{7, 1} }, map[string]string{
			"policy": "state 0: action 7 is refuted: the actions are 0 … 0",
		}},
		{"gap", func(_ *modelfile.Model, r *Result) { r.Lower[0] = 2 }, map[string]string{
			"status": "state 0: status converged is refuted: the bounds are 1 apart, more than 1e-09 times the proved scale, 3",
		}},
		{"infinite gap", func(_ *modelfile.Model, r *Result) { r.Upper[0], r.Tolerance = math.Inf(1), nil }, map[string]string{
			"status": "state 0: status converged is refuted: the bounds are +Inf apart, more than 1e-09 times the proved scale, 3",
		}},
		{"class", func(_ *modelfile.Model, r *Result) { r.Classification = "communicating" }, map[string]string{
			"classification": "classification communicating is refuted: the model is unichain",
		}},
		{"period", func(_ *modelfile.Model, r *Result) { *r.Aperiodic = false }, map[string]string{
			"classification": "periodic is refuted: no maximal end component has a period",
		}},
		{"other reward", func(_ *modelfile.Model, r *Result) {
			r.Reward, r.Certificate = "steps", repairCertificate(1, 0, 0, []int32{0, 1})
		}, map[string]string{
			"bounds": "state 0: lower bound 3 is refuted: the optimum is 1",
			"policy": "state 0: the claim that the policy achieves the bound 3 is refuted: the value of the policy is 1",
		}},
		{"other sense", func(_ *modelfile.Model, r *Result) {
			r.Sense, r.Certificate = "minimize", repairCertificate(0, 24, 0, []int32{0, 0})
		}, map[string]string{
			"bounds": "state 0: lower bound 3 is refuted: the optimum is 0",
		}},
		{"other criterion", func(_ *modelfile.Model, r *Result) {
			r.Criterion, r.Horizon = "finite", new(1)
		}, map[string]string{
			"bounds": "state 0: upper bound 3 is refuted: the optimum is 6",
			"policy": "state 1: the claim that the policy achieves the bound 3 is refuted: the value of the policy is -3",
		}},
		{"value alone", func(_ *modelfile.Model, r *Result) {
			r.Lower, r.Upper, r.Values[1], r.Tolerance = nil, nil, 3.0001, new(1e-6)
		}, map[string]string{
			"values": "state 1: value 3.0001 within 1e-06 of the scale of the state is refuted: the optimum is 3",
		}},
		{"value alone, near enough", func(_ *modelfile.Model, r *Result) {
			r.Lower, r.Upper, r.Values[1], r.Tolerance = nil, nil, 3.000001, nil
		}, nil},
		{"policy alone", func(_ *modelfile.Model, r *Result) {
			r.Lower, r.Upper, r.Values, r.Value, r.Policy = nil, nil, nil, 0, []int32{0, 0}
		}, map[string]string{
			"policy": "state 0: the claim that the policy is optimal within 1e-09 of the scale of the state is refuted: the value of the policy is 0",
		}},
		{"nothing claimed", func(_ *modelfile.Model, r *Result) {
			r.Lower, r.Upper, r.Values, r.Value, r.Policy, r.Status = nil, nil, nil, 0, nil, ""
		}, nil},
		{"tolerance 0", func(_ *modelfile.Model, r *Result) {
			r.Lower[0], r.Tolerance = math.Nextafter(3, 0), new(0.0)
		}, map[string]string{
			"status": "state 0: status converged is refuted: the bounds are 4.441e-16 apart, more than 0 times the proved scale, 3",
		}},
		{"unknown tolerance", func(_ *modelfile.Model, r *Result) { r.Lower[0], r.Tolerance = math.Nextafter(3, 0), nil }, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, r := repairModel(t)
			test.spoil(m, r)
			// What a policy achieves that waits; where steps are paid, any policy is as good.
			options := Options{}
			if slices.Equal(r.Policy, []int32{0, 0}) {
				options.Achieved = repairCertificate(0, 24, 0, nil)
			}
			if test.name == "other sense" {
				options.Achieved = repairCertificate(3, 12, 0, nil)
			}
			report, err := Check(context.Background(), m, r, options)
			require.NoError(t, err)
			for name, f := range findings(report) {
				want, wrong := test.wrong[name]
				if !wrong {
					assert.Equal(t, Holds, f.Verdict, "%s: %v", name, f.Faults)
					assert.Empty(t, f.Faults)
					continue
				}
				assert.Equal(t, Refuted, f.Verdict, name)
				if assert.NotEmpty(t, f.Faults, name) {
					assert.Equal(t, want, f.Faults[0].String())
				}
			}
			assert.Equal(t, decide(test.wrong == nil), report.Verdict())
		})
	}
}

// What is no answer to a question about the model is an error.
func TestNoQuestion(t *testing.T) {
	for _, test := range []struct {
		spoil func(m *modelfile.Model, r *Result)
		want  string
	}{
		{func(_ *modelfile.Model, r *Result) {
			r.Values, r.Lower, r.Upper, r.Policy = r.Values[:1], r.Lower[:1], r.Upper[:1], r.Policy[:1]
			r.Certificate = nil
		}, "certificate: a result about 1 states does not fit the model, which has 2"},
		{func(_ *modelfile.Model, r *Result) { r.Lower = r.Lower[:1] }, "lower"},
		{func(_ *modelfile.Model, r *Result) { r.Reward = "" }, "several"},
		{func(_ *modelfile.Model, r *Result) { r.Reward = "loss" }, `"loss"`},
		{func(_ *modelfile.Model, r *Result) { r.Criterion, r.Target = "total", "whole" }, `"whole"`},
		{func(_ *modelfile.Model, r *Result) { r.Criterion, r.Discount = "discounted", new(1.0) }, "certificate: discount 1 is not valid"},
		{func(_ *modelfile.Model, r *Result) { r.Criterion = "best" }, `"best"`},
		{func(_ *modelfile.Model, r *Result) { r.Criterion, r.Horizon = "finite", new(1<<31-1) }, "a horizon of 2147483647 steps is too long to go through: use at most 10000000"},
		{func(_ *modelfile.Model, r *Result) { r.Values[1] = math.NaN() }, "NaN"},
		{func(m *modelfile.Model, _ *Result) { m.Values.Float[0] = 2 }, "state 0"},
		{func(_ *modelfile.Model, r *Result) { r.Certificate.Policy = []int32{0} }, "certificate: policy"},
	} {
		m, r := repairModel(t)
		test.spoil(m, r)
		report, err := Check(context.Background(), m, r, Options{})
		assert.Nil(t, report)
		require.Error(t, err)
		assert.Contains(t, err.Error(), test.want)
	}
	m, r := repairModel(t)
	assert.PanicsWithValue(t, "certificate: Check without a model or a result", func() { _, _ = Check(context.Background(), nil, r, Options{}) })
	_, err := Check(context.Background(), m, r, Options{Achieved: &Certificate{Policy: []int32{0}}})
	assert.ErrorContains(t, err, "certificate: policy")
}

func TestFiniteHorizonNeedsSteps(t *testing.T) {
	const text = `{"kind": "ctmc", "reward_models": ["r"], "states": [{"rewards": [0], "actions": [{"to": [[0, 1]]}]}]}`
	m, err := modelfile.ReadJSON(strings.NewReader(text), "clock.json", modelfile.Options{})
	require.NoError(t, err)
	zero := []float64{0}
	_, err = Check(context.Background(), m, &Result{
		Question: question.Question{Criterion: "finite", Sense: "minimize", Horizon: new(3)}, Status: "converged", Values: zero, Lower: zero, Upper: zero, Policy: []int32{0},
	}, Options{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "CTMC")
}

// A check that is stopped, or has no certificate, says what it has, which is no
// success.
func TestEarlyEnd(t *testing.T) {
	m, r := repairModel(t)
	r.Certificate = nil
	report, err := Check(context.Background(), m, r, Options{})
	require.NoError(t, err)
	assert.Equal(t, Undecided, report.Verdict())
	assert.Equal(t, Undecided, report.Bounds.Verdict)
	assert.Equal(t, Holds, report.Status.Verdict)
	assert.Equal(t, Holds, report.Classification.Verdict)
	assert.Equal(t, Interval{math.Inf(-1), math.Inf(1)}, report.Optimum[0])
	assert.EqualError(t, report.Reason, "there is no certificate")
	assert.Equal(t, "state 0: lower bound 3 is undecided: the optimum lies in [-Inf, +Inf]", report.Bounds.Faults[0].String())

	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for _, criterion := range []string{"average", "finite"} {
		m, r = repairModel(t)
		r.Criterion, r.Horizon = criterion, new(10_000_000)
		report, err = Check(ctx, m, r, Options{})
		require.ErrorIs(t, err, cause)
		assert.Equal(t, Undecided, report.Bounds.Verdict)
		assert.Equal(t, cause, report.Reason)
	}

	// An inequality that fails is named.
	m, r = repairModel(t)
	r.Certificate.Upper.Value.High = []float64{12, 1}
	report, err = Check(context.Background(), m, r, Options{})
	require.NoError(t, err)
	assert.EqualError(t, report.Reason, "the upper side of the certificate fails in state 0, action 0")
}

// Long lists of faults are cut, and those that are refuted come first.
func TestManyFaults(t *testing.T) {
	f := Finding{Verdict: Holds}
	for s := range 3 * MaxFaults {
		v := Undecided
		if s%3 == 2 {
			v = Refuted
		}
		f.add(v, s, unproved, "proof", "claim %d", s)
		f.add(Holds, s, unproved, "proof", "claim %d", s)
	}
	assert.Equal(t, Refuted, f.Verdict)
	assert.Equal(t, MaxFaults, f.Refuted)
	assert.Equal(t, 2*MaxFaults, f.Undecided)
	require.Len(t, f.Faults, 2*MaxFaults)
	assert.Equal(t, 2, f.Faults[0].State)
	assert.Equal(t, Refuted, f.Faults[MaxFaults-1].Verdict)
	assert.Equal(t, 0, f.Faults[MaxFaults].State)
	assert.Equal(t, Undecided, f.Faults[MaxFaults].Verdict)
}
