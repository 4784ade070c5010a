package robots_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

var (
	_ mdp.Sweeper  = (*robots.Model)(nil)
	_ mdp.Explicit = (*robots.Model)(nil)
	_ mdp.Blocked  = (*robots.Model)(nil)
	_ mdp.Timed    = (*robots.Model)(nil)
)

func TestPlainRowsGiveBackup(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		m, err := robots.NewModel(p)
		require.NoError(t, err)
		n := m.NumStates()
		v, dst, act := values(random(t), n), make([]float64, n), make([]int32, n)
		m.Backup(dst, act, v, 0, n)
		for s := range n {
			best, first := math.Inf(1), 0
			for a := range m.NumActions(s) {
				// Rounding aside, random values have no ties.
				if x := rowValue(t, m, v, s, a); x < best {
					best, first = x, a
				}
			}
			require.InDelta(t, best, dst[s], 1e-11)
			if a := int(act[s]); a != first {
				require.InDelta(t, best, rowValue(t, m, v, s, a), 1e-11)
			}
		}
	})
}

func TestPlainActions(t *testing.T) {
	m, err := robots.NewModel(figure6)
	require.NoError(t, err)
	for _, c := range []struct {
		pair      Pair
		decisions [][2]int
	}{
		{Pair{0, 1}, [][2]int{{0, 0}, {0, 1}}},
		{Pair{1, 0}, [][2]int{{1, 0}}},
		{Pair{2, 0}, [][2]int{{0, 0}, {1, 0}}},
		{Pair{1, 1}, [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}}},
		{Pair{5, 16}, [][2]int{{0, 0}, {0, 1}}},
	} {
		s := indexOf(m, c.pair)
		require.Equal(t, len(c.decisions), m.NumActions(s), "%v", c.pair)
		for a, want := range c.decisions {
			d := m.Decisions(s, a)
			assert.Equal(t, want, [2]int{d.Activate - robots.NoClass, int(d.Reactivate)})
		}
		assert.Panics(t, func() { m.Decisions(s, len(c.decisions)) })
	}
	for _, p := range []Pair{{0, 0}, {-1, 2}, {6, 2}, {2, -1}, {2, 17}} {
		assert.Panics(t, func() { indexOf(m, p) })
	}
	assert.Panics(t, func() { m.State(m.NumStates()) })
}
