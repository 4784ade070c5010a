package mdp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// randomAbsorbedChain returns a chain of n states that is left from each with
// some probability, to state n, where it stays.
func randomAbsorbedChain(random *rand.Rand, n int, density float64) *chain {
	c := &chain{graph: graph{start: []int{0}}, costs: make([]float64, n+1)}
	for s := range n {
		leave := 0.1 + 0.2*random.Float64()
		for j := range n {
			if j != s && random.Float64() < density {
				c.columns = append(c.columns, int32(j))
				c.probabilities = append(c.probabilities, (1-leave)*random.Float64()/float64(n))
			}
		}
		c.columns = append(c.columns, int32(n))
		c.probabilities = append(c.probabilities, leave)
		c.start = append(c.start, len(c.columns))
	}
	c.start = append(c.start, len(c.columns))
	return c
}

func eliminate(t *testing.T, c *chain, team *parallel.Team, roots ...int32) (*elimination, error) {
	t.Helper()
	e, err := newElimination(newPlan(c.undirected(c.reverse()), 1), team)
	require.NoError(t, err)
	return e, e.factor(context.Background(), c, roots)
}

// Dense and sparse chains, so that fronts have any number of pivots, of blocks
// of them, and of states on the border.
func TestEliminationAgainstDenseSolution(t *testing.T) {
	t.Logf("seed %d", graphSeed)
	random := rand.New(rand.NewPCG(graphSeed, 5))
	for range 100 {
		n := 1 + random.IntN(90)
		c := randomAbsorbedChain(random, n, min(1, 3*random.Float64()*random.Float64()*random.Float64()))
		e, err := eliminate(t, c, parallel.NewTeam(1), int32(n))
		require.NoError(t, err)
		matrix := mat.NewDense(n+1, n+1, nil) // I − P, what leaves counting against staying
		for s := range n {
			columns, probabilities := c.row(int32(s))
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
		assert.InDeltaSlice(t, want.RawVector().Data, e.solve(right), 1e-13)

		for i := range right {
			right[i] = math.Abs(right[i])
		}
		require.NoError(t, want.SolveVec(matrix.T(), mat.NewVecDense(n+1, right)))
		visits, scale := e.solveTransposed(right)
		assert.Equal(t, 1.0, scale)
		assert.InDeltaSlice(t, want.RawVector().Data, visits, 1e-12)
		visits, scale = e.solveTransposedScaled(right)
		assert.Equal(t, 1.0, scale)
		assert.InDeltaSlice(t, want.RawVector().Data, visits, 1e-12)
	}
}

// Large fronts are shared out; the bits are the same.
func TestEliminationGivesTheSameBitsAtAnyNumberOfWorkers(t *testing.T) {
	random := rand.New(rand.NewPCG(graphSeed, 7))
	c := &chain{graph: *shuffledGrid(random, 130, 140)}
	c.costs = make([]float64, c.numStates())
	for range c.columns {
		c.probabilities = append(c.probabilities, 0.25*random.Float64())
	}
	var solved, visited []float64
	for _, workers := range []int{1, 2, 5} {
		team := parallel.NewTeam(workers)
		e, err := eliminate(t, c, team, 17)
		require.NoError(t, err)
		b := make([]float64, c.numStates())
		for i := range b {
			b[i] = float64(i % 10)
		}
		x := e.solve(b)
		y, _ := e.solveTransposed(b)
		team.Close()
		if workers == 1 {
			solved, visited = x, y
		}
		require.Equal(t, solved, x)
		require.Equal(t, visited, y)
	}
}

// From state 1 the only way out leads over a product that underflows.
func TestEliminationSaysWhereItIsStuck(t *testing.T) {
	const rare = 1e-200
	c := &chain{
		graph:         graph{start: []int{0, 2, 3, 3}, columns: []int32{1, 2, 0}},
		probabilities: []float64{1, rare, rare},
		costs:         make([]float64, 3),
	}
	_, err := eliminate(t, c, parallel.NewTeam(1), 2)
	var stuck *stuckError
	require.ErrorAs(t, err, &stuck)
	assert.Contains(t, []int32{0, 1}, stuck.state)
	assert.ErrorIs(t, err, ErrPrecisionLimit)
}

// Any state serves as the root from which a class is factored: a bad one is
// replaced.
func TestClassesForgiveABadRoot(t *testing.T) {
	for _, n := range []int{2, 30, 5000} {
		c := &chain{graph: graph{start: []int{0}}, costs: make([]float64, n)}
		for s := range int32(n) { // drifts down: π(s) = 2⁻ˢ⁻¹, nearly
			for j, p := range map[int32]float64{s - 1: 0.5, s + 1: 0.25} {
				if j >= 0 && int(j) < n {
					c.columns, c.probabilities = append(c.columns, j), append(c.probabilities, p)
				}
			}
			c.start = append(c.start, len(c.columns))
			c.costs[s] = float64(s)
		}
		want := 0.0
		for s := range n {
			want += float64(s) * math.Ldexp(0.5, -s) / (1 - math.Ldexp(1, -n))
		}
		e, err := newElimination(newPlan(c.undirected(c.reverse()), 1), parallel.NewTeam(1))
		require.NoError(t, err)
		for _, root := range []int32{0, int32(n / 2), int32(n - 1)} {
			s, err := newSystem(context.Background(), e, c, root)
			require.NoError(t, err, "%d states, root %d", n, root)
			assert.InEpsilon(t, want, s.gains(c.costs)[0], 1e-13, "%d states, root %d", n, root)
		}
	}
}

func TestForecastIsOfWhatIsHeld(t *testing.T) {
	random := rand.New(rand.NewPCG(graphSeed, 6))
	e, err := eliminate(t, randomAbsorbedChain(random, 40, 0.1), parallel.NewTeam(1), 40)
	require.NoError(t, err)
	held := len(e.factors)
	for _, stack := range e.stacks {
		held += len(stack)
	}
	forecast := e.plan.forecast
	assert.InDelta(t, 8*held, forecast.bytes, 1)
	assert.Contains(t, forecast.String(), "multiplications")
}
