package elimination

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/countdown"
	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

const seed = 20260601

var long = flag.Bool("long", false, "plan for large graphs too")

// randomGraph returns a graph of n states in which each edge is there with the
// given probability.
func randomGraph(random *rand.Rand, n int, density float64) *graph.Graph {
	g := graph.New(n)
	for s := range n {
		for j := range n {
			if j != s && random.Float64() < density {
				g.Add(int32(j))
			}
		}
		g.EndState()
	}
	return g
}

func newPlan(t *testing.T, g *graph.Graph) *Plan {
	t.Helper()
	p, err := NewPlan(context.Background(), g, math.Inf(1))
	require.NoError(t, err)
	return p
}

// requirePlan checks a plan against the graph: it eliminates each state once,
// and every later state that a state is connected to, directly or through states
// eliminated before, is in its front.
func requirePlan(t *testing.T, p *Plan, g *graph.Graph) {
	t.Helper()
	n := g.NumStates()
	sorted := slices.Sorted(slices.Values(p.order))
	require.Len(t, sorted, n)
	for i, s := range sorted {
		require.EqualValues(t, i, s)
		require.EqualValues(t, i, p.place[p.order[i]])
	}
	frontOf := make([]int, n)
	place := 0
	for i, f := range p.front {
		require.Equal(t, place, f.first)
		for ; place < f.last; place++ {
			frontOf[place] = i
		}
	}
	require.Equal(t, n, place)
	parent := make([]int, len(p.front))
	for i := range p.front {
		f := &p.front[i]
		for _, c := range f.children {
			require.Less(t, int(c), i)
			require.Zero(t, parent[c])
			parent[c] = i
			child := &p.front[c]
			for k, at := range child.border {
				to := child.into[k]
				if k < child.inner {
					require.Equal(t, int(at), f.first+int(to))
				} else {
					require.Equal(t, at, f.border[to])
				}
			}
			require.EqualValues(t, len(f.border), child.into[len(child.border)])
		}
		for _, s := range p.order[f.first:f.last] {
			for _, j := range g.Next(s) {
				at := p.place[j]
				if int(at) >= f.last {
					_, found := slices.BinarySearch(f.border, at)
					require.True(t, found)
				}
			}
		}
	}
}

func TestPlansOfRandomGraphs(t *testing.T) {
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 3))
	for range 200 {
		n := 1 + random.IntN(120)
		g := randomGraph(random, n, random.Float64()*3/float64(n))
		g = g.Undirected()
		requirePlan(t, newPlan(t, g), g)
	}
	for _, size := range [][2]int{{1, 1000}, {30, 31}, {7, 900}} {
		g := shuffledGrid(random, size[0], size[1])
		requirePlan(t, newPlan(t, g), g)
	}
}

// On a square grid of n = m² states the work is of the order m³ and the factors
// of the order m²·log m (George 1973), however the states are numbered; a band
// would take m⁴ and m³.
func TestDissectionOfAGridIsNested(t *testing.T) {
	random := rand.New(rand.NewPCG(seed, 4))
	for _, m := range []int{40, 80, 160} {
		p := newPlan(t, shuffledGrid(random, m, m))
		size := float64(m)
		assert.Less(t, p.Forecast.Operations, 15*size*size*size, m)
		assert.Less(t, float64(p.factors), 60*size*size*float64(len64(m)), m)
	}
}

func len64(m int) (bits int) {
	for ; m > 0; m >>= 1 {
		bits++
	}
	return bits
}

// A hub with many neighbours that are also on a path, and the complete graph, which
// levels do not separate.
func TestDissectionOfWhatHasNoLevels(t *testing.T) {
	const n = 20_000
	g := graph.New(0)
	for s := range int32(n) {
		if s == 0 {
			for j := range int32(n - 1) {
				g.Add(j + 1)
			}
		} else {
			g.Add(0)
			for _, j := range []int32{s - 1, s + 1} {
				if j > 0 && j < n {
					g.Add(j)
				}
			}
		}
		g.EndState()
	}
	p := newPlan(t, g)
	requirePlan(t, p, g)
	assert.Less(t, p.Forecast.Operations, 200.*n)

	complete := graph.New(0)
	for s := range int32(50) {
		for j := range int32(50) {
			if j != s {
				complete.Add(j)
			}
		}
		complete.EndState()
	}
	p = newPlan(t, complete)
	requirePlan(t, p, complete)
	assert.Len(t, p.front, 1)
}

