package robots_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
)

var (
	_ mdp.Sweeper  = (*robots.Model)(nil)
	_ mdp.Explicit = (*robots.Model)(nil)
	_ mdp.Blocked  = (*robots.Model)(nil)
	_ mdp.Timed    = (*robots.Model)(nil)
)

// afterDecision sets w to the expectation of h over the event after each pair:
// what the rows of a fictitious event, which leaves the pair as it is, say.
func afterDecision(w, h []float64, events *paper.EventModel, pairs *robots.Model) {
	for i := range w {
		p := pairOf(pairs, i)
		row, _ := events.AppendRow(nil, events.Index(paper.State{Queue: p.Queue, Active: p.Active, Event: paper.Fictitious}), 0)
		w[i] = 0
		for _, e := range row {
			w[i] += float64(e.Probability * h[e.State])
		}
	}
}

func TestModelHasTheIteratesOfEventModel(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		events, err := paper.NewEventModel(p)
		require.NoError(t, err)
		pairs, err := robots.NewModel(p)
		require.NoError(t, err)
		assert.Equal(t, (p.Buffer+1)*(p.Robots+1)-1, pairs.NumStates())
		assert.Equal(t, events.Rate(), pairs.Rate())

		h, act := values(random(t), events.NumStates()), make([]int32, events.NumStates())
		w, decisions := make([]float64, pairs.NumStates()), make([]int32, pairs.NumStates())
		nextH, nextW, want := make([]float64, len(h)), make([]float64, len(w)), make([]float64, len(w))
		afterDecision(w, h, events, pairs)
		for k := range 50 {
			events.Backup(nextH, act, h, 0, len(h))
			pairs.Backup(nextW, decisions, w, 0, len(w))
			if k == 0 { // w has the bits that events computes for itself
				requireSameDecisions(t, events, pairs, act, decisions)
			}
			h, nextH = nextH, h
			w, nextW = nextW, w
			afterDecision(want, h, events, pairs)
			scale := 0.0
			for _, x := range want {
				scale = max(scale, math.Abs(x))
			}
			for i := range w {
				require.InDelta(t, want[i], w[i], 1e-13*scale, "sweep %d, pair %v", k, pairOf(pairs, i))
			}
		}
	})
}

func requireSameDecisions(t *testing.T, events *paper.EventModel, pairs *robots.Model, act, decisions []int32) {
	for i := range decisions {
		p := pairOf(pairs, i)
		require.Equal(t, i, indexOf(pairs, p))
		d := pairs.Decisions(i, int(decisions[i]))
		if p.Queue > 0 {
			s := events.Index(paper.State{Queue: p.Queue, Active: p.Active, Event: robots.Departure})
			require.Equal(t, events.Action(s, int(act[s])) == 1 && p.Active < pairs.Parameters().Robots, d.Activate == 0, "departure at %v", p)
		}
		if p.Active > 0 {
			s := events.Index(paper.State{Queue: p.Queue, Active: p.Active, Event: robots.Arrival})
			require.Equal(t, events.Action(s, int(act[s])) == 1, d.Reactivate.Has(0), "arrival at %v", p)
		}
	}
}

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
