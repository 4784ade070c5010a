package model

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// However long a solve is, what is kept is little, and has the first iterations' side and
// the last one; bounds that are not known yet are not drawn.
func TestConvergenceKeepsLittle(t *testing.T) {
	for _, iterations := range []int{1, 7, 2000, 2001, 123_457} {
		c := &convergence{}
		calls := 0
		record := c.Watch(func(mdp.Progress) error { calls++; return nil })
		for i := 1; i <= iterations; i++ {
			lower := -1 / float64(i)
			if i == 1 && iterations > 1 {
				lower = math.Inf(-1)
			}
			require.NoError(t, record(mdp.Progress{Iteration: i, Lower: lower, Upper: 1 / float64(i)}))
		}
		assert.Equal(t, iterations, calls)
		panels := panelsOf("", []methodRun{{Bounds: c}}, mdp.Bounds{})
		errors := panels[1].Curves[0].Points
		require.NotEmpty(t, errors)
		assert.LessOrEqual(t, len(errors), 2001)
		assert.Equal(t, float64(iterations), errors[len(errors)-1].X)
		for k, at := range errors {
			assert.InEpsilon(t, 1/at.X, at.Y, 1e-15)
			if k > 0 {
				assert.Greater(t, at.X, errors[k-1].X)
			}
		}
		assert.LessOrEqual(t, errors[0].X, max(2, float64(iterations)/500))
	}
	// Bounds on one value are the best so far; those on values of their own stay as they are.
	for _, apart := range []bool{false, true} {
		c := &convergence{apart: apart}
		record := c.Watch(func(mdp.Progress) error { return nil })
		for i, bounds := range []mdp.Bounds{{Lower: 0, Upper: 9}, {Lower: -5, Upper: 7}, {Lower: 2, Upper: 8}} {
			require.NoError(t, record(mdp.Progress{Iteration: i + 1, Lower: bounds.Lower, Upper: bounds.Upper}))
		}
		points := c.points()
		require.Len(t, points, 3)
		want := [2]float64{0, 7}
		if apart {
			want = [2]float64{-5, 7}
		}
		assert.Equal(t, want, [2]float64{points[1].Lower, points[1].Upper})
		if !apart {
			assert.Equal(t, 7.0, points[2].Upper)
		}
	}
	var none *convergence
	assert.NoError(t, none.Watch(func(mdp.Progress) error { return nil })(mdp.Progress{}))
}
