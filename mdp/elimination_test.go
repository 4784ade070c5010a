package mdp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// randomAbsorbedChain returns a chain of n states that is left from each with
// some probability, and the states in a random order.
func randomAbsorbedChain(random *rand.Rand, n int) (c *chain, order []int32) {
	c = &chain{graph: graph{start: []int{0}}, costs: make([]float64, n+1)}
	for s := range n {
		leave := 0.1 + 0.2*random.Float64()
		for j := range n {
			if j != s && random.IntN(3) == 0 {
				c.columns = append(c.columns, int32(j))
				c.probabilities = append(c.probabilities, (1-leave)*random.Float64()/float64(n))
			}
		}
		c.columns = append(c.columns, int32(n))
		c.probabilities = append(c.probabilities, leave)
		c.start = append(c.start, len(c.columns))
	}
	c.start = append(c.start, len(c.columns)) // state n is where it ends
	for _, s := range random.Perm(n) {
		order = append(order, int32(s))
	}
	return c, order
}

func eliminate(t *testing.T, c *chain, order []int32) *elimination {
	t.Helper()
	groups := &groups{of: make([]int32, c.numStates()), place: make([]int32, c.numStates())}
	for i := range groups.of {
		groups.of[i] = rootGroup
	}
	groups.set(order, 0)
	e, err := newElimination(context.Background(), c, order, groups, 0)
	require.NoError(t, err)
	return e
}

func TestEliminationAgainstDenseSolution(t *testing.T) {
	t.Logf("seed %d", graphSeed)
	random := rand.New(rand.NewPCG(graphSeed, 5))
	for range 100 {
		n := 1 + random.IntN(25)
		c, order := randomAbsorbedChain(random, n)
		e := eliminate(t, c, order)
		matrix := mat.NewDense(n, n, nil) // I − P by place, what leaves counting against staying
		for i, s := range order {
			columns, probabilities := c.row(s)
			for k, j := range columns {
				matrix.Set(i, i, matrix.At(i, i)+probabilities[k])
				for place, state := range order {
					if state == j {
						matrix.Set(i, place, -probabilities[k])
					}
				}
			}
		}
		right := make([]float64, n)
		for i := range right {
			right[i] = random.NormFloat64()
		}
		var want mat.VecDense
		require.NoError(t, want.SolveVec(matrix, mat.NewVecDense(n, right)))
		// Each state is left with 0.1 or more: the inverse is at most 10.
		assert.InDeltaSlice(t, want.RawVector().Data, e.solve(right), 1e-13)
		require.NoError(t, want.SolveVec(matrix.T(), mat.NewVecDense(n, right)))
		assert.InDeltaSlice(t, want.RawVector().Data, e.solveTransposed(right), 1e-12)

		for i := range right {
			right[i] = math.Abs(right[i])
		}
		visits := e.solveTransposed(right)
		most := e.mostVisited(right)
		for i, v := range visits {
			if e.order[i] == most {
				for _, other := range visits {
					assert.LessOrEqual(t, other, v)
				}
			}
		}
	}
}

func TestEliminationOfNothing(t *testing.T) {
	e := eliminate(t, &chain{graph: graph{start: []int{0, 0}}}, nil)
	assert.Empty(t, e.solve(nil))
	assert.Empty(t, e.solveTransposed(nil))
}

// From state 1 the only way out leads over a product that underflows.
func TestEliminationSaysWhereItIsStuck(t *testing.T) {
	const rare = 1e-200
	c := &chain{
		graph:         graph{start: []int{0, 2, 3, 3}, columns: []int32{1, 2, 0}},
		probabilities: []float64{1, rare, rare},
	}
	groups := &groups{of: []int32{0, 0, rootGroup}, place: make([]int32, 3)}
	order := []int32{1, 0}
	groups.set(order, 0)
	_, err := newElimination(context.Background(), c, order, groups, 0)
	var stuck *stuckError
	require.ErrorAs(t, err, &stuck)
	assert.EqualValues(t, 1, stuck.state)
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
		for _, root := range []int32{0, int32(n / 2), int32(n - 1)} {
			for _, backward := range []bool{false, true} {
				order := oneOrder(n)
				if backward {
					for i := range order {
						order[i] = int32(n - 1 - i)
					}
				}
				s, err := newSystem(context.Background(), c, order, root)
				require.NoError(t, err, "%d states, root %d", n, root)
				gain, _ := s.solve(c.costs)
				assert.InEpsilon(t, want, gain[0], 1e-13, "%d states, root %d", n, root)
			}
		}
	}
}

func TestForecastIsOfWhatIsHeld(t *testing.T) {
	random := rand.New(rand.NewPCG(graphSeed, 6))
	c, order := randomAbsorbedChain(random, 20)
	e := eliminate(t, c, order)
	forecast := forecastElimination(20, e.below, e.above)
	assert.InDelta(t, 8*(len(e.band)+len(e.exit)), forecast.bytes, 1)
	assert.Contains(t, forecast.String(), "multiplications")
}
