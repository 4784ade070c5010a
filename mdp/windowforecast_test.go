package mdp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
)

// grid is a walk on a grid that goes to each neighbour, without a table. It counts
// the rows that are listed.
type grid struct {
	width, height int
	rows          atomic.Int64
}

func (g *grid) NumStates() int { return g.width * g.height }

func (g *grid) NumActions(int) int { return 1 }

func (g *grid) AppendRow(dst []Entry, s, _ int) ([]Entry, float64) {
	g.rows.Add(1)
	x, y := s%g.width, s/g.width
	for _, p := range [][2]int{{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}} {
		if p[0] >= 0 && p[0] < g.width && p[1] >= 0 && p[1] < g.height {
			dst = append(dst, Entry{State: int32(p[1]*g.width + p[0]), Probability: 0.25})
		}
	}
	return dst, 0
}

func (g *grid) Backup([]float64, []int32, []float64, int, int) { panic("a sweep before any refusal") }

// What windows forecast is below the whole, and near it.
func TestWindowForecast(t *testing.T) {
	for _, g := range []*grid{{width: 400, height: 400}, {width: 3, height: 50_000}, {width: 150_000, height: 1}} {
		got, seen, err := windowForecast(context.Background(), g, 2, 1024)
		require.NoError(t, err)
		assert.Equal(t, windowCount*1024, seen, "windows apart from each other")
		union, err := unionGraph(context.Background(), g)
		require.NoError(t, err)
		plan, err := elimination.NewPlan(context.Background(), union.Undirected(union.Reverse()), 2, math.Inf(1))
		require.NoError(t, err)
		want := plan.Forecast
		name := fmt.Sprintf("%d by %d: %v, whole %v", g.width, g.height, got, want)
		assert.LessOrEqual(t, got.Bytes, 1.05*want.Bytes, name) // no order is the very best
		assert.Greater(t, got.Bytes, 0.4*want.Bytes, name)
	}
}

// hub is a long way that starts again at any time, in one of some states that lead to
// each other at random: nothing but these takes much.
type hub struct {
	states int
	core   [][]int32
}

func newHub(states, core int, random *rand.Rand) *hub {
	h := &hub{states, make([][]int32, core)}
	for s := range h.core {
		for range 6 {
			h.core[s] = append(h.core[s], int32(random.IntN(core)))
		}
	}
	return h
}

func (h *hub) NumStates() int { return h.states }

func (h *hub) NumActions(int) int { return 1 }

func (h *hub) AppendRow(dst []Entry, s, _ int) ([]Entry, float64) {
	next := []int32{0}
	if s < len(h.core) {
		next = h.core[s]
	}
	for _, j := range next {
		dst = append(dst, Entry{State: j, Probability: 0.5 / float64(len(next))})
	}
	return append(dst, Entry{State: int32((s + 1) % h.states), Probability: 0.5}), 0
}

func (h *hub) Backup([]float64, []int32, []float64, int, int) { panic("no sweep is needed") }

// A small part that is dense says nothing of the whole: the first window has all of
// it, and others have nothing where their first state is in a window before.
func TestWindowForecastOfUnevenModels(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, h := range []*hub{newHub(50_000, 800, random), newHub(5, 1, random)} {
		got, _, err := windowForecast(context.Background(), h, 2, 1024)
		require.NoError(t, err)
		union, err := unionGraph(context.Background(), h)
		require.NoError(t, err)
		plan, err := elimination.NewPlan(context.Background(), union.Undirected(union.Reverse()), 2, math.Inf(1))
		require.NoError(t, err)
		assert.LessOrEqual(t, got.Bytes, 1.05*plan.Forecast.Bytes)
	}
	require.NoError(t, checkSize(context.Background(), newHub(windowedStates, 9000, random), 2), "it takes 2 GB")
}

// Policy iteration on a large grid is refused after a look at few of its rows, and
// a long strip of more states is not.
func TestPolicyIterationIsRefusedAtOnce(t *testing.T) {
	large := &grid{width: 5000, height: 5000}
	_, err := Solve(context.Background(), large, LongRunAverage{}, Settings{Method: PolicyIteration{}})
	require.ErrorIs(t, err, ErrTooLarge)
	require.ErrorContains(t, err, "mdp: policy iteration: mdp: too large: by 131072 of its states, exact evaluation of 25000000 states would take more than ")
	assert.LessOrEqual(t, large.rows.Load(), int64(2*windowCount*windowStates))

	require.NoError(t, checkSize(context.Background(), &grid{width: 3, height: 10_000_000}, 2))
	require.NoError(t, checkSize(context.Background(), &grid{width: 2048, height: 2047}, 2), "small enough to be listed at once")
}
