package mdp

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/internal/bound"
	"github.com/mdpsolve/mdpsolve/mdp/internal/sweep"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

func TestDiscountedSameBitsAtAnyNumberOfWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const seed = 11
	random := rand.New(rand.NewPCG(seed, 0))
	n := 3 * sweep.ParallelStates
	var b TableBuilder
	for range n {
		b.AddState()
		for range 1 + random.IntN(3) {
			b.AddAction(0)
			for i := range 4 {
				b.AddTransition(random.IntN(n/4)*4+i, 0.25)
			}
			b.AddCost(random.NormFloat64())
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	for _, method := range []Method{0, ValueIteration, ModifiedPolicyIteration} {
		for _, settings := range []Settings{{Tolerance: 1e-9}, {MaxIterations: 4}} {
			settings.Method = method
			var want *Result
			for _, workers := range []int{1, 2, 3, 8} {
				settings.Workers = workers
				got, err := Solve(context.Background(), table, Discounted{Discount: 0.95}, settings)
				if settings.MaxIterations > 0 {
					require.ErrorIs(t, err, ErrIterationLimit)
				} else {
					require.NoError(t, err)
				}
				if want == nil {
					want = got
				}
				place := fmt.Sprintf("seed %d, %v, %d workers", seed, method, workers)
				assert.Equal(t, want.Value, got.Value, place)
				assert.Equal(t, want.Policy, got.Policy, place)
				assert.Equal(t, [2]float64{want.Lower, want.Upper}, [2]float64{got.Lower, got.Upper}, place)
				assert.Equal(t, want.Iterations, got.Iterations, place)
			}
		}
	}
}

// sweptTable counts states whose actions were all looked at, and states where a
// policy was followed.
type sweptTable struct {
	*Table
	states, followed atomic.Int64
}

func (t *sweptTable) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	t.states.Add(int64(hi - lo))
	t.Table.Backup(dst, act, v, lo, hi)
}

func (t *sweptTable) BackupPolicy(dst []float64, act []int32, v []float64, lo, hi int) {
	t.followed.Add(int64(hi - lo))
	t.Table.BackupPolicy(dst, act, v, lo, hi)
}

// Partial sweeps take the place of sweeps over all actions, their number has its
// limit, and no round of value iteration has any.
func TestPartialSweeps(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	model := &sweptTable{Table: rowsTable(t, random, 400, 8)}
	n := int64(model.NumStates())
	sweeps := func(method Method) (full, partial int64, rounds int) {
		model.states.Store(0)
		model.followed.Store(0)
		result, err := Solve(context.Background(), model, Discounted{Discount: 0.999}, Settings{Method: method})
		require.NoError(t, err)
		return model.states.Load() / n, model.followed.Load() / n, result.Iterations
	}
	values, none, valueRounds := sweeps(ValueIteration)
	assert.Zero(t, none)
	assert.Equal(t, valueRounds+1, int(values), "one sweep certifies")
	full, partial, rounds := sweeps(ModifiedPolicyIteration)
	assert.Equal(t, rounds+1, int(full))
	assert.Less(t, 3*full, 2*values)
	assert.LessOrEqual(t, int(partial), partialSweeps*(rounds-1), "none follow the last round")
	assert.Positive(t, partial)
}

// exactGaps returns the least and the greatest of T v − v over all states, with
// values discounted. What probabilities lack to 1 is the probability of staying.
// 1000 bits hold every sum exactly.
func exactGaps(model Explicit, discount float64, v []float64) (least, greatest *big.Float) {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(x) }
	for s := range v {
		var best *big.Float
		for a := range model.NumActions(s) {
			row, cost := model.AppendRow(nil, s, a)
			sum := number(v[s])
			for _, e := range row {
				term := number(v[e.State])
				sum.Add(sum, term.Mul(term.Sub(term, number(v[s])), number(e.Probability)))
			}
			sum.Add(sum.Mul(sum, number(discount)), number(cost))
			if best == nil || sum.Cmp(best) < 0 {
				best = sum
			}
		}
		best.Sub(best, number(v[s]))
		if least == nil || best.Cmp(least) < 0 {
			least = best
		}
		if greatest == nil || best.Cmp(greatest) > 0 {
			greatest = best
		}
	}
	return least, greatest
}

