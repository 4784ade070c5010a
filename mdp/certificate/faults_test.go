package certificate

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

func readModel(t *testing.T, text string) *modelfile.Model {
	t.Helper()
	m, err := modelfile.ReadJSON(strings.NewReader(text), "model.json", modelfile.Options{Exact: true})
	require.NoError(t, err)
	return m
}

func checked(t *testing.T, m *modelfile.Model, r *Result) *Report {
	t.Helper()
	report, err := Check(context.Background(), m, r, Options{})
	require.NoError(t, err)
	return report
}

// A cycle that earns something, however little, is gone round for ever: −Inf is the
// optimum, which no policy achieves.
func TestTotalOfMinusInfinity(t *testing.T) {
	m := readModel(t, `{"kind": "mdp", "labels": {"out": [2]}, "reward_models": ["cost"], "states": [
		{"actions": [{"rewards": [1], "to": [[1, 1]]}]},
		{"actions": [{"rewards": ["-1000000000000000001/1000000000000000000"], "to": [[0, 1]]}, {"rewards": [5], "to": [[2, 1]]}]},
		{"actions": [{"to": [[2, 1]]}]}]}`)
	low := math.Inf(-1)
	value := Vector{High: []float64{low, low, 0}}
	r := &Result{
		Question: question.Question{Criterion: "total", Sense: "minimize", Target: "out"}, Status: "converged",
		Value: low, Values: value.High, Lower: value.High, Upper: value.High, Policy: []int32{0, 0, 0},
		Certificate: &Certificate{
			Lower: Witness{Value: value}, Upper: Witness{Value: value},
			Cycle: &Cycle{Policy: []int32{0, 0, 0}, Value: Vector{High: []float64{1, 0, 0}}},
		},
	}
	// With x = (1, 0): 1 + 0 − 1 = 0 in state 0, −10⁻¹⁸ in state 1.
	report := checked(t, m, r)
	assert.Equal(t, Holds, report.Verdict(), "%v %v", report.Bounds.Faults, report.Policy.Faults)
	assert.Equal(t, 2, report.Policy.NotJudged)

	m.Rewards[0].Action.Exact[1], m.Rewards[0].Action.Float[1] = big.NewRat(-1, 1), -1 // nothing is left of it
	report = checked(t, m, r)
	assert.Equal(t, Undecided, report.Bounds.Verdict)
	six := Vector{High: []float64{6, 5, 0}}
	r.Certificate = &Certificate{Lower: Witness{Value: six}, Upper: Witness{Value: six}, Policy: []int32{0, 1, 0}}
	report = checked(t, m, r)
	assert.Equal(t, "state 0: upper bound -Inf is refuted: the optimum is 6", report.Bounds.Faults[0].String())
	assert.Zero(t, report.Policy.NotJudged)
}

// Bounds converge relative to what is proved of the magnitude of the value, which may be
// more than their own least magnitude.
func TestToleranceAboveOne(t *testing.T) {
	m := readModel(t, `{"kind": "dtmc", "reward_models": ["r"], "states": [{"rewards": ["5/4"], "actions": [{"to": [[0, 1]]}]}]}`)
	w := Witness{Gain: Vector{High: []float64{1.25}}}
	r := &Result{
		Question: question.Question{Criterion: "average", Sense: "minimize"}, Status: "converged", Tolerance: new(10.0), Value: 1.25, Values: []float64{1.25},
		Lower: []float64{-5}, Upper: []float64{1.25}, Policy: []int32{0}, Certificate: &Certificate{Lower: w, Upper: w},
	}
	assert.Equal(t, Holds, checked(t, m, r).Verdict()) // 6.25 ≤ 10·1.25
	r.Tolerance = new(4.5)
	report := checked(t, m, r)
	assert.Equal(t, Refuted, report.Status.Verdict)
	assert.Equal(t, "state 0: status converged is refuted: the bounds are 6.25 apart, more than 4.5 times the proved scale, 1.25", report.Status.Faults[0].String())
	r.Sense, r.Tolerance, r.Lower[0], r.Upper[0] = "maximize", new(10.0), 1.25, 7.5
	assert.Equal(t, Holds, checked(t, m, r).Verdict())
	m = readModel(t, `{"kind": "dtmc", "reward_models": ["r"], "states": [{"rewards": ["-5/4"], "actions": [{"to": [[0, 1]]}]}]}`)
	w = Witness{Gain: Vector{High: []float64{-1.25}}}
	r.Certificate = &Certificate{Lower: w, Upper: w}
	for _, r.Sense = range []string{"minimize", "maximize"} {
		r.Value, r.Values[0], r.Lower[0], r.Upper[0] = -1.25, -1.25, -1.25, 5
		assert.Equal(t, Holds, checked(t, m, r).Verdict(), r.Sense)
	}
}

