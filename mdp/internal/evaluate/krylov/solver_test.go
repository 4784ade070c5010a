package krylov

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

func team(t *testing.T, workers int) *parallel.Team {
	t.Helper()
	team := parallel.NewTeam(workers)
	t.Cleanup(team.Close)
	return team
}

// randomMatrix has about degree weights in a row, to states that are near or
// anywhere, and the exit in each.
func randomMatrix(t *testing.T, random *rand.Rand, n int, degree float64, exit float64) *matrix {
	t.Helper()
	chain := graph.NewChain(n)
	for i := range n {
		for range 1 + random.IntN(int(2*degree)) {
			j := random.IntN(n)
			if random.IntN(2) == 0 {
				j = min(max(i+random.IntN(5)-2, 0), n-1)
			}
			if j != i {
				chain.Add(int32(j), random.Float64())
			}
		}
		chain.EndState()
	}
	return newMatrix(team(t, 1), chain, slices.Repeat([]float64{exit}, n))
}

// grid is I − P of a walk on a square with the given exit.
func grid(t *testing.T, width int, exit float64) *matrix {
	t.Helper()
	chain := graph.NewChain(width * width)
	for i := range width * width {
		for _, d := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
			x, y := i%width+d[0], i/width+d[1]
			if x >= 0 && x < width && y >= 0 && y < width {
				chain.Add(int32(y*width+x), 0.25)
			}
		}
		chain.EndState()
	}
	return newMatrix(team(t, 1), chain, slices.Repeat([]float64{exit}, width*width))
}

func (m *matrix) dense() *mat.Dense {
	n := m.NumStates()
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, m.diagonal[i])
		columns, weights := m.Row(int32(i))
		for e, j := range columns {
			d.Set(i, int(j), d.At(i, int(j))-weights[e])
		}
	}
	return d
}

func randomVector(random *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = random.NormFloat64()
	}
	return x
}

// left returns the largest magnitude of b − A·x, by a dense product.
func left(m *matrix, x, b []float64) float64 {
	var product mat.VecDense
	product.MulVec(m.dense(), mat.NewVecDense(len(x), x))
	largest := 0.0
	for i := range b {
		largest = max(largest, math.Abs(b[i]-product.AtVec(i)))
	}
	return largest
}

func TestSolverAgainstDenseSolves(t *testing.T) {
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	for trial := range 100 {
		n := 1 + random.IntN(300)
		m := randomMatrix(t, random, n, 3, []float64{1, 1e-3, 1e-6}[trial%3])
		b := randomVector(random, n)
		var want mat.VecDense
		require.NoError(t, want.SolveVec(m.dense(), mat.NewVecDense(n, b)))
		label := fmt.Sprintf("seed %d, trial %d", seed, trial)
		x, outcome, err := New(team(t, 1), &m.Chain, m.exit).Solve(context.Background(), b, 1e-7)
		require.NoError(t, err, label)
		require.True(t, outcome.Converged, "%s: %+v", label, outcome)
		assert.LessOrEqual(t, outcome.Residual, 1e-7, label)
		// Solutions are up to 1e6, residuals thereby rounded to some 1e-10.
		assert.InDelta(t, left(m, x, b), outcome.Residual, 1e-9, label)
		// The rows of the inverse sum to at most 1/exit.
		for i := range x {
			require.InDelta(t, want.AtVec(i), x[i], 2e-7/m.exit[i], label)
		}
	}
}

// Without levels, steps of conjugate residuals bring the residual down as they should.
func TestConjugateResidualsWithoutPreconditioner(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 0))
	for range 20 {
		n := 2 + random.IntN(60)
		m := randomMatrix(t, random, n, 3, 1)
		r, x := randomVector(random, n), make([]float64, n)
		b := slices.Clone(r)
		steps := newConjugate(m, n)
		for norm := floats.Norm(r, 2); !steps.isFull() && floats.Norm(r, 2) > 1e-9; {
			require.True(t, steps.step(x, r, func(z, r []float64) { copy(z, r) }))
			require.LessOrEqual(t, floats.Norm(r, 2), norm*(1+1e-12))
			norm = floats.Norm(r, 2)
		}
		assert.Less(t, left(m, x, b), 1e-8)
		for i := range steps.sizes {
			for k := range i {
				assert.InDelta(t, 0, floats.Dot(steps.images[i], steps.images[k]), 1e-12*max(1, steps.sizes[i], steps.sizes[k]))
			}
		}
	}
}

