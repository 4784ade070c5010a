package mdp_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// sixteenths returns a random model whose probabilities are multiples of 1/16, and the same one
// in fractions. In a returning one each action may lead to state 0.
func sixteenths(t *testing.T, random *rand.Rand, returning bool, least, greatest int) (*mdp.Table, *exact.Model) {
	t.Helper()
	n := 2 + random.IntN(5)
	a := mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}
	e := exact.Arrays{}
	for range n {
		for range 1 + random.IntN(3) {
			weights := make([]int, n)
			rest := 16
			if returning {
				weights[0], rest = 1, 15
			}
			to := []int{random.IntN(n), random.IntN(n)}
			for range rest {
				weights[to[random.IntN(2)]]++
			}
			for j, w := range weights {
				if w > 0 {
					a.Columns = append(a.Columns, int32(j))
					a.Probabilities = append(a.Probabilities, float64(w)/16)
					e.Probabilities = append(e.Probabilities, big.NewRat(int64(w), 16))
				}
			}
			cost := least + random.IntN(greatest-least+1)
			if cost == 0 {
				cost = 1 // a sum of absolute costs that is 0 makes every tolerance 0
			}
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
			a.Costs, e.Costs = append(a.Costs, float64(cost)), append(e.Costs, big.NewRat(int64(cost), 1))
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	e.StateStart, e.RowStart, e.Columns = a.StateStart, a.RowStart, slices.Clone(a.Columns)
	model, err := exact.NewModel(e)
	require.NoError(t, err)
	table, err := mdp.NewTable(a)
	require.NoError(t, err)
	return table, model
}

// asked is a criterion with its answer in fractions.
type asked struct {
	mdp.Criterion
	answer func(m *exact.Model) (*exact.Answer, error)
}

func questions(ctx context.Context, sense mdp.Sense) map[string]asked {
	target := []int32{0}
	return map[string]asked{
		"average":    {mdp.LongRunAverage{Sense: sense}, func(m *exact.Model) (*exact.Answer, error) { return m.Average(ctx, sense) }},
		"discounted": {mdp.Discounted{Discount: 7. / 8, Sense: sense}, func(m *exact.Model) (*exact.Answer, error) { return m.Discounted(ctx, sense, big.NewRat(7, 8)) }},
		"total":      {mdp.TotalCost{Target: target, Sense: sense}, func(m *exact.Model) (*exact.Answer, error) { return m.Total(ctx, sense, target) }},
		"endless":    {mdp.TotalCost{Sense: sense}, func(m *exact.Model) (*exact.Answer, error) { return m.Total(ctx, sense, nil) }},
	}
}

// Whatever the values, the bounds contain the optimum in fractions, and the policy is worth
// what they say. Values close to the optimum are proved to be close.
func TestCertifyAgainstFractions(t *testing.T) {
	const noise, tolerance = 1e-9, 1e-6
	trials(t, 150, func(t *testing.T, random *rand.Rand) {
		returning := random.IntN(2) == 0
		least, greatest := 1, 9
		if random.IntN(2) == 0 {
			least, greatest = -5, 5
		}
		table, model := sixteenths(t, random, returning, least, greatest)
		for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
			for name, question := range questions(t.Context(), sense) {
				want, err := question.answer(model)
				if errors.Is(err, mdp.ErrUnsupported) { // a total that is not defined
					continue
				}
				require.NoError(t, err)
				near := want.Values
				if want.Relative != nil {
					near = want.Relative
				}
				for _, size := range []float64{20, noise} {
					values := make([]float64, table.NumStates())
					for s := range values {
						if size == noise && near[s].Infinity() == 0 {
							values[s] = near[s].Float64()
						}
						values[s] += size * (2*random.Float64() - 1)
					}
					got, err := mdp.Certify(t.Context(), table, question.Criterion, values, mdp.Settings{Tolerance: tolerance})
					require.NoError(t, err, name)
					assertBounds(t, got, want.Values, name)
					assert.Contains(t, []mdp.Status{mdp.Converged, mdp.Stopped}, got.Status)
					isFinite := !slices.ContainsFunc(want.Values, func(v exact.Value) bool { return v.Infinity() != 0 })
					if size == noise && (name == "discounted" || returning && isFinite && (least > 0 || name == "average")) {
						assert.Equal(t, mdp.Converged, got.Status, "%s, between %v and %v", name, got.Lower, got.Upper)
					}
					assertWorth(t, model, got, question, sense, name)
				}
			}
		}
	})
}

