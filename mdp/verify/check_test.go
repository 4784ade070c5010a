package verify

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp"
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

// assertTight asserts that an interval holds a value, and goes at most one float64
// beyond those next to it: where the value is very near to one, it may. (Around 0
// it may go as far as products underflow.)
func assertTight(t *testing.T, v valueOf, i Interval) {
	t.Helper()
	lower, upper := v.float()
	assert.True(t, i.Lower <= lower && upper <= i.Upper, "%v not in %v", v, i)
	if !math.IsInf(lower, 0) {
		assert.GreaterOrEqual(t, i.Lower, math.Nextafter(lower, math.Inf(-1))-1e-300)
		assert.LessOrEqual(t, i.Upper, math.Nextafter(upper, math.Inf(1))+1e-300)
	}
}

// setExact adds the exact values to the result.
func (x *truth) setExact() {
	x.result.Exact = make([]*big.Rat, len(x.values))
	for s, v := range x.values {
		x.result.Exact[s] = v.Rat
	}
}

// Exact values hold, and are refuted where they are off by whatever little.
func TestExactValues(t *testing.T) {
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		x, _ := randomTruth(t, random)
		x.setExact()
		report := x.check(t)
		assert.Equal(t, Holds, report.Bounds.Verdict, "%v", report.Bounds.Faults)
		assert.Equal(t, Holds, report.Values.Verdict, "%v", report.Values.Faults)

		wrong := random.IntN(len(x.values))
		if x.values[wrong].Rat == nil {
			return
		}
		tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 1200))
		x.result.Exact[wrong] = tiny.Add(tiny, x.values[wrong].Rat)
		if nearest, _ := tiny.Float64(); nearest != x.result.Values[wrong] {
			return // Result.Validate says so
		}
		report = x.check(t)
		assert.Equal(t, Refuted, report.Values.Verdict)
		require.Len(t, report.Values.Faults, 1)
		assert.Equal(t, wrong, report.Values.Faults[0].State)
	})
}

// Exact bounds, rounded outward, hold.
func TestTrueBoundsHold(t *testing.T) {
	trials(t, 600, func(t *testing.T, random *rand.Rand) {
		x, attained := randomTruth(t, random)
		report := x.check(t)
		assert.Equal(t, Holds, report.Bounds.Verdict, "%v %v", report.Bounds.Faults, report.Reason)
		assert.Equal(t, Holds, report.Values.Verdict, "%v", report.Values.Faults)
		assert.Equal(t, Holds, report.Status.Verdict, "%v", report.Status.Faults)
		if attained {
			assert.Equal(t, Holds, report.Policy.Verdict, "%v %v", report.Policy.Faults, report.Reason)
		}
		for s, v := range x.values {
			assertTight(t, v, report.Optimum[s])
		}
	})
}

// Bounds on the wrong side by a hair are refuted, and no others.
func TestFalseBoundsAreRefuted(t *testing.T) {
	trials(t, 600, func(t *testing.T, random *rand.Rand) {
		x, _ := randomTruth(t, random)
		wrong := random.IntN(len(x.values))
		lower, upper := x.values[wrong].float()
		if math.IsInf(lower, 0) {
			return
		}
		const hair = 1e-12
		above := max(math.Nextafter(upper, math.Inf(1)), upper+hair*math.Abs(upper))
		below := min(math.Nextafter(lower, math.Inf(-1)), lower-hair*math.Abs(lower))
		if random.IntN(2) == 0 {
			x.result.Lower[wrong] = above
			x.result.Upper[wrong] = above
		} else {
			x.result.Lower[wrong] = below
			x.result.Upper[wrong] = below
		}
		x.result.Values[wrong] = x.result.Lower[wrong]
		x.result.Value = x.result.Values[x.result.Initial]
		report := x.check(t)
		assert.Equal(t, Refuted, report.Verdict())
		assert.Equal(t, Refuted, report.Bounds.Verdict)
		require.Len(t, report.Bounds.Faults, 1)
		assert.Equal(t, wrong, report.Bounds.Faults[0].State)
		assert.Equal(t, Refuted, report.Bounds.Faults[0].Verdict)
	})
}

// What a policy achieves is enclosed, and it holds if and only if it achieves
// the bound.
func TestPoliciesAreEvaluated(t *testing.T) {
	trials(t, 600, func(t *testing.T, random *rand.Rand) {
		x, _ := randomTruth(t, random)
		for s := range x.result.Policy {
			x.result.Policy[s] = int32(random.IntN(len(x.oracle.rows[s])))
		}
		report := x.check(t)
		achieves := true
		for s, v := range x.evaluate(x.result.Policy) {
			assertTight(t, v, report.Achieved[s])
			worst := valueOf{Rat: nil, sign: 1}
			bound := x.result.Upper[s]
			if x.maximize() {
				bound = x.result.Lower[s]
			}
			if math.IsInf(bound, -1) {
				worst.sign = -1
			} else if !math.IsInf(bound, 0) {
				worst.Rat = new(big.Rat).SetFloat64(bound)
			}
			if x.maximize() && v.less(worst) || !x.maximize() && worst.less(v) {
				achieves = false
			}
		}
		assert.Equal(t, decide(achieves), report.Policy.Verdict, "%v", report.Policy.Faults)
		assert.Equal(t, Holds, report.Bounds.Verdict, "%v", report.Bounds.Faults)
	})
}

// Balls hold the exact values, to far more digits than float64 has, and nearly
// always they are small.
func TestBallsAreRight(t *testing.T) {
	wide, count := 0, 0
	trials(t, 600, func(t *testing.T, random *rand.Rand) {
		x, _ := randomTruth(t, random)
		q, err := newQuestion(x.model, x.result, false)
		require.NoError(t, err)
		b := newBudget(context.Background(), DefaultWork)
		found := optimum(q, solverOf[ball](q, rounded{q.rows, b}, b))
		for s, v := range x.values {
			if v.Rat == nil {
				assert.Equal(t, v.sign, int(found.infinite[s]))
				continue
			}
			require.Zero(t, found.infinite[s])
			y := found.values[s]
			if x.maximize() {
				y = y.negative()
			}
			count++
			if !(y.radius <= 0x1p-85*math.Abs(y.high)) {
				wide++
			}
			if y.isUnknown() {
				continue
			}
			for _, end := range []struct {
				number doubledouble.Number
				sign   int
			}{{y.lower(), -1}, {y.upper(), 1}} {
				assert.NotEqual(t, -end.sign, rational(end.number).Cmp(v.Rat), "state %d: %v, %v", s, v, y)
			}
		}
	})
	t.Logf("%d of %d balls are wide", wide, count)
	assert.Less(t, wide, 1+count/20)
}

// The default tolerance is that of the engine.
func TestDefaultTolerance(t *testing.T) {
	assert.Equal(t, mdp.DefaultTolerance, defaultTolerance)
	assert.Equal(t, converged, mdp.Converged.String())
	assert.True(t, slices.Contains(criteria, mdp.LongRunAverage{}.String()))
}
