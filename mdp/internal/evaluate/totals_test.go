package evaluate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// randomEnding returns a chain whose states mostly lead to some before them, in components
// of all sizes, and which ends in its last state.
func randomEnding(random *rand.Rand, n int) *Chain {
	back := random.Float64()
	c := &Chain{Chain: *graph.NewChain(n + 1), Costs: make([]float64, n+1)}
	for s := range n {
		leave := 0.01 + 0.1*random.Float64()
		for range 3 {
			j := random.IntN(s + 1)
			if random.Float64() < back {
				j = random.IntN(n)
			}
			if j != s {
				c.Add(int32(j), (1-leave)*random.Float64()/3)
			}
		}
		c.Add(int32(n), leave)
		c.EndState()
		c.Costs[s] = random.NormFloat64()
	}
	c.EndState()
	return c
}

// All ways to solve agree with a dense solver, after any other solution.
func TestTotalsAgainstDenseSolution(t *testing.T) {
	const seed = 11
	random := rand.New(rand.NewPCG(seed, 0))
	team := parallel.NewTeam(2)
	defer team.Close()
	ctx := context.Background()
	for range 60 {
		n := 1 + random.IntN(150)
		chains := []*Chain{randomEnding(random, n), randomEnding(random, n), randomEnding(random, n)}
		for _, totals := range []*Totals{NewTotals(team, n+1, math.Inf(1)), NewTotals(team, n+1, Operations), NewTotals(team, n+1, 0)} {
			for _, chain := range chains {
				matrix := mat.NewDense(n+1, n+1, nil) // I − P, what leaves counting against staying
				for s := range int32(n) {
					columns, probabilities := chain.Row(s)
					for k, j := range columns {
						matrix.Set(int(s), int(s), matrix.At(int(s), int(s))+probabilities[k])
						matrix.Set(int(s), int(j), matrix.At(int(s), int(j))-probabilities[k])
					}
				}
				matrix.Set(n, n, 1)
				var want mat.VecDense
				require.NoError(t, want.SolveVec(matrix, mat.NewVecDense(n+1, chain.Costs)))

				require.NoError(t, totals.Prepare(ctx, chain.Ending()))
				x, isGood, err := totals.Solve(ctx, chain.Costs, 1e-9)
				require.NoError(t, err)
				require.True(t, isGood)
				assert.InDeltaSlice(t, want.RawVector().Data, x, 1e-6, "seed %d, %d states", seed, n)
				x, isGood, err = totals.Solve(ctx, chain.Costs, 0)
				require.NoError(t, err)
				require.True(t, isGood)
				assert.InDeltaSlice(t, want.RawVector().Data, x, 0.1, "seed %d, %d states", seed, n)
			}
		}
	}
}

// Visits, too, are those of a dense solver, where some states are roots, and again where
// others are.
func TestVisitsAgainstDenseSolution(t *testing.T) {
	const seed = 12
	random := rand.New(rand.NewPCG(seed, 0))
	for range 60 {
		n := 1 + random.IntN(150)
		chain, totals := &randomEnding(random, n).Chain, NewTotals(nil, n+1, math.Inf(1))
		for range 2 {
			exit := make([]float64, n+1)
			exit[n] = 1
			exit[random.IntN(n+1)] = math.Inf(1)
			matrix, start := mat.NewDense(n+1, n+1, nil), make([]float64, n+1)
			for s := range int32(n + 1) {
				start[s] = random.Float64()
				matrix.Set(int(s), int(s), 1)
				columns, probabilities := chain.Row(s)
				if !math.IsInf(exit[s], 1) && int(s) < n {
					matrix.Set(int(s), int(s), floats.Sum(probabilities))
					for k, j := range columns {
						matrix.Set(int(s), int(j), matrix.At(int(s), int(j))-probabilities[k])
					}
				}
			}
			var want mat.VecDense
			require.NoError(t, want.SolveVec(matrix.T(), mat.NewVecDense(n+1, start)))
			require.NoError(t, totals.Prepare(context.Background(), Absorbing{chain, exit}))
			y := totals.SolveTransposed(start)
			for s, x := range want.RawVector().Data {
				require.InEpsilon(t, x, y[s], 1e-10, "seed %d, state %d of %d", seed, s, n)
			}
		}
	}
}