// A result about a policy is judged for the chain of that policy, which it has or is given.
func TestEvaluatedResultsNeedThePolicy(t *testing.T) {
	m, r := repairModel(t)
	own := mdp.Policy{Actions: r.Policy}
	r.Evaluated, r.Certificate.Policy = true, nil
	assert.Equal(t, Holds, checked(t, m, r).Verdict())
	chain, err := m.Under(own)
	require.NoError(t, err)
	r.Policy = []int32{0, 0}
	assert.Equal(t, Holds, checked(t, chain, r).Verdict())
	r.Policy = nil
	_, err = Check(context.Background(), m, r, Options{})
	require.ErrorContains(t, err, "a result about one policy needs that policy, but has none")
	report, err := Check(context.Background(), m, r, Options{Policy: &own})
	require.NoError(t, err)
	assert.Equal(t, Holds, report.Verdict())
}

// A decimal discount factor is that decimal, and bounds are compared with the exact
// optimum: 1/(1 − 0.9) = 10, while in float64 it is 10.000000000000002.
func TestDecimalDiscounts(t *testing.T) {
	m := readModel(t, `{"kind": "dtmc", "reward_models": ["steps"], "states": [{"rewards": [1], "actions": [{"to": [[0, 1]]}]}]}`)
	ten := Witness{Value: Vector{High: []float64{10}}}
	r := &Result{
		Question: question.Question{Criterion: "discounted", Sense: "minimize", Discount: new(0.9)}, Status: "converged", Tolerance: new(0.0),
		Value: 10, Values: []float64{10}, Lower: []float64{10}, Upper: []float64{10},
		Exact: []*big.Rat{big.NewRat(10, 1)}, Policy: []int32{0}, Certificate: &Certificate{Lower: ten, Upper: ten},
	}
	assert.Equal(t, Holds, checked(t, m, r).Verdict())
	r.Exact[0] = big.NewRat(10*(1<<58)+1, 1<<58)
	assert.Equal(t, Refuted, checked(t, m, r).Values.Verdict)
	r.Exact[0] = big.NewRat(10, 1)
	r.Upper[0] = math.Nextafter(10, 0)
	report := checked(t, m, r)
	assert.Equal(t, Refuted, report.Bounds.Verdict)
	assert.Equal(t, Refuted, report.Values.Verdict)
	assert.Equal(t, 10.0, report.Bounds.Faults[0].Lower)

	r.Upper[0] = 10
	r.ExactDiscount = new(big.Rat).SetFloat64(0.9) // above 9/10: the optimum is above 10
	report = checked(t, m, r)
	assert.NotEqual(t, Holds, report.Bounds.Verdict)
}

// An interval around 0 has converged only where the absolute costs are as large.
func TestZeroBetweenTinyBounds(t *testing.T) {
	m := readModel(t, `{"kind": "dtmc", "reward_models": ["gain"], "states": [
		{"rewards": [1], "actions": [{"to": [[1, 1]]}]}, {"rewards": [-1], "actions": [{"to": [[0, 1]]}]}]}`)
	tiny := math.SmallestNonzeroFloat64
	w := Witness{Value: Vector{High: []float64{1, 0}}}
	r := &Result{
		Question: question.Question{Criterion: "average", Sense: "maximize"}, Status: "converged", Tolerance: new(1e-9), Values: []float64{0, 0},
		Lower: []float64{-tiny, -tiny}, Upper: []float64{tiny, tiny}, Policy: []int32{0, 0},
		Certificate: &Certificate{Lower: w, Upper: w, Scale: &Witness{Gain: Vector{High: []float64{1}}}},
	}
	assert.Equal(t, Holds, checked(t, m, r).Verdict())
	r.Certificate.Scale.Gain.High[0] = 1.5 // more than absolute rewards are
	report := checked(t, m, r)
	assert.Equal(t, Undecided, report.Status.Verdict)
	r.Lower[0] = -1
	assert.Equal(t, Refuted, checked(t, m, r).Status.Verdict)
}

// Discounted costs of 3 and −3 in turn come to 2 or −2, but their magnitudes to 6. Without
// proof of that a claim that only 6 makes true is undecided, and one beyond 6 refuted.
func TestStatusWithoutProofOfTheScale(t *testing.T) {
	m := readModel(t, `{"kind": "dtmc", "reward_models": ["gain"], "states": [
		{"rewards": [3], "actions": [{"to": [[1, 1]]}]}, {"rewards": [-3], "actions": [{"to": [[0, 1]]}]}]}`)
	w := Witness{Value: Vector{High: []float64{2, -2}}}
	r := &Result{
		Question: question.Question{Criterion: "discounted", Sense: "minimize", Discount: new(0.5)}, Status: "converged", Tolerance: new(0.5), Value: 2, Values: []float64{2, -2},
		Lower: []float64{1, -3}, Upper: []float64{3, -1}, Policy: []int32{0, 0}, Certificate: &Certificate{Lower: w, Upper: w},
	}
	assert.Equal(t, Undecided, checked(t, m, r).Status.Verdict)
	r.Certificate.Scale = &Witness{Value: Vector{High: []float64{6, 6}}}
	assert.Equal(t, Holds, checked(t, m, r).Status.Verdict)
	r.Tolerance, r.Certificate.Scale = new(0.3), nil
	assert.Equal(t, Refuted, checked(t, m, r).Status.Verdict)
}

