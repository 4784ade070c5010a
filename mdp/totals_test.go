package mdp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// scattered returns a model of n states whose steps lead anywhere, so that no
// order of elimination is cheap.
func scattered(t *testing.T, random *rand.Rand, n int) *mdp.Table {
	t.Helper()
	return buildTable(t, func(b *mdp.TableBuilder) {
		for range n {
			b.AddState()
			for range 3 {
				b.AddAction(0)
				for _, j := range random.Perm(n)[:4] {
					b.AddTransition(j, 0.25)
				}
				b.AddCost(random.Float64())
			}
		}
	})
}

// Where elimination would take too long, totals are iterated. They have the same
// bounds, to rounding, as by elimination, which is what naming the method asks
// for, and the same bits at any number of workers.
func TestTotalsWithoutElimination(t *testing.T) {
	const precise = 1e-13 // too close for sweeps in float64
	table := scattered(t, rand.New(rand.NewPCG(7, 0)), 1500)
	criterion := mdp.TotalCost{Target: []int32{3, 999}}
	solve := func(settings mdp.Settings) *mdp.Result {
		result, err := mdp.Solve(context.Background(), table, criterion, settings)
		require.NoError(t, err)
		return result
	}
	want := solve(mdp.Settings{Method: mdp.PolicyIteration})
	got := solve(mdp.Settings{Workers: 1, Tolerance: precise})
	assert.Equal(t, want.Policy, got.Policy)
	for s := range want.Policy {
		lower, upper := want.Bounds(s)
		l, u := got.Bounds(s)
		assert.LessOrEqual(t, l, upper)
		assert.GreaterOrEqual(t, u, lower)
		assert.LessOrEqual(t, u-l, 1e-11*max(-l, u))
	}
	for _, workers := range []int{2, 3} {
		again := solve(mdp.Settings{Workers: workers, Tolerance: precise})
		again.Elapsed, got.Elapsed = 0, 0
		assert.Equal(t, got, again)
	}
}

// The longest way to the target goes through all states, although each may also go there at once. One sweep
// from its end carries values to its start, and the way is walked twice in the mean: from its last state half
// of the steps lead back to the first.
func TestLongestWay(t *testing.T) {
	const n = 400
	table := buildTable(t, func(b *mdp.TableBuilder) {
		for s := range n + 1 {
			b.AddState()
			for _, next := range []int{s + 1, n} {
				b.AddAction(1)
				if s+1 < n {
					b.AddTransition(next, 1)
					continue
				}
				b.AddTransition(0, 0.5)
				b.AddTransition(n, 0.5)
			}
		}
	})
	result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: []int32{n}, Sense: mdp.Maximize}, mdp.Settings{})
	require.NoError(t, err)
	for s := range n {
		assert.InEpsilon(t, 2*n-s, result.Optimum(s), mdp.DefaultTolerance)
	}
	assert.Less(t, result.Iterations, 20)
}

// dear is a table with all costs 100, by backups and rows of its own.
type dear struct{ *mdp.Table }

func (d dear) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	row, _ := d.Table.AppendRow(dst, s, a)
	return row, 100
}

func (d dear) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	var row []mdp.Entry
	for s := lo; s < hi; s++ {
		for a := range d.NumActions(s) {
			row, _ = d.AppendRow(row[:0], s, a)
			sum := 100.0
			for _, e := range row {
				sum += float64(e.Probability * v[e.State])
			}
			if a == 0 || sum < dst[s] {
				dst[s] = sum
				if act != nil {
					act[s] = int32(a)
				}
			}
		}
	}
}

// A type that embeds a table is solved by its own methods.
func TestModelThatEmbedsATable(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 0))
	for _, structure := range []structure{communicating, unichain, multichain, absorbing} {
		model := dear{randomTable(t, random, structure, plain)}
		for _, sense := range []mdp.Sense{mdp.Minimize, mdp.Maximize} {
			label := fmt.Sprint(structure, sense)
			result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{Sense: sense}, mdp.Settings{})
			require.NoError(t, err, label)
			discounted, err := mdp.Solve(context.Background(), model, mdp.Discounted{Discount: 0.5, Sense: sense}, mdp.Settings{})
			require.NoError(t, err, label)
			finite, err := mdp.Solve(context.Background(), model, mdp.FiniteHorizon{Steps: 3, Sense: sense}, mdp.Settings{})
			require.NoError(t, err, label)
			for s := range model.NumStates() {
				assert.InEpsilon(t, 100, result.Optimum(s), 1e-9, label)
				assert.InEpsilon(t, 200, discounted.Optimum(s), 1e-9, label)
				assert.InEpsilon(t, 300, finite.Optimum(s), 1e-9, label)
			}
		}
	}
}
