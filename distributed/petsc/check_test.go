//go:build !petsc

package petsc

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/garnet"
	"github.com/mdpsolve/mdpsolve/mdp"
)

var random = garnet.Model{States: 300, Actions: 3, Successors: 4, Seed: 11}

func world(t *testing.T) *World {
	t.Helper()
	w, err := Start()
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// of returns a reader of values that are there.
func of(values []float64) func(first, last int) ([]float64, error) {
	return func(first, last int) ([]float64, error) { return values[first:last], nil }
}

// Whatever the values are, bounds on the gain are those of mdp.Certify.
func TestCheckOfAverages(t *testing.T) {
	values := make([]float64, random.States)
	for i := range values {
		values[i] = rand.NormFloat64()
	}
	result, err := Check(context.Background(), world(t), random, mdp.LongRunAverage{}, 1e-9, of(values))
	require.NoError(t, err)
	table, err := random.Table()
	require.NoError(t, err)
	certificate, err := mdp.Certify(table, values, 1)
	require.NoError(t, err)
	assert.InDelta(t, certificate.Lower, result.Lower, 1e-15) // the cheapest step, if that is more, rounded down
	assert.Equal(t, certificate.Upper, result.Upper)
	assert.Equal(t, certificate.Policy, result.Policy)
	assert.Equal(t, mdp.Stopped, result.Status)
}

// Values of the core prove here what they prove there, to within the tolerance, in both
// senses; and values that are off by some number prove bounds that are as far off.
func TestCheckOfValues(t *testing.T) {
	table, err := random.Table()
	require.NoError(t, err)
	for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
		criterion := mdp.Discounted{Discount: 0.95, Sense: sense}
		solved, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Tolerance: 1e-10})
		require.NoError(t, err)
		result, err := Check(context.Background(), world(t), random, criterion, 1e-9, of(solved.Value))
		require.NoError(t, err)
		assert.Equal(t, mdp.Converged, result.Status)
		for s := range random.States {
			lower, upper := result.Bounds(s)
			least, greatest := solved.Bounds(s)
			assert.LessOrEqual(t, lower, greatest)
			assert.GreaterOrEqual(t, upper, least)
			assert.InEpsilon(t, lower, upper, 1e-9)
		}
		lower, upper := result.Bounds(0)
		assert.Equal(t, [2]float64{lower, upper}, [2]float64{result.Lower, result.Upper})

		solved.Value[7]++
		result, err = Check(context.Background(), world(t), random, criterion, 1e-9, of(solved.Value))
		require.NoError(t, err)
		assert.Equal(t, mdp.Stopped, result.Status)
		assert.Greater(t, result.Upper-result.Lower, 1.0)
		assert.True(t, result.Lower <= lower && upper <= result.Upper)
	}
}

func TestCheckRefuses(t *testing.T) {
	for _, values := range [][]float64{make([]float64, 299), {}} {
		_, err := Check(context.Background(), world(t), random, mdp.LongRunAverage{}, 1e-9,
			func(int, int) ([]float64, error) { return values, nil })
		require.ErrorContains(t, err, "values for 300 states")
	}
	bad := make([]float64, random.States)
	bad[5] = math.NaN()
	_, err := Check(context.Background(), world(t), random, mdp.LongRunAverage{}, 1e-9, of(bad))
	require.ErrorIs(t, err, mdp.ErrOverflow)
	_, err = Check(context.Background(), world(t), random, mdp.TotalCost{}, 1e-9, of(bad))
	require.ErrorContains(t, err, "use mdp.LongRunAverage or mdp.Discounted")
	_, err = Check(context.Background(), world(t), random, mdp.Discounted{Discount: 1}, 1e-9, of(bad))
	require.ErrorContains(t, err, "Discount 1 is not valid")
	_, err = Check(context.Background(), world(t), garnet.Model{}, mdp.LongRunAverage{}, 1e-9, of(nil))
	require.ErrorIs(t, err, mdp.ErrNoStart)
	_, err = Solve(context.Background(), world(t), random, mdp.LongRunAverage{}, Settings{})
	require.ErrorIs(t, err, ErrNoEngine)
}

// Values that are written, and read again, prove the same but for rounding.
func TestValuesInFiles(t *testing.T) {
	criterion := mdp.Discounted{Discount: 0.95}
	table, err := random.Table()
	require.NoError(t, err)
	solved, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
	require.NoError(t, err)
	first, err := Check(context.Background(), world(t), random, criterion, 1e-9, of(solved.Value))
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "values.bin")
	require.NoError(t, first.WriteValues(name))
	second, err := Check(context.Background(), world(t), random, criterion, 1e-9, ReadValues(name, random.States))
	require.NoError(t, err)
	assert.InEpsilon(t, first.Lower, second.Lower, 1e-13) // 2⁻⁵³/(1−β), a few times
	assert.InEpsilon(t, first.Upper, second.Upper, 1e-13)

	require.NoError(t, os.WriteFile(name, []byte("0 0\n0,0 # four\n"), 0o600))
	_, err = ReadValues(name, 5)(0, 5)
	require.ErrorIs(t, err, ErrValues)
	require.ErrorContains(t, err, "4 numbers are not valid: use 5")
	values, err := ReadValues(name, 4)(1, 3)
	require.NoError(t, err)
	assert.Len(t, values, 2)
	require.NoError(t, os.WriteFile(name, []byte("1\n2 x\n"), 0o600))
	_, err = ReadValues(name, 3)(0, 3)
	require.ErrorContains(t, err, "values.bin:2:3")
	assert.ErrorContains(t, first.WriteValues(filepath.Join(name, "none")), "values.bin")
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