// A certificate has to hold for every action of a state, the first of all among them: it
// costs 1 at each step, and so 2 in all, while the other makes 4.
func TestSideThatFailsInTheFirstAction(t *testing.T) {
	m := readModel(t, `{"kind": "mdp", "reward_models": ["cost"], "states": [
		{"actions": [{"rewards": [1], "to": [[0, 1]]}, {"rewards": [2], "to": [[0, 1]]}]}]}`)
	r := &Result{
		Question: question.Question{Criterion: "discounted", Sense: "minimize", Discount: new(0.5)}, Value: 4, Values: []float64{4},
		Lower: []float64{3}, Upper: []float64{4}, Policy: []int32{1},
		Certificate: &Certificate{Lower: Witness{Value: Vector{High: []float64{3}}}, Upper: Witness{Value: Vector{High: []float64{4}}}},
	}
	report := checked(t, m, r)
	assert.Equal(t, Undecided, report.Bounds.Verdict)
	require.ErrorContains(t, report.Reason, "the lower side of the certificate fails in state 0, action 0")
}

// A thousand exact steps of three states take no time, and ten million end with the
// context.
func TestLongHorizons(t *testing.T) {
	m := readModel(t, `{"kind": "mdp", "reward_models": ["cost"], "states": [
		{"actions": [{"rewards": ["1/3"], "to": [[0, 0.123456789], [1, 0.7], [2, 0.176543211]]}, {"rewards": [0.1], "to": [[1, 1]]}]},
		{"actions": [{"rewards": ["2/7"], "to": [[0, "1/3"], [2, "2/3"]]}]},
		{"actions": [{"rewards": [0.001], "to": [[0, "1/7"], [1, "6/7"]]}]}]}`)
	model, err := m.Exact("")
	require.NoError(t, err)
	answer, err := model.Finite(context.Background(), 0, exact.Horizon{Steps: 1000})
	require.NoError(t, err)
	r := &Result{Question: question.Question{Criterion: "finite", Sense: "minimize", Horizon: new(1000)}, Policy: answer.Policy}
	for _, v := range answer.Values {
		lower, upper := v.Bounds()
		r.Lower, r.Upper = append(r.Lower, lower), append(r.Upper, upper)
		r.Values, r.Exact = append(r.Values, v.Float64()), append(r.Exact, v.Rat())
	}
	r.Value = r.Values[0]
	start := time.Now()
	assert.Equal(t, Holds, checked(t, m, r).Verdict())
	assert.Less(t, time.Since(start), 5*time.Second) // it takes a tenth of a second, and took 13 s
	r.Exact[1] = new(big.Rat).Add(r.Exact[1], new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 50_000)))
	assert.Equal(t, Refuted, checked(t, m, r).Values.Verdict)

	// Beyond what integers can do, bounds of 20 digits remain.
	r.Exact, r.Horizon = nil, new(50_000)
	report := checked(t, m, r)
	i := report.Optimum[0]
	assert.LessOrEqual(t, i.Upper-i.Lower, i.Lower*0x1p-50)
	assert.InEpsilon(t, 50*r.Values[0], i.Lower, 0.01)

	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	r.Horizon = new(10_000_000)
	_, err = Check(ctx, m, r, Options{})
	require.ErrorIs(t, err, context.DeadlineExceeded)

	r.Horizon = new(0)
	r.Values, r.Value, r.Lower, r.Upper = nil, 0, []float64{0, 0, 0}, []float64{0, 0, 0}
	assert.Equal(t, Holds, checked(t, m, r).Verdict())
}

// Rows that do not sum to 1 in float64 are divided by their sum; a rare way out is
// not lost in a probability of staying.
func TestRowsAreNormalised(t *testing.T) {
	m := &modelfile.Model{
		Kind: modelfile.DTMC, StateStart: []int32{0, 1, 2}, RowStart: []int32{0, 2, 3}, Columns: []int32{0, 1, 1}, Initial: []int32{0},
		Values: modelfile.Numbers{Float: []float64{1, 1e-10, 1}}, Labels: map[string][]int32{"goal": {1}},
		Rewards: []modelfile.RewardModel{{Name: "steps", State: modelfile.Numbers{Float: []float64{1, 0}}}},
	}
	// 1/p = (1 + 10⁻¹⁰)/10⁻¹⁰, for the float64 10⁻¹⁰.
	p := new(big.Rat).SetFloat64(1e-10)
	want := new(big.Rat).Inv(p)
	want.Add(want, big.NewRat(1, 1))
	high, _ := want.Float64()
	w := Witness{Value: Vector{High: []float64{high, 0}, Exact: []*big.Rat{want, new(big.Rat)}}}
	r := &Result{
		Question: question.Question{Criterion: "total", Sense: "minimize", Target: "goal"}, Policy: []int32{0, 0},
		Values: []float64{high, 0}, Value: high, Exact: w.Value.Exact, Certificate: &Certificate{Lower: w, Upper: w},
	}
	assert.Equal(t, Holds, checked(t, m, r).Verdict())
}
