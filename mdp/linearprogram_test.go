package mdp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// programmed solves by linear programming. Models of gain 0 need the absolute
// tolerance.
func programmed(model mdp.Model, criterion mdp.Criterion) (*mdp.Result, error) {
	return mdp.Solve(context.Background(), model, criterion, mdp.Settings{Method: mdp.LinearProgramming{}, AbsoluteTolerance: 1e-12})
}

// assertExact compares bounds, values and policy with exact ones. The simplex
// method may fail where numbers are spread over many orders of magnitude, and its
// values may be far from good there; what is said of them must hold all the same.
func assertExact(t *testing.T, scale scale, result *mdp.Result, err error, answer, ofPolicy *exact.Answer) {
	t.Helper()
	spreadOut := scale == spread || scale == spreadAll
	if !spreadOut {
		require.NoError(t, err)
	}
	if result == nil {
		return
	}
	for s, value := range answer.Values {
		lower, upper := result.Bounds(s)
		assert.LessOrEqual(t, rational(lower).Cmp(value.Rat()), 0, "state %d", s)
		assert.GreaterOrEqual(t, rational(upper).Cmp(ofPolicy.Values[s].Rat()), 0, "state %d", s)
		if !spreadOut {
			assert.InDelta(t, value.Float64(), result.Value(s), 1e-11*(1+math.Abs(value.Float64())), "state %d", s)
		}
	}
}

// followed returns the model of the policy of a result, and the whole one where
// there is no result.
func followed(t *testing.T, model *exact.Model, result *mdp.Result) *exact.Model {
	t.Helper()
	if result == nil {
		return model
	}
	chain, err := model.Follow(result.Policy)
	require.NoError(t, err)
	return chain
}

func TestLinearProgrammingAgainstExactOptima(t *testing.T) {
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		structure, scale := structure(random.IntN(int(structures))), scale(random.IntN(int(scales)))
		table := randomTable(t, random, structure, scale)
		model, err := exact.FromExplicit(table)
		require.NoError(t, err)

		result, end := programmed(table, mdp.LongRunAverage{})
		answer, err := model.Average(context.Background(), mdp.Minimize)
		require.NoError(t, err)
		ofPolicy, err := followed(t, model, result).Average(context.Background(), mdp.Minimize)
		require.NoError(t, err)
		assertExact(t, scale, result, end, answer, ofPolicy)

		discount := 1 - 1/float64(2+random.IntN(99))
		result, end = programmed(table, mdp.Discounted{Discount: discount})
		answer, err = model.Discounted(context.Background(), mdp.Minimize, rational(discount))
		require.NoError(t, err)
		ofPolicy, err = followed(t, model, result).Discounted(context.Background(), mdp.Minimize, rational(discount))
		require.NoError(t, err)
		assertExact(t, scale, result, end, answer, ofPolicy)
	})
}

// A model of more states has degenerate vertices by the dozen.
func TestLinearProgrammingOfManyStates(t *testing.T) {
	trials(t, 10, func(t *testing.T, random *rand.Rand) {
		const n = 40
		table := buildTable(t, func(b *mdp.TableBuilder) {
			for s := range n {
				b.AddState()
				for range 4 {
					next := (s + 1 + random.IntN(n-2)) % n
					b.AddAction(float64(1 + random.IntN(9)))
					b.AddTransition(next, 0.75)
					b.AddTransition((next+1)%n, 0.25)
				}
			}
		})
		for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
			for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{Sense: sense}, mdp.Discounted{Discount: 0.999, Sense: sense}} {
				want, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
				require.NoError(t, err)
				result, err := programmed(table, criterion)
				require.NoError(t, err)
				for s := range n {
					assert.InEpsilon(t, want.Value(s), result.Value(s), 1e-8)
				}
			}
		}
	})
}

// listed hides that a model is a table, so that it is not divided into parts.
type listed struct{ mdp.Explicit }

func TestLinearProgrammingRefuses(t *testing.T) {
	table := textbook(t,
		[]choice{{[]float64{1, 0}, []float64{1}}},
		[]choice{{[]float64{0, 1}, []float64{2}}},
	)
	_, err := programmed(backupOnly{table}, mdp.LongRunAverage{})
	require.ErrorIs(t, err, mdp.ErrUnsupported)
	_, err = programmed(table, mdp.TotalCost{Target: []int32{0}})
	require.ErrorIs(t, err, mdp.ErrUnsupported)
	_, err = programmed(listed{table}, mdp.LongRunAverage{})
	require.ErrorIs(t, err, mdp.ErrUnsupported)
	result, err := programmed(table, mdp.LongRunAverage{})
	require.NoError(t, err)
	assert.Equal(t, []float64{-1, -2}, []float64{result.Value(0), result.Value(1)})

	const n = 201
	table = buildTable(t, func(b *mdp.TableBuilder) {
		for s := range n {
			b.AddState()
			b.AddAction(1)
			b.AddTransition((s+1)%n, 1)
		}
	})
	_, err = programmed(table, mdp.LongRunAverage{})
	require.ErrorIs(t, err, mdp.ErrTooLarge)
	require.EqualError(t, err, "mdp: linear programming: too large: 201 states with 201 actions or more found; at most 200 with 2000 are allowed")
}

func TestLinearProgrammingStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	table := textbook(t, []choice{{[]float64{1}, []float64{1}}})
	result, err := mdp.Solve(ctx, listed{table}, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.LinearProgramming{}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, mdp.Interrupted, result.Status)
}
