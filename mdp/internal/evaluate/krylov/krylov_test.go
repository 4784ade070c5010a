package krylov

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

func team(t *testing.T, workers int) *parallel.Team {
	t.Helper()
	team := parallel.NewTeam(workers)
	t.Cleanup(team.Close)
	return team
}

// randomMatrix has about degree weights in a row, to states that are near or
// anywhere, and the excess in each.
func randomMatrix(t *testing.T, random *rand.Rand, n int, degree float64, excess float64) *Matrix {
	t.Helper()
	start, rest := []int{0}, make([]float64, n)
	var columns []int32
	var weights []float64
	for i := range n {
		for range 1 + random.IntN(int(2*degree)) {
			j := random.IntN(n)
			if random.IntN(2) == 0 {
				j = min(max(i+random.IntN(5)-2, 0), n-1)
			}
			if j != i {
				columns, weights = append(columns, int32(j)), append(weights, random.Float64())
			}
		}
		rest[i] = excess
		start = append(start, len(columns))
	}
	return NewMatrix(team(t, 1), start, columns, weights, rest)
}

// grid is I − P of a walk on a square with the given excess.
func grid(t *testing.T, width int, excess float64) *Matrix {
	t.Helper()
	n := width * width
	start, rest := []int{0}, make([]float64, n)
	var columns []int32
	var weights []float64
	for i := range n {
		for _, d := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
			x, y := i%width+d[0], i/width+d[1]
			if x >= 0 && x < width && y >= 0 && y < width {
				columns, weights = append(columns, int32(y*width+x)), append(weights, 0.25)
			}
		}
		rest[i] = excess
		start = append(start, len(columns))
	}
	return NewMatrix(team(t, 1), start, columns, weights, rest)
}

