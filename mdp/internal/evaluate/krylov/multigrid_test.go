package krylov

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

func TestAggregatesPartitionTheStates(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 0))
	for _, m := range []*matrix{
		grid(t, 40, 0), grid(t, 1, 1), randomMatrix(t, random, 500, 1, 0), randomMatrix(t, random, 500, 5, 0),
	} {
		p, _ := m.aggregates(nil)
		seen := make([]bool, m.NumStates())
		for k := range len(p.members) {
			require.NotEmpty(t, p.members[k])
			require.True(t, slices.IsSorted(p.members[k]))
			for _, i := range p.members[k] {
				require.False(t, seen[i])
				seen[i] = true
				require.EqualValues(t, k, p.set[i])
			}
		}
		assert.NotContains(t, seen, false)
	}
	fours, _ := grid(t, 40, 0).aggregates(nil)
	assert.InDelta(t, 4, 1600/float64(len(fours.members)), 0.5)
}

// Blocks that are hardly connected are not joined before each is one set.
func TestAggregatesStayWithinBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	const blocks, size = 30, 16
	chain := graph.NewChain(blocks * size)
	for i := range blocks * size {
		for range 4 {
			if j := i/size*size + random.IntN(size); j != i {
				chain.Add(int32(j), 0.2+random.Float64())
			}
		}
		if j := random.IntN(blocks * size); j != i {
			chain.Add(int32(j), 1e-6)
		}
		chain.EndState()
	}
	m := newMatrix(team(t, 1), chain, make([]float64, blocks*size))
	p, _ := m.aggregates(nil)
	for k := range len(p.members) {
		for _, i := range p.members[k] {
			assert.Equal(t, p.members[k][0]/size, i/size)
		}
	}
}

// The coarse matrix is Rᵀ·A·Q, with Q a 1 for each state in the column of its
// set, and R its share in it. The exit of a set is the mean of those of its
// states, to the last digit however small.
func TestCoarseMatrix(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 0))
	for _, n := range []int{1, 7, 300, 5000} {
		m := randomMatrix(t, random, n, 3, 1e-18)
		p, mass := m.aggregates(nil)
		require.Len(t, mass, len(p.members))
		c := m.coarse(team(t, 2), p)
		require.Equal(t, len(p.members), c.NumStates())
		for k := range c.NumStates() {
			assert.InEpsilon(t, 1e-18, c.exit[k], 1e-15)
		}
		if n > 300 {
			continue
		}
		q, r := mat.NewDense(n, len(p.members), nil), mat.NewDense(n, len(p.members), nil)
		for i, k := range p.set {
			q.Set(i, int(k), 1)
			r.Set(i, int(k), p.share[i])
		}
		var product, want mat.Dense
		product.Mul(m.dense(), q)
		want.Mul(r.T(), &product)
		assert.True(t, mat.EqualApprox(&want, c.dense(), 1e-13))
	}
}

// On a birth-death chain that goes down three times as often as up, neighbours
// have 3/4 and 1/4 of their mass.
func TestMassDrifts(t *testing.T) {
	const n = 64
	chain := graph.NewChain(n)
	for i := range int32(n) {
		if i > 0 {
			chain.Add(i-1, 0.75)
		}
		if i < n-1 {
			chain.Add(i+1, 0.25)
		}
		chain.EndState()
	}
	both, p := [2]*graph.Chain{chain, chain.Entering()}, alone(n)
	mass := slices.Repeat([]float64{1}, n)
	for range 20_000 {
		mass = moveMass(both[1], mass, leaving(chain, p))
	}
	for i := 1; i < 10; i++ {
		assert.InEpsilon(t, 1./3, mass[i]/mass[i-1], 1e-6)
	}
	pairs := match(both, p)
	pairs.weigh(mass)
	assert.Equal(t, []int32{2, 3}, pairs.members[1])
	assert.InEpsilon(t, 0.75, pairs.share[2], 1e-6)
}
