package elimination

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// randomAbsorbedChain returns a chain of n states that is left from each with
// some probability, to state n, where it stays.
func randomAbsorbedChain(random *rand.Rand, n int, density float64) *graph.Chain {
	c := graph.NewChain(n + 1)
	for s := range n {
		leave := 0.1 + 0.2*random.Float64()
		for j := range n {
			if j != s && random.Float64() < density {
				c.Add(int32(j), (1-leave)*random.Float64()/float64(n))
			}
		}
		c.Add(int32(n), leave)
		c.EndState()
	}
	c.EndState()
	return c
}

// eliminate factors a chain that ends in a root.
func eliminate(t *testing.T, c *graph.Chain, root int32) (*Factorization, error) {
	t.Helper()
	e, err := New(newPlan(t, c.Undirected()))
	require.NoError(t, err)
	exit := make([]float64, c.NumStates())
	exit[root] = math.Inf(1)
	return e, e.Factor(context.Background(), c, exit)
}

// Dense and sparse chains, so that fronts have any number of pivots, of blocks
// of them, and of states on the border.
func TestEliminationAgainstDenseSolution(t *testing.T) {
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 5))
	for range 100 {
		n := 1 + random.IntN(90)
		c := randomAbsorbedChain(random, n, min(1, 3*random.Float64()*random.Float64()*random.Float64()))
		e, err := eliminate(t, c, int32(n))
		require.NoError(t, err)
		matrix := mat.NewDense(n+1, n+1, nil) // I − P, what leaves counting against staying
		for s := range n {
			columns, probabilities := c.Row(int32(s))
			for k, j := range columns {
				matrix.Set(s, s, matrix.At(s, s)+probabilities[k])
				matrix.Set(s, int(j), -probabilities[k])
			}
		}
		matrix.Set(n, n, 1)
		right := make([]float64, n+1)
		for i := range right {
			right[i] = random.NormFloat64()
		}
		var want mat.VecDense
		require.NoError(t, want.SolveVec(matrix, mat.NewVecDense(n+1, right)))
		// Each state is left with 0.1 or more: the inverse is at most 10.
		assert.InDeltaSlice(t, want.RawVector().Data, e.Solve(right), 1e-13)

		for i := range right {
			right[i] = math.Abs(right[i])
		}
		require.NoError(t, want.SolveVec(matrix.T(), mat.NewVecDense(n+1, right)))
		assert.InDeltaSlice(t, want.RawVector().Data, e.SolveTransposed(right), 1e-12)
	}
}

// Products of large matrices are shared out; the bits are the same.
func TestEliminationGivesTheSameBitsAtAnyNumberOfProcessors(t *testing.T) {
	random := rand.New(rand.NewPCG(seed, 7))
	c := &graph.Chain{Graph: *shuffledGrid(random, 130, 140)}
	for range c.Columns {
		c.Probabilities = append(c.Probabilities, 0.25*random.Float64())
	}
	var solved, visited []float64
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(processors)
		e, err := eliminate(t, c, 17)
		require.NoError(t, err)
		b := make([]float64, c.NumStates())
		for i := range b {
			b[i] = float64(i % 10)
		}
		x := e.Solve(b)
		y := e.SolveTransposed(b)
		if processors == 1 {
			solved, visited = x, y
		}
		require.Equal(t, solved, x)
		require.Equal(t, visited, y)
	}
}

// From state 1 the only way out leads over a product that underflows.
func TestEliminationSaysWhereItIsStuck(t *testing.T) {
	const rare = 1e-200
	c := &graph.Chain{
		Graph:         graph.Graph{Start: []int{0, 2, 3, 3}, Columns: []int32{1, 2, 0}},
		Probabilities: []float64{1, rare, rare},
	}
	_, err := eliminate(t, c, 2)
	var stuck *StuckError
	require.ErrorAs(t, err, &stuck)
	assert.Contains(t, []int32{0, 1}, stuck.State)
}

func TestForecastIsOfWhatIsHeld(t *testing.T) {
	random := rand.New(rand.NewPCG(seed, 6))
	e, err := eliminate(t, randomAbsorbedChain(random, 40, 0.1), 40)
	require.NoError(t, err)
	forecast := e.Plan.Forecast
	assert.Greater(t, forecast.Bytes, 8*float64(len(e.factors)))
	assert.Contains(t, forecast.String(), "multiplications")
}
