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
)

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