// Where costs are positive, values with large errors prove bounds on a total from both sides.
func TestCertifyTotalsOfPoorValues(t *testing.T) {
	trials(t, 100, func(t *testing.T, random *rand.Rand) {
		table, model := sixteenths(t, random, true, 1, 9)
		total := mdp.TotalCost{Target: []int32{0}}
		want, err := model.Total(t.Context(), mdp.Minimize, total.Target)
		require.NoError(t, err)
		values := make([]float64, table.NumStates())
		for s := range values {
			values[s] = want.Values[s].Float64() * (0.75 + 0.5*random.Float64())
		}
		got, err := mdp.Certify(t.Context(), table, total, values, mdp.Settings{})
		require.NoError(t, err)
		assertBounds(t, got, want.Values, "total")
		for s := 1; s < table.NumStates(); s++ {
			lower, upper := got.Bounds(s)
			assert.Positive(t, lower)
			assert.Less(t, upper, math.Inf(1))
		}
	})
}

// assertBounds requires that the bounds of a result contain values.
func assertBounds(t *testing.T, r *mdp.Result, values []exact.Value, name string) {
	t.Helper()
	for s, v := range values {
		below, above := v.Bounds()
		lower, upper := r.Bounds(s)
		assert.LessOrEqual(t, lower, below, "%s of state %d", name, s)
		assert.GreaterOrEqual(t, upper, above, "%s of state %d", name, s)
		assert.True(t, lower <= r.Optimum(s) && r.Optimum(s) <= upper || math.IsInf(lower, 0) || math.IsInf(upper, 0))
	}
}

// assertWorth requires that the policy of a result is not worse than its bounds say.
func assertWorth(t *testing.T, model *exact.Model, r *mdp.Result, question asked, sense mdp.Sense, name string) {
	t.Helper()
	chain, err := model.Follow(r.Policy)
	require.NoError(t, err)
	of, err := question.answer(chain)
	if errors.Is(err, mdp.ErrUnsupported) {
		return
	}
	require.NoError(t, err)
	for s, v := range of.Values {
		below, above := v.Bounds()
		if lower, upper := r.Bounds(s); sense == mdp.Minimize && !math.IsInf(upper, 0) {
			assert.LessOrEqual(t, below, upper, "%s of state %d", name, s)
		} else if sense == mdp.Maximize && !math.IsInf(lower, 0) {
			assert.GreaterOrEqual(t, above, lower, "%s of state %d", name, s)
		}
	}
}

// A model that does not list its rows has no totals, and has the other two.
func TestCertifyWithoutRows(t *testing.T) {
	model := store{size: 5}
	for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.9}} {
		want, err := mdp.Solve(t.Context(), model, criterion, mdp.Settings{})
		require.NoError(t, err)
		values := want.Value
		if values == nil {
			values = want.Bias
		}
		got, err := mdp.Certify(t.Context(), model, criterion, values, mdp.Settings{Tolerance: 1e-6})
		require.NoError(t, err)
		assert.Equal(t, mdp.Converged, got.Status)
		assert.Equal(t, "given values", got.Method)
		assert.LessOrEqual(t, got.Lower, want.Upper)
		assert.GreaterOrEqual(t, got.Upper, want.Lower)
	}
	_, err := mdp.Certify(t.Context(), model, mdp.TotalCost{}, make([]float64, 6), mdp.Settings{})
	assert.ErrorIs(t, err, mdp.ErrUnsupported)
}

func TestCertifyRefuses(t *testing.T) {
	model := store{size: 1}
	for want, try := range map[string]struct {
		criterion mdp.Criterion
		values    []float64
	}{
		"mdp: Certify: not supported by this model: criterion finite has a horizon, which Solve solves outright": {mdp.FiniteHorizon{Steps: 2}, []float64{0, 0}},
		"mdp: nil argument: the values are nil: use one for each state":                                          {mdp.LongRunAverage{}, nil},
		"mdp: Settings.Values of length 1 is not valid: the model has 2 states":                                  {mdp.LongRunAverage{}, []float64{0}},
		"mdp: nil argument: the criterion is nil: use one such as mdp.LongRunAverage{}":                          {nil, []float64{0, 0}},
	} {
		_, err := mdp.Certify(t.Context(), model, try.criterion, try.values, mdp.Settings{})
		require.EqualError(t, err, want)
	}
}