func TestSolverLimits(t *testing.T) {
	m := grid(t, 30, 1e-4)
	b := make([]float64, m.NumStates())
	b[0] = 1
	s := New(team(t, 1), &m.Chain, m.exit)
	x, outcome, err := s.Solve(context.Background(), b, 1e-30) // less than rounding leaves
	require.NoError(t, err)
	assert.False(t, outcome.Converged)
	assert.Less(t, outcome.Iterations, mostIterations)
	assert.Less(t, outcome.Residual, 1e-12)
	assert.InDelta(t, left(m, x, b), outcome.Residual, 1e-12)

	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	_, _, err = s.Solve(ctx, b, 1e-9)
	require.ErrorIs(t, err, enough)

	clear(b)
	_, outcome, err = s.Solve(ctx, b, 0)
	require.NoError(t, err, "nothing is left to do")
	assert.Equal(t, Outcome{Converged: true}, outcome)

	b[0] = math.NaN()
	_, outcome, err = s.Solve(context.Background(), b, 1e-9)
	require.NoError(t, err)
	assert.False(t, outcome.Converged)
}

func TestSameBitsAtAnyNumberOfWorkers(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for _, m := range []*matrix{grid(t, 150, 1e-6), randomMatrix(t, random, 20_000, 4, 1e-2)} {
		b := randomVector(random, m.NumStates())
		var want []float64
		for _, workers := range []int{1, 2, 3} {
			x, outcome, err := New(team(t, workers), &m.Chain, m.exit).Solve(context.Background(), b, 1e-6)
			require.NoError(t, err)
			require.True(t, outcome.Converged, "%+v", outcome)
			if want == nil {
				want = x
			}
			require.Equal(t, want, x)
		}
	}
}

// The number of iterations hardly depends on the size, nor on how nearly singular
// the matrix is. Without levels it would grow with the width.
func TestIterationsDoNotDependOnTheSize(t *testing.T) {
	for _, width := range []int{50, 100, 200} {
		for _, exit := range []float64{1e-3, 1e-6, 1e-9} {
			m := grid(t, width, exit)
			b := randomVector(rand.New(rand.NewPCG(3, 0)), m.NumStates())
			floats.AddConst(-floats.Sum(b)/float64(len(b)), b) // the mean takes another solution than the rest
			_, outcome, err := New(team(t, 1), &m.Chain, m.exit).Solve(context.Background(), b, 1e-6)
			require.NoError(t, err)
			assert.True(t, outcome.Converged)
			assert.Less(t, outcome.Iterations, 30, "width %d, exit %v", width, exit)
		}
	}
}

// A solver that follows to other exits is as good as a new one. One that follows to
// another chain still solves the equations of that chain.
func TestFollow(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 0))
	m, b := grid(t, 40, 1e-2), randomVector(random, 1600)
	s := New(team(t, 1), &m.Chain, m.exit)
	for _, exit := range []float64{0.5, 1e-3, 1e-8} {
		exits := slices.Repeat([]float64{exit}, 1600)
		s.Follow(&m.Chain, exits)
		want, got := make([]float64, 1600), make([]float64, 1600)
		newMultigrid(team(t, 1), newMatrix(team(t, 1), &m.Chain, exits)).cycle(0, want, b)
		s.grid.cycle(0, got, b)
		for i := range want {
			assert.InDelta(t, want[i], got[i], 1e-9*max(1, math.Abs(want[i])), "%d", i)
		}
	}
	other := randomMatrix(t, random, 1600, 3, 1e-3)
	for range 2 { // the first time with a preconditioner that is not good
		s.Follow(&other.Chain, other.exit)
		x, outcome, err := s.Solve(context.Background(), b, 1e-6)
		require.NoError(t, err)
		assert.InDelta(t, left(other, x, b), outcome.Residual, 1e-9)
	}
	x, outcome, err := s.Solve(context.Background(), b, 1e-6)
	require.NoError(t, err)
	assert.True(t, outcome.Converged)
	assert.Less(t, left(other, x, b), 2e-6)
}