// Planning stops where borders alone would not fit into memory.
func TestPlanOfARandomGraphIsRefusedInTime(t *testing.T) {
	n := int32(45_000)
	if *long {
		n = 200_000
	}
	random := rand.New(rand.NewPCG(seed, 5))
	g := graph.New(0)
	for range n {
		for range 4 {
			g.Add(random.Int32N(n))
		}
		g.EndState()
	}
	p := newPlan(t, g.Undirected())
	assert.Greater(t, p.Forecast.Bytes, float64(MaxBytes))
	assert.Contains(t, p.Forecast.String(), "more than")
	_, err := New(p)
	require.ErrorIs(t, err, limit.ErrTooLarge)
	assert.ErrorContains(t, err, fmt.Sprintf("%d states would take more than", n))
}

// Wherever the context ends, planning ends with its error.
func TestPlanningEndsWithTheContext(t *testing.T) {
	g := shuffledGrid(rand.New(rand.NewPCG(seed, 8)), 60, 70)
	for asked := range 200 {
		ctx := countdown.New(asked * 10)
		p, err := NewPlan(ctx, g, math.Inf(1))
		if err == nil {
			requirePlan(t, p, g)
			require.LessOrEqual(t, ctx.Looks(), asked*10)
			continue
		}
		require.Nil(t, p)
		require.ErrorIs(t, err, context.Canceled)
	}
}

func shuffledGrid(random *rand.Rand, width, height int) *graph.Graph {
	name := random.Perm(width * height)
	next := make([][]int32, width*height)
	for x := range width {
		for y := range height {
			for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				if u, v := x+d[0], y+d[1]; u >= 0 && u < width && v >= 0 && v < height {
					s := name[x*height+y]
					next[s] = append(next[s], int32(name[u*height+v]))
				}
			}
		}
	}
	g := graph.New(0)
	for _, columns := range next {
		g.Columns = append(g.Columns, columns...)
		g.EndState()
	}
	return g
}

// Levels of a path have one state each; a complete graph has two. On grids, levels take hardly fewer operations
// than a dissection, and no more than a band as wide as the grid.
func TestForecastLevels(t *testing.T) {
	path, complete := graph.New(100), graph.New(7)
	for s := range int32(100) {
		path.Columns = append(path.Columns, max(0, s-1), min(99, s+1))
		path.EndState()
	}
	path = path.Undirected()
	assert.Equal(t, Forecast{Bytes: 8 * (99*4 + 2), Operations: 99*(1+1+1./3) + 1./3}.String(), ForecastLevels(path).String())
	for s := range int32(7) {
		for j := range int32(7) {
			if j != s {
				complete.Add(j)
			}
		}
		complete.EndState()
	}
	assert.InEpsilon(t, 1./3+6+36+72, ForecastLevels(complete).Operations, 1e-12)
	for _, size := range [][2]int{{1000, 10}, {100, 100}, {30, 400}} {
		grid := graph.New(size[0] * size[1])
		for i := range size[0] {
			for j := range size[1] {
				for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
					if k, l := i+d[0], j+d[1]; k >= 0 && k < size[0] && l >= 0 && l < size[1] {
						grid.Add(int32(k*size[1] + l))
					}
				}
				grid.EndState()
			}
		}
		n, w := float64(size[0]*size[1]), float64(min(size[0], size[1]))
		levels := ForecastLevels(grid)
		assert.Greater(t, levels.Operations, 0.8*newPlan(t, grid).Forecast.Operations, "%v", size)
		assert.LessOrEqual(t, levels.Operations, n*w*w*7/3, "%v", size)
		assert.LessOrEqual(t, levels.Bytes, 8*n*(3*w+1), "%v", size)
	}
}

// Cycles through a few states where many meet take little more work than in proportion to the number of states.
func TestHubs(t *testing.T) {
	work := func(n int, hubs ...int32) float64 {
		g := graph.New(n)
		for s := range n {
			g.Add(int32((s + 1) % n))
			for _, hub := range hubs {
				if int(hub) != s {
					g.Add(hub)
				}
			}
			g.EndState()
		}
		undirected := g.Undirected()
		p := newPlan(t, undirected)
		requirePlan(t, p, undirected)
		return p.Forecast.Operations
	}
	for _, hubs := range [][]int32{{0}, {7}, {3, 500, 999}} {
		assert.Less(t, work(4000, hubs...), 10*work(1000, hubs...), "%v", hubs)
		assert.Less(t, work(1000, hubs...), 0.01*1000*1000*1000/3, "%v", hubs) // of what it takes without an order
	}
}