// The bounds of a sweep in float64 enclose those of exact arithmetic, on rows of
// hundreds of entries too, and the bounds on an inexact model those of the model
// that it may stand for.
func TestBackupBoundsEncloseExactOnes(t *testing.T) {
	const seed = 20260612
	random := rand.New(rand.NewPCG(seed, 0))
	for trial := range 20 {
		n := 1 + random.IntN(200)
		table := rowsTable(t, random, n, n)
		meant, model := Explicit(table), Model(table)
		if trial%2 == 1 {
			epsilon := math.Pow(10, -4-8*random.Float64())
			model = inexactTable{table, epsilon}
			meant = shaken(table, random, epsilon)
		}
		v := make([]float64, n)
		offset := math.Pow(10, 6*random.Float64())
		for s := range v {
			v[s] = offset + random.NormFloat64()
		}
		const discount = 0.99
		sweeper := sweep.New(model, 1)
		backupTerms := max(table.rows.Longest(), bound.AssumedTerms)
		bounds := bound.Backup(model, sweeper, backupTerms, relativeError(model), make([]float64, n), vector.Scaled(v, discount), v)
		least, greatest := exactGaps(meant, discount, v)
		lower, upper := big.NewFloat(bounds.Lower), big.NewFloat(bounds.Upper)
		assert.LessOrEqual(t, lower.Cmp(least), 0, "seed %d, trial %d", seed, trial)
		assert.GreaterOrEqual(t, upper.Cmp(greatest), 0, "seed %d, trial %d", seed, trial)
		// Four times some 600 roundings, and 12ε, of values up to offset + 10.
		width, _ := new(big.Float).Sub(greatest, least).Float64()
		slack := (offset + 10) * (3e-13 + 12*relativeError(model))
		assert.LessOrEqual(t, bounds.Upper-bounds.Lower, width+slack, "seed %d, trial %d", seed, trial)
		sweeper.Close()
	}
}

// rowsTable returns a table with rows of 1 to longest entries and states of 1 to 5
// actions.
func rowsTable(t *testing.T, random *rand.Rand, n, longest int) *Table {
	t.Helper()
	var b TableBuilder
	for range n {
		b.AddState()
		for range 1 + random.IntN(5) {
			b.AddAction(float64(random.IntN(3)) * random.NormFloat64())
			weights, sum := make([]float64, 1+random.IntN(min(n, longest))), 0.0
			for i := range weights {
				weights[i] = random.ExpFloat64()
				sum += weights[i]
			}
			for i, j := range random.Perm(n)[:len(weights)] {
				b.AddTransition(j, weights[i]/sum)
			}
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	return table
}

func TestTableSweepsPanicOnMisuse(t *testing.T) {
	table := rowsTable(t, rand.New(rand.NewPCG(1, 0)), 5, 3)
	v, act := make([]float64, 5), make([]int32, 5)
	for name, call := range map[string]func(){
		"short v":           func() { table.Backup(make([]float64, 5), nil, v[:4:4], 0, 1) },
		"short dst":         func() { table.Backup(make([]float64, 3), nil, v, 0, 4) },
		"short act":         func() { table.Backup(make([]float64, 5), act[:3:3], v, 0, 4) },
		"negative lo":       func() { table.Backup(make([]float64, 5), nil, v, -1, 4) },
		"hi too large":      func() { table.Backup(make([]float64, 9), nil, v, 0, 6) },
		"policy, short dst": func() { table.BackupPolicy(make([]float64, 4, 5), act, v, 0, 5) },
		"policy, short v":   func() { table.BackupPolicy(make([]float64, 5), act, v[:4:4], 0, 1) },
		"short policy":      func() { table.BackupPolicy(make([]float64, 5), act[:4:4], v, 0, 5) },
	} {
		assert.Panics(t, call, name)
	}
	act[3] = int32(table.NumActions(3))
	assert.PanicsWithValue(t, fmt.Sprintf("mdp: action %d of state 3, which has %d", act[3], act[3]),
		func() { table.BackupPolicy(make([]float64, 5), act, v, 0, 5) })
	act[3] = -1
	assert.Panics(t, func() { table.BackupPolicy(make([]float64, 5), act, v, 0, 5) })
	assert.NotPanics(t, func() { table.BackupPolicy(make([]float64, 5), act, v, 4, 5) })
}

// shaken returns the table with every cost, and every probability off the
// diagonal, changed by at most epsilon in relation; probabilities only become
// less, and the rest is that of staying.
func shaken(t *Table, random *rand.Rand, epsilon float64) *Table {
	r := t.rows.WithCosts(vector.Scaled(t.rows.Costs, 1))
	r.Probabilities = vector.Scaled(r.Probabilities, 1)
	for k := range r.Costs {
		r.Costs[k] *= 1 + epsilon*0.999*float64(2*random.IntN(2)-1)
	}
	for e := range r.Probabilities {
		r.Probabilities[e] *= 1 - epsilon*0.999*float64(random.IntN(2))
	}
	return &Table{rows: r, rate: t.rate}
}
