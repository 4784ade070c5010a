package mdp

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func band(g *graph, order []int32) int {
	below, above := g.bandwidths(order, oneGroup(order), 0)
	return below + above
}

func requirePermutation(t *testing.T, order []int32, n int) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(order))
	require.Len(t, sorted, n)
	for i, s := range sorted {
		require.EqualValues(t, i, s)
	}
}

func TestBandOrderIsAPermutation(t *testing.T) {
	t.Logf("seed %d", graphSeed)
	random := rand.New(rand.NewPCG(graphSeed, 3))
	for range 200 {
		n := 1 + random.IntN(20)
		g := randomGraph(random, n, random.Float64()*2/float64(n))
		order := g.bandOrder()
		requirePermutation(t, order, n)
		requirePermutation(t, g.undirected().breadthFirst(), n)
	}
}

// A grid of 12 × 80 whose states are numbered at random: the best band holds
// one row of 12 on either side, which is also about what levels from a corner
// give.
func TestBandOrderNarrowsAShuffledGrid(t *testing.T) {
	const width, height = 12, 80
	g := shuffledGrid(rand.New(rand.NewPCG(graphSeed, 4)), width, height)
	order := g.bandOrder()
	requirePermutation(t, order, width*height)
	assert.LessOrEqual(t, band(g, order), 2*(width+2))
	assert.Greater(t, band(g, oneOrder(width*height)), width*height)
}

// Where the numbers are in order already they are kept.
func TestBandOrderKeepsAGoodOrder(t *testing.T) {
	const n = 1000
	g := &graph{start: []int{0}}
	for s := range n {
		if s > 0 {
			g.columns = append(g.columns, int32(s-1))
		}
		if s < n-1 {
			g.columns = append(g.columns, int32(s+1))
		}
		g.start = append(g.start, len(g.columns))
	}
	assert.Equal(t, oneOrder(n), g.bandOrder())
}

func oneOrder(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

func shuffledGrid(random *rand.Rand, width, height int) *graph {
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
	g := &graph{start: []int{0}}
	for _, columns := range next {
		g.columns = append(g.columns, columns...)
		g.start = append(g.start, len(g.columns))
	}
	return g
}
