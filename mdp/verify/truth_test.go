package verify

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// truth is a question about a random model with its exact answer.
type truth struct {
	model  *mdpio.Model
	result *mdpio.Result
	oracle *exactModel
	values []valueOf
	target []bool
}

// randomTruth returns a random model, a random question about it and the exact
// answer; ok is false where no policy attains it.
func randomTruth(t testing.TB, random *rand.Rand) (x *truth, ok bool) {
	t.Helper()
	style := randomStyle(random)
	x = &truth{model: randomModel(t, random, style)}
	n := x.model.NumStates()
	r := &mdpio.Result{
		Criterion: criteria[random.IntN(len(criteria))], Sense: []string{"minimize", "maximize"}[random.IntN(2)],
		Status: "converged", Method: "oracle", Initial: int(x.model.Initial[0]),
	}
	if random.IntN(2) == 0 {
		r.Reward = "cost"
	}
	if r.Criterion == "finite" && x.model.Kind == mdpio.CTMC {
		r.Criterion = "average"
	}
	rewards, err := x.model.ExpectedRewards(r.Reward)
	require.NoError(t, err)
	x.oracle = newExactModel(x.model, rewards)
	switch r.Criterion {
	case "discounted":
		r.Discount = []float64{0.5, 0.9, 0.999, 1 - 0x1p-40}[random.IntN(4)]
	case "finite":
		r.Horizon = 1 + random.IntN(6)
	case "total":
		r.Target = "goal"
		x.target = make([]bool, n)
		for _, s := range x.model.Labels["goal"] {
			x.target[s] = true
		}
	}
	x.result = r
	t.Logf("%+v %s %s", style, r.Criterion, r.Sense)
	var policy []int32
	x.values, policy = x.best()
	if policy == nil {
		policy, ok = make([]int32, n), false
	} else {
		ok = true
	}
	r.Policy = policy
	r.Lower, r.Upper, r.Values = make([]float64, n), make([]float64, n), make([]float64, n)
	for s, v := range x.values {
		r.Lower[s], r.Upper[s] = v.float()
		r.Values[s] = r.Lower[s]
		if v.Rat != nil {
			r.Values[s], _ = v.Float64()
		}
	}
	r.Value = r.Values[r.Initial]
	return x, ok
}

// maximize reports whether the most is asked for.
func (x *truth) maximize() bool { return x.result.Sense == "maximize" }

// best returns the exact answer.
func (x *truth) best() (values []valueOf, policy []int32) {
	r := x.result
	switch r.Criterion {
	case "average":
		return x.oracle.best(x.maximize(), x.oracle.average)
	case "discounted":
		return x.oracle.best(x.maximize(), x.evaluate)
	case "total":
		return x.oracle.bestTotal(x.target, x.maximize())
	default:
		return x.oracle.best(x.maximize(), x.evaluate)
	}
}

// evaluate returns what a policy achieves.
func (x *truth) evaluate(policy []int32) []valueOf {
	r := x.result
	switch r.Criterion {
	case "average":
		return x.oracle.average(policy)
	case "discounted":
		uniformization := big.NewRat(1, 1)
		if x.model.Kind == mdpio.CTMC {
			arrays, err := x.model.TableArrays(r.Reward)
			if err != nil {
				panic(err)
			}
			uniformization.SetFloat64(arrays.Rate)
		}
		return x.oracle.discounted(new(big.Rat).SetFloat64(r.Discount), uniformization)(policy)
	case "total":
		return x.oracle.total(x.target)(policy)
	default:
		return x.oracle.horizon(r.Horizon, x.maximize(), policy)
	}
}

// criteria are the words for the criteria.
var criteria = []string{"average", "discounted", "total", "finite"}

// check calls Check, which must not fail.
func (x *truth) check(t testing.TB) *Report {
	t.Helper()
	report, err := Check(context.Background(), x.model, x.result, Options{})
	require.NoError(t, err)
	return report
}

// setExact adds the exact values to the result.
func (x *truth) setExact() {
	x.result.Exact = make([]*big.Rat, len(x.values))
	for s, v := range x.values {
		x.result.Exact[s] = v.Rat
	}
}
