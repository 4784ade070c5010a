//go:build !petsc

package petsc

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/testdata/garnet"
	"github.com/mdpsolve/mdpsolve/mdp"
)

var random = garnet.Table(300, 3, 4, 11)

func world(t *testing.T) *World {
	t.Helper()
	w, err := Start()
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// swept returns the bounds that a sweep over values proves.
func swept(t *testing.T, c mdp.Criterion, values []float64) (*Result, error) {
	t.Helper()
	s, err := newSweeper(t.Context(), world(t), random, c, 1e-9)
	if err != nil {
		return nil, err
	}
	for i, x := range values {
		if s.sense == mdp.Maximize {
			x = -x
		}
		s.high.values[i] = x * s.rate
	}
	if err := s.sweep(t.Context(), true); err != nil {
		return nil, err
	}
	return s.result(), nil
}

// For any values, bounds on the gain are those of one sweep over the table.
func TestSweepsProveAverages(t *testing.T) {
	values := make([]float64, random.NumStates())
	for i := range values {
		values[i] = rand.NormFloat64()
	}
	result, err := swept(t, mdp.LongRunAverage{}, values)
	require.NoError(t, err)
	policy, cheapest := make([]int32, random.NumStates()), 0.0
	lower, upper := mdp.LongRunAverage{}.Improve(mdp.Rounded{Table: random}, mdp.Vector{High: values}, policy, make([]float64, random.NumStates()))
	for s := range random.NumStates() { // no policy costs less than the cheapest step
		for a := range random.NumActions(s) {
			if _, cost := random.AppendRow(nil, s, a); s+a == 0 || cost < cheapest {
				cheapest = cost
			}
		}
	}
	assert.InDelta(t, max(lower, cheapest), result.Lower, 1e-14) // the table may be off by rounding, the ranks not
	assert.InDelta(t, upper, result.Upper, 1e-14)
	assert.Equal(t, policy, result.Policy)
	assert.NotEqual(t, mdp.Converged, result.Status)
}

// Values of package mdp prove the same bounds here, within the tolerance, in both senses;
// values with an error prove bounds with that error. The values of a result prove the same
// bounds again, up to rounding.
func TestSweepsProveValues(t *testing.T) {
	for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
		criterion := mdp.Discounted{Discount: 0.95, Sense: sense}
		solved, err := mdp.Solve(context.Background(), random, criterion, mdp.Settings{Tolerance: 1e-10})
		require.NoError(t, err)
		result, err := swept(t, criterion, solved.Value)
		require.NoError(t, err)
		assert.Equal(t, mdp.Converged, result.Status)
		for s := range random.NumStates() {
			lower, upper := result.Bounds(s)
			least, greatest := solved.Bounds(s)
			assert.LessOrEqual(t, lower, greatest)
			assert.GreaterOrEqual(t, upper, least)
			assert.InEpsilon(t, lower, upper, 1e-9)
		}
		lower, upper := result.Bounds(0)
		assert.Equal(t, [2]float64{lower, upper}, [2]float64{result.Lower, result.Upper})
		again, err := swept(t, criterion, result.Values())
		require.NoError(t, err)
		assert.InEpsilon(t, result.Lower, again.Lower, 1e-13) // 2⁻⁵³/(1−β), a few times
		assert.InEpsilon(t, result.Upper, again.Upper, 1e-13)

		solved.Value[7]++
		result, err = swept(t, criterion, solved.Value)
		require.NoError(t, err)
		assert.NotEqual(t, mdp.Converged, result.Status)
		assert.Greater(t, result.Upper-result.Lower, 1.0)
		assert.True(t, result.Lower <= lower && upper <= result.Upper)
	}
}

// empty is a model without states.
type empty struct{ *mdp.Table }

func (empty) NumStates() int { return 0 }

func TestSweepsRefuse(t *testing.T) {
	bad := make([]float64, random.NumStates())
	bad[5] = math.NaN()
	_, err := swept(t, mdp.LongRunAverage{}, bad)
	require.ErrorIs(t, err, mdp.ErrOverflow)
	_, err = swept(t, mdp.TotalCost{}, bad)
	require.ErrorContains(t, err, "use mdp.LongRunAverage or mdp.Discounted")
	_, err = swept(t, mdp.Discounted{Discount: 1}, bad)
	require.ErrorContains(t, err, "Discount 1 is not valid")
	_, err = newSweeper(t.Context(), world(t), empty{random}, mdp.LongRunAverage{}, 1e-9)
	require.ErrorIs(t, err, mdp.ErrNoStart)
	_, err = Solve(t.Context(), world(t), random, mdp.LongRunAverage{}, Settings{})
	require.ErrorIs(t, err, ErrNoEngine)
}

// world.Agree and world.Most of one rank.
func TestWorldOfOne(t *testing.T) {
	w := world(t)
	assert.Equal(t, 1, w.Ranks)
	require.NoError(t, w.Agree(nil))
	assert.Equal(t, os.ErrExist, w.Agree(os.ErrExist))
	assert.Equal(t, 3.0, w.Most(3))
	memory := w.Memory()
	require.Len(t, memory, 1)
	assert.Greater(t, memory[0], int64(1<<20))
}
