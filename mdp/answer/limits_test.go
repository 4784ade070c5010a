package answer_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// randomHorizon returns a question about a finite horizon, with discount and terminal rewards at
// times.
func randomHorizon(random *rand.Rand) question.Question {
	q := question.Question{Criterion: question.Finite, Sense: []string{"minimize", "maximize"}[random.IntN(2)], Reward: "r", Horizon: new(1 + random.IntN(4))}
	if random.IntN(2) == 0 {
		q.SetDiscount(big.NewRat(1+random.Int64N(9), 10))
	}
	return q
}

// TestUnrolledHorizons compares backward induction with the model of its steps, in fractions.
func TestUnrolledHorizons(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 381))
		m, q := randomMDP(random), randomHorizon(random)
		if random.IntN(2) == 0 {
			end := modelfile.RewardModel{Name: "end"}
			for range m.NumStates() {
				x := 1 + random.Int64N(3)
				end.State.Float, end.State.Exact = append(end.State.Float, float64(x)), append(end.State.Exact, big.NewRat(x, 1))
			}
			m.Rewards, q.Terminal = append(m.Rewards, end), "end"
		}
		asked, err := q.On(m)
		require.NoError(t, err)
		want, err := answer.Solve(t.Context(), asked, answer.Settings{Exactly: true})
		require.NoError(t, err)
		unrolled, err := asked.Unrolled()
		require.NoError(t, err)
		require.NoError(t, unrolled.Model.Validate())
		got, err := answer.Solve(t.Context(), unrolled, answer.Settings{Exactly: true})
		require.NoError(t, err)
		require.NoError(t, want.KeepStepValues(t.Context()))
		for step, lower := range want.Result.StepValues.Lower { // what is left is a shorter horizon
			shorter := q
			shorter.Horizon = new(q.Steps() - step)
			for s, x := range exactValues(t, m, shorter, nil) {
				value, _ := x.Float64()
				assert.True(t, lower[s] <= value && value <= want.Result.StepValues.Upper[step][s], "seed %d, step %d, state %d", seed, step, s)
			}
		}
		for s, x := range want.Result.Exact {
			assert.Zero(t, x.Cmp(got.Result.Exact[s]), "seed %d, state %d: %v, unrolled %v", seed, s, x, got.Result.Exact[s])
		}
	}
}

// TestLimitsOfAHorizon compares limits within a finite horizon with the linear program of its
// occupation measures, and has the certificates checked.
func TestLimitsOfAHorizon(t *testing.T) {
	trials, infeasible, mixed := 60, 0, 0
	if *atLength {
		trials = 1000
	}
	for seed := range uint64(trials) {
		random := rand.New(rand.NewPCG(seed, 382))
		m, q := randomMDP(random), randomHorizon(random)
		bound := float64(random.IntN(9)) / 4
		q.Constraints = []question.Constraint{{Reward: "c", Sense: "<=", Bound: new(big.Rat).SetFloat64(bound)}}
		asked, err := q.On(m)
		require.NoError(t, err)
		found, err := answer.Solve(t.Context(), asked, answer.Settings{})
		want, isFeasible := occupation(t, m, q, bound)
		if _, refused := errors.AsType[*mdp.InfeasibleError](err); refused {
			infeasible++
			assert.False(t, isFeasible, "seed %d", seed)
			continue
		}
		require.NoError(t, err, "seed %d", seed)
		require.True(t, isFeasible, "seed %d", seed)
		r := found.Result
		require.Equal(t, question.Finite, r.Criterion)
		assert.InDelta(t, want, r.Value, 1e-6, "seed %d", seed)
		assert.LessOrEqual(t, r.ValueBounds[0], want+1e-7, "seed %d", seed)
		assert.GreaterOrEqual(t, r.ValueBounds[1], want-1e-7, "seed %d", seed)
		report, err := certificate.Check(t.Context(), m, r, certificate.Options{})
		require.NoError(t, err)
		assert.Equal(t, certificate.Holds, report.Verdict(), "seed %d", seed)
		if policy, _, err := r.PolicyOf(m); err == nil {
			require.NoError(t, policy.Validate(m))
			if q.Steps() > 1 {
				require.Len(t, policy.Steps, q.Steps())
			}
			if policy.NumRandomized() > 0 {
				mixed++
			}
		}
	}
	assert.Positive(t, infeasible)
	assert.Positive(t, mixed)
}

// occupation solves the linear program of a question by the simplex method: the variables are how
// often each choice is taken in each step, from state 0.
func occupation(t *testing.T, m *modelfile.Model, q question.Question, bound float64) (value float64, isFeasible bool) {
	t.Helper()
	steps, n, choices := q.Steps(), m.NumStates(), m.NumChoices()
	columns := steps*choices + 1 // and the slack of the limit
	a, right, cost := mat.NewDense(steps*n+1, columns, nil), make([]float64, steps*n+1), make([]float64, columns)
	right[0], right[steps*n] = 1, bound
	a.Set(steps*n, columns-1, 1)
	sign, weight := 1.0, 1.0
	if q.IsMaximized() {
		sign = -1
	}
	factor, _ := q.DiscountFactor().Float64()
	r, err := m.ExpectedRewards("r")
	require.NoError(t, err)
	c, err := m.ExpectedRewards("c")
	require.NoError(t, err)
	for step := range steps {
		for s := range n {
			for k := int(m.StateStart[s]); k < int(m.StateStart[s+1]); k++ {
				x := step*choices + k
				a.Set(step*n+s, x, 1)
				cost[x] = sign * weight * r.Float[k]
				a.Set(steps*n, x, weight*c.Float[k])
				for e := m.RowStart[k]; e < m.RowStart[k+1] && step+1 < steps; e++ {
					a.Set((step+1)*n+int(m.Columns[e]), x, a.At((step+1)*n+int(m.Columns[e]), x)-m.Values.Float[e])
				}
			}
		}
		weight *= factor
	}
	value, _, err = lp.Simplex(cost, a, right, 1e-10, nil)
	if errors.Is(err, lp.ErrInfeasible) {
		return math.NaN(), false
	}
	require.NoError(t, err)
	return sign * value, true
}