func (m *Matrix) dense() *mat.Dense {
	n := m.Size()
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, m.diagonal[i])
		for e := m.start[i]; e < m.start[i+1]; e++ {
			j := int(m.columns[e])
			d.Set(i, j, d.At(i, j)-m.weights[e])
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

// residual returns the largest magnitude of b − A·x, by a dense product.
func residual(m *Matrix, x, b []float64) float64 {
	var product mat.VecDense
	product.MulVec(m.dense(), mat.NewVecDense(len(x), x))
	largest := 0.0
	for i := range b {
		largest = max(largest, math.Abs(b[i]-product.AtVec(i)))
	}
	return largest
}

func identity(dst, x []float64) { copy(dst, x) }

func TestGMRESAgainstDenseSolves(t *testing.T) {
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	for trial := range 100 {
		n := 1 + random.IntN(300)
		m := randomMatrix(t, random, n, 3, []float64{1, 1e-3, 1e-6}[trial%3])
		b := randomVector(random, n)
		var want mat.VecDense
		require.NoError(t, want.SolveVec(m.dense(), mat.NewVecDense(n, b)))
		for name, preconditioner := range map[string]Operator{"none": identity, "multigrid": NewMultigrid(team(t, 1), m).Apply} {
			label := fmt.Sprintf("seed %d, trial %d, %s", seed, trial, name)
			g := NewGMRES(team(t, 1), n)
			g.Restart, g.Iterations = n+1, 2*n+2
			x := randomVector(random, n)
			outcome, err := g.Solve(context.Background(), m.Operator(team(t, 1)), preconditioner, x, b, 1e-7)
			require.NoError(t, err, label)
			require.True(t, outcome.Converged, "%s: %+v", label, outcome)
			require.False(t, outcome.Stagnated, label)
			assert.LessOrEqual(t, outcome.Residual, 1e-7, label)
			// Solutions are up to 1e6, residuals thereby rounded to some 1e-10.
			assert.InDelta(t, residual(m, x, b), outcome.Residual, 1e-9, label)
			// The rows of the inverse sum to at most 1/excess.
			for i := range x {
				require.InDelta(t, want.AtVec(i), x[i], 2e-7/m.excess[i], label)
			}
		}
	}
}

// A cyclic shift moves the residual on by one place in each iteration, so that
// with restarts before it is round nothing is gained (Nachtigal, Reddy and
// Trefethen 1992).
func TestGMRESStagnates(t *testing.T) {
	const n = 40
	shift := func(dst, x []float64) {
		copy(dst, x[1:])
		dst[n-1] = x[0]
	}
	b := make([]float64, n)
	b[0] = 1
	g := NewGMRES(team(t, 1), n)
	g.Restart = 10
	x := make([]float64, n)
	outcome, err := g.Solve(context.Background(), shift, identity, x, b, 1e-9)
	require.NoError(t, err)
	assert.Equal(t, Outcome{Residual: 1, Iterations: 10, Stagnated: true}, outcome)
	g = NewGMRES(team(t, 1), n)
	g.Restart = n
	outcome, err = g.Solve(context.Background(), shift, identity, x, b, 1e-9)
	require.NoError(t, err)
	assert.True(t, outcome.Converged)
	assert.InDelta(t, 1, x[1], 1e-12)
}

func TestGMRESLimits(t *testing.T) {
	m := grid(t, 30, 1e-4)
	b := make([]float64, m.Size())
	b[0] = 1
	g := NewGMRES(team(t, 1), m.Size())
	g.Iterations = 7
	x := make([]float64, m.Size())
	outcome, err := g.Solve(context.Background(), m.Operator(team(t, 1)), identity, x, b, 1e-9)
	require.NoError(t, err)
	assert.False(t, outcome.Converged)
	assert.Equal(t, 7, outcome.Iterations)
	assert.InDelta(t, residual(m, x, b), outcome.Residual, 1e-12)

	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(enough)
	outcome, err = g.Solve(ctx, m.Operator(team(t, 1)), identity, x, b, 1e-9)
	require.ErrorIs(t, err, enough)
	assert.InDelta(t, residual(m, x, b), outcome.Residual, 1e-12)

	clear(b)
	clear(x)
	outcome, err = g.Solve(ctx, m.Operator(team(t, 1)), identity, x, b, 0)
	require.NoError(t, err, "nothing is left to do")
	assert.Equal(t, Outcome{Converged: true}, outcome)

	b[0] = math.NaN()
	outcome, err = g.Solve(context.Background(), m.Operator(team(t, 1)), identity, x, b, 1e-9)
	require.NoError(t, err)
	assert.False(t, outcome.Converged)
}

func TestSameBitsAtAnyNumberOfWorkers(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for _, m := range []*Matrix{grid(t, 150, 1e-6), randomMatrix(t, random, 20_000, 4, 1e-2)} {
		b := randomVector(random, m.Size())
		var want []float64
		for _, workers := range []int{1, 2, 3} {
			w := team(t, workers)
			x := make([]float64, m.Size())
			g := NewMultigrid(w, NewMatrix(w, m.start, m.columns, m.weights, m.excess))
			outcome, err := NewGMRES(w, m.Size()).Solve(context.Background(), m.Operator(w), g.Apply, x, b, 1e-6)
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
		for _, excess := range []float64{1e-3, 1e-6, 1e-9} {
			m := grid(t, width, excess)
			b := randomVector(rand.New(rand.NewPCG(3, 0)), m.Size())
			sum := 0.0
			for _, x := range b {
				sum += x
			}
			for i := range b { // the mean takes another solution than the rest
				b[i] -= sum / float64(len(b))
			}
			w := team(t, 1)
			outcome, err := NewGMRES(w, m.Size()).Solve(context.Background(), m.Operator(w), NewMultigrid(w, m).Apply, make([]float64, m.Size()), b, 1e-6)
			require.NoError(t, err)
			assert.True(t, outcome.Converged)
			assert.Less(t, outcome.Iterations, 30, "width %d, excess %v", width, excess)
		}
	}
}
