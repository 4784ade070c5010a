package mdp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Chains whose products of probabilities leave the range of float64 are
// answered with all digits or refused, never answered wrongly or with NaN.
func TestEvaluateOnTheEdgeOfUnderflow(t *testing.T) {
	refused := 0
	trials(t, 400, func(t *testing.T, random *rand.Rand) {
		n := 2 + random.IntN(4)
		rows, costs := make([][]float64, n), make([]float64, n)
		for s := range n {
			rows[s] = make([]float64, n)
			for j := range n {
				if j != s && random.IntN(3) > 0 {
					rows[s][j] = math.Pow(10, -60*random.Float64()) / float64(n)
				}
			}
			rows[s][s] = 1 // as near as float64 comes to it
			for j := range n {
				if j != s {
					rows[s][s] -= rows[s][j]
				}
			}
			costs[s] = float64(random.IntN(4))
		}
		table := chainOf(t, rows, costs)
		policy := make([]int32, n)
		evaluation, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: policy})
		if err != nil {
			refused++
			require.ErrorIs(t, err, mdp.ErrPrecisionLimit)
			return
		}
		chain := newExactModel(table).chain(policy)
		assertRelative(t, chain.gains(), evaluation.Gain, 1e-14, "gain")
		for _, class := range evaluation.Classes {
			for i, want := range chain.stationary(class.States) {
				// What is below 1e-308 on the way loses digits.
				assert.InDelta(t, float(want), class.Stationary[i], max(1e-14*float(want), 1e-200))
			}
		}
		assertClose(t, chain.bias(), evaluation.Bias, biasRoundoff*largest(chain.costs)*largest(chain.passage()), "bias")
	})
	t.Log(refused, "refused")
}

// Two wells whose barrier of 2⁻²⁰⁰⁰ no float64 holds.
func TestEvaluateWellsThatNeverMeet(t *testing.T) {
	table := birthDeath(t, 4000, func(i int) (up, down float64) {
		if i < 2000 {
			return 0.25, 0.5
		}
		return 0.5, 0.25
	})
	_, err := mdp.LongRun(context.Background(), table, mdp.Policy{Actions: make([]int32, 4000)})
	require.ErrorIs(t, err, mdp.ErrPrecisionLimit)
}

// A policy on the way whose evaluation underflows does not lose the result.
func TestSolveKeepsItsBoundsWhereEvaluationIsRefused(t *testing.T) {
	const rare = 1e-200
	table := chainOf(t, [][]float64{
		{1, rare, 0, 0},
		{1, 0, rare, 0},
		{0, rare, 0, 1},
		{0, 0, rare, 1},
	}, []float64{0, 0, 0, 1})
	for _, method := range []mdp.Method{0, mdp.PolicyIteration} {
		settings := mdp.Settings{Method: method, MaxIterations: 100}
		result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, settings)
		require.NotNil(t, result, "%v", err)
		assertHonest(t, "", result, err, settings)
		assert.LessOrEqual(t, result.Lower, 0.5)
		assert.GreaterOrEqual(t, result.Upper, 0.5)
	}
}

// Values that sweeps have brought down to subnormal numbers, on the way to an optimum
// of 0, have products that vanish: bounds allow for that.
func TestDiscountedValuesThatVanish(t *testing.T) {
	table := buildTable(t, func(b *mdp.TableBuilder) {
		b.AddState()
		b.AddAction(0)
		b.AddTransition(0, 1)
		b.AddAction(0.1)
		b.AddTransition(1, 1)
		b.AddState()
		b.AddAction(-0.1)
		b.AddTransition(1, 1)
	})
	for _, method := range []mdp.Method{mdp.ValueIteration, mdp.ModifiedPolicyIteration} {
		result, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: 0.999, Sense: mdp.Maximize}, mdp.Settings{Method: method})
		require.NotNil(t, result, "%v", err)
		lower, upper := result.Bounds(0)
		assert.LessOrEqual(t, lower, 0.0, "%v", method)
		assert.GreaterOrEqual(t, upper, 0.0, "%v", method)
	}
}

// Discounted probabilities may be as small as the least normal number 2⁻¹⁰²², with all digits,
// and not subnormal. The values are those of a chain that stays, 1/(1−β), and 0.
func TestDiscountedProbabilitiesThatUnderflow(t *testing.T) {
	for _, test := range []struct {
		rare, discount, want float64
		err                  error
	}{
		{0x1p-1021, 0.5, 2, nil},
		{0x1p-1022, 0.5, 0, mdp.ErrOverflow},
		{0x1p-1022, 0, 1, nil}, // nothing is multiplied
	} {
		table := chainOf(t, [][]float64{{1, test.rare}, {0, 1}}, []float64{1, 0})
		result, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: test.discount}, mdp.Settings{Method: mdp.PolicyIteration})
		if test.err != nil {
			require.ErrorIs(t, err, test.err)
			continue
		}
		require.NoError(t, err)
		assert.InEpsilon(t, test.want, result.Value[0], 1e-14)
	}
}
