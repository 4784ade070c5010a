package krylov

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func TestAggregatesPartitionTheStates(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 0))
	for _, m := range []*Matrix{
		grid(t, 40, 0), grid(t, 1, 1), randomMatrix(t, random, 500, 1, 0), randomMatrix(t, random, 500, 5, 0),
	} {
		p, _ := m.aggregates(team(t, 1), nil)
		seen := make([]bool, m.Size())
		for k := range p.count() {
			require.NotEmpty(t, p.of(k))
			require.True(t, slices.IsSorted(p.of(k)))
			for _, i := range p.of(k) {
				require.False(t, seen[i])
				seen[i] = true
				require.EqualValues(t, k, p.set[i])
			}
		}
		assert.NotContains(t, seen, false)
	}
	fours, _ := grid(t, 40, 0).aggregates(team(t, 1), nil)
	assert.InDelta(t, 4, 1600/float64(fours.count()), 0.5)
}

// Blocks that are hardly connected are not joined before each is one set.
func TestAggregatesStayWithinBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	const blocks, size = 30, 16
	start, excess := []int{0}, make([]float64, blocks*size)
	var columns []int32
	var weights []float64
	for i := range blocks * size {
		for range 4 {
			if j := i/size*size + random.IntN(size); j != i {
				columns, weights = append(columns, int32(j)), append(weights, 0.2+random.Float64())
			}
		}
		if j := random.IntN(blocks * size); j != i {
			columns, weights = append(columns, int32(j)), append(weights, 1e-6)
		}
		start = append(start, len(columns))
	}
	m := NewMatrix(team(t, 1), start, columns, weights, excess)
	p, _ := m.aggregates(team(t, 1), nil)
	for k := range p.count() {
		for _, i := range p.of(k) {
			assert.Equal(t, p.of(k)[0]/size, i/size)
		}
	}
}

// The coarse matrix is Rᵀ·A·Q, with Q a 1 for each state in the column of its
// set, and R its share in it. The excess of a set is the mean of those of its
// states, to the last digit however small.
func TestCoarseMatrix(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 0))
	for _, n := range []int{1, 7, 300, 5000} {
		m := randomMatrix(t, random, n, 3, 1e-18)
		p, mass := m.aggregates(team(t, 1), nil)
		require.Len(t, mass, p.count())
		c := m.coarse(team(t, 2), p)
		require.Equal(t, p.count(), c.Size())
		for k := range c.Size() {
			assert.InEpsilon(t, 1e-18, c.excess[k], 1e-15)
		}
		if n > 300 {
			continue
		}
		q, r := mat.NewDense(n, p.count(), nil), mat.NewDense(n, p.count(), nil)
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
	start, excess := []int{0}, make([]float64, n)
	var columns []int32
	var weights []float64
	for i := range n {
		if i > 0 {
			columns, weights = append(columns, int32(i-1)), append(weights, 0.75)
		}
		if i < n-1 {
			columns, weights = append(columns, int32(i+1)), append(weights, 0.25)
		}
		start = append(start, len(columns))
	}
	m := NewMatrix(team(t, 1), start, columns, weights, excess)
	both := [2]*Matrix{m, m.transpose()}
	alone := make([]int32, n)
	for i := range alone {
		alone[i] = int32(i)
	}
	p := newPartition(alone, n)
	mass := slices.Repeat([]float64{1}, n)
	for range 20_000 {
		mass = both[1].moveMass(team(t, 1), mass, m.leaving(p))
	}
	for i := 1; i < 10; i++ {
		assert.InEpsilon(t, 1./3, mass[i]/mass[i-1], 1e-6)
	}
	pairs := match(both, p)
	pairs.weigh(mass)
	assert.Equal(t, []int32{2, 3}, pairs.of(1))
	assert.InEpsilon(t, 0.75, pairs.share[2], 1e-6)
}

func TestShiftIsExcess(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 0))
	m, shifted := randomMatrix(t, random, 900, 3, 1e-3), randomMatrix(t, rand.New(rand.NewPCG(7, 0)), 900, 3, 0)
	g := NewMultigrid(team(t, 1), shifted)
	for _, by := range []float64{0.5, 1e-3} {
		shifted.Shift(team(t, 1), by)
		g.Shift(by)
	}
	b := randomVector(random, 900)
	for _, pair := range [][2]Operator{
		{m.Operator(team(t, 1)), shifted.Operator(team(t, 1))},
		{NewMultigrid(team(t, 1), m).Apply, g.Apply},
	} {
		want, got := make([]float64, 900), make([]float64, 900)
		pair[0](want, b)
		pair[1](got, b)
		for i := range want {
			assert.InDelta(t, want[i], got[i], 1e-9, "%d", i)
		}
	}
}

// Against exact elimination: with an excess of 1e-30 the solution has all its
// digits, where one that takes differences has none.
func TestFactorsLoseNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 0))
	const n = 12
	m := randomMatrix(t, random, n, 3, 1e-30)
	for i := range n { // one more way round, so that all is connected
		m.columns = slices.Insert(m.columns, m.start[i], int32((i+1)%n))
		m.weights = slices.Insert(m.weights, m.start[i], 0.5)
		for k := i + 1; k <= n; k++ {
			m.start[k]++
		}
	}
	m = NewMatrix(team(t, 1), m.start, m.columns, m.weights, m.excess)
	a, b := make([][]*big.Rat, n), make([]*big.Rat, n)
	right := make([]float64, n)
	for i := range n {
		right[i] = random.Float64()
		b[i] = new(big.Rat).SetFloat64(right[i])
		a[i] = make([]*big.Rat, n)
		for j := range n {
			a[i][j] = new(big.Rat)
		}
		a[i][i].SetFloat64(m.excess[i])
	}
	for i := range n {
		for e := m.start[i]; e < m.start[i+1]; e++ {
			w := new(big.Rat).SetFloat64(m.weights[e])
			a[i][i].Add(a[i][i], w)
			a[i][m.columns[e]].Sub(a[i][m.columns[e]], w)
		}
	}
	x := make([]float64, n)
	m.factor().solve(x, right)
	for i, want := range solveExactly(a, b) {
		f, _ := want.Float64()
		assert.InEpsilon(t, f, x[i], 1e-13)
	}
}

// solveExactly solves a·x = b by Gaussian elimination; it overwrites both.
func solveExactly(a [][]*big.Rat, b []*big.Rat) []*big.Rat {
	n, term := len(b), new(big.Rat)
	for k := range n {
		for i := k + 1; i < n; i++ {
			factor := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k; j < n; j++ {
				a[i][j].Sub(a[i][j], term.Mul(factor, a[k][j]))
			}
			b[i].Sub(b[i], term.Mul(factor, b[k]))
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			b[k].Sub(b[k], term.Mul(a[k][j], b[j]))
		}
		b[k].Quo(b[k], a[k][k])
	}
	return b
}

func TestNewMatrixRefuses(t *testing.T) {
	w := team(t, 1)
	assert.Panics(t, func() { NewMatrix(w, []int{0}, nil, nil, []float64{1}) })
	assert.Panics(t, func() { NewMatrix(w, []int{0, 1}, []int32{0}, nil, []float64{1}) })
	assert.Panics(t, func() { NewMatrix(w, []int{0, 2}, []int32{0}, []float64{1}, []float64{1}) })
}
