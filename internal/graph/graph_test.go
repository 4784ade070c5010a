package graph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const graphSeed = 20260601

// randomGraph returns a graph of n states in which each edge is there with the
// given probability.
func randomGraph(random *rand.Rand, n int, density float64) *Graph {
	g := New(n)
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

// reachable returns what can be reached from what, by Warshall's algorithm.
func reachable(g *Graph) [][]bool {
	n := g.NumStates()
	reach := make([][]bool, n)
	for s := range n {
		reach[s] = make([]bool, n)
		reach[s][s] = true
		for _, j := range g.Next(int32(s)) {
			reach[s][j] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}

func TestComponentsAgainstReachability(t *testing.T) {
	t.Logf("seed %d", graphSeed)
	random := rand.New(rand.NewPCG(graphSeed, 1))
	for range 400 {
		n := 1 + random.IntN(14)
		g := randomGraph(random, n, random.Float64()*3/float64(n))
		reach := reachable(g)
		count, component := g.Components()
		used := make([]bool, count)
		for i := range n {
			used[component[i]] = true
			for j := range n {
				require.Equal(t, reach[i][j] && reach[j][i], component[i] == component[j], "%v: states %d and %d", g, i, j)
				if reach[i][j] {
					require.GreaterOrEqual(t, component[i], component[j], "%v: not in reverse topological order", g)
				}
			}
		}
		require.NotContains(t, used, false)

		var closed [][]int32
		for i := range n {
			var class []int32
			for j := range n {
				if reach[i][j] && reach[j][i] {
					class = append(class, int32(j))
				} else if reach[i][j] {
					class = nil // it leads away
					break
				}
			}
			if len(class) > 0 && int(class[0]) == i {
				closed = append(closed, class)
			}
		}
		require.Equal(t, closed, g.Closed(), "%v", g)
	}
}

// A recursive search would overflow the stack on a path this long.
func TestComponentsOfALongPath(t *testing.T) {
	const n = 1 << 20
	g := New(n)
	for s := range n - 1 {
		g.Add(int32(s + 1))
		g.EndState()
	}
	g.EndState()
	count, _ := g.Components()
	assert.Equal(t, n, count)
	assert.Equal(t, [][]int32{{n - 1}}, g.Closed())
}

func TestReverse(t *testing.T) {
	random := rand.New(rand.NewPCG(graphSeed, 2))
	for range 50 {
		g := randomGraph(random, 1+random.IntN(10), 0.3)
		reverse := g.Reverse()
		for s := range int32(g.NumStates()) {
			for j := range int32(g.NumStates()) {
				assert.Equal(t, slices.Contains(g.Next(s), j), slices.Contains(reverse.Next(j), s))
			}
		}
	}
}

// SmallComponents finds what ComponentsWithout finds, unless a component has too many states: then none.
func TestSmallComponents(t *testing.T) {
	t.Logf("seed %d", graphSeed)
	random := rand.New(rand.NewPCG(graphSeed, 3))
	found := 0
	for range 2000 {
		n := 1 + random.IntN(12)
		g, left, most := New(n), make([]bool, n), 1+random.IntN(4)
		back := random.Float64() * 0.3
		up := random.IntN(2) == 0
		for s := range n {
			left[s] = random.IntN(8) == 0
			for j := range n {
				if (j >= s) == up && random.Float64() < 0.3 || random.Float64() < back*float64(random.IntN(2)) {
					g.Add(int32(j))
				}
			}
			g.EndState()
		}
		wantCount, want, _ := g.ComponentsWithout(left)
		count, component, order := g.SmallComponents(left, most)
		if largest := len(slices.MaxFunc(append(Members(want, wantCount), nil), func(a, b []int32) int { return len(a) - len(b) })); largest > most {
			require.Nil(t, component)
			continue
		}
		found++
		require.Equal(t, wantCount, count)
		require.ElementsMatch(t, slices.Concat(Members(want, wantCount)...), order)
		for s := range int32(n) {
			require.Equal(t, left[s], component[s] < 0)
			for _, j := range g.Next(s) {
				if !left[s] && !left[j] {
					require.LessOrEqual(t, component[j], component[s])
					require.Equal(t, want[j] == want[s], component[j] == component[s])
				}
			}
		}
	}
	require.Greater(t, found, 500)
}
