package mdp_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// slowModels mix slowly, each for a reason of its own.
func slowModels(t *testing.T) map[string]*mdp.Table {
	t.Helper()
	const seed = 5
	random := rand.New(rand.NewPCG(seed, 0))
	room, width := 600, 25
	if *long {
		room, width = 2000, 40
	}
	return map[string]*mdp.Table{
		// At the slowest rate it is not stable: values of policies grow as 1.25ⁿ.
		"unstable queue":   serviceControl(t, room, 0.8, 1.2, 2),
		"critical queue":   serviceControl(t, room, 0.999, 1, 1.001),
		"decomposable":     decomposable(t, random, 20, 20, 1e-4),
		"nearly unrelated": decomposable(t, random, 40, 10, 1e-9),
		"walk":             controlledWalk(t, random, width, 0.2),
		"steep walk":       controlledWalk(t, random, width, 0.9),
		// Chains of policies have many closed classes.
		"journey": controlledWalk(t, random, width, 1),
	}
}

// Policy iteration with exact evaluation knows the answers to 14 digits.
func TestInexactOnSlowModels(t *testing.T) {
	for name, table := range slowModels(t) {
		for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.9999}} {
			exact, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: mdp.PolicyIteration, Tolerance: 1e-12})
			require.NoError(t, err, name)
			for _, method := range inexactMethods {
				label := fmt.Sprintf("%s, %v, %T%+v", name, criterion, method, method)
				result, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: method, MaxIterations: 200})
				require.NoError(t, err, label)
				largest := 0.0
				for s := range result.Policy {
					_, upper := result.Bounds(s)
					largest = max(largest, math.Abs(upper))
				}
				for s := range result.Policy {
					lower, upper := result.Bounds(s)
					least, most := exact.Bounds(s)
					assert.LessOrEqual(t, lower, most, label)
					assert.GreaterOrEqual(t, upper, least, label)
					assert.LessOrEqual(t, upper-lower, 1e-9*largest*(1+1e-9), label)
				}
				t.Log(label, result.Iterations)
			}
		}
	}
}

func TestInexactSameBitsAtAnyNumberOfWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	random := rand.New(rand.NewPCG(6, 0))
	blocks, width := 21, 91 // just enough states to share
	others, discount, tolerance := []int{3}, 0.99, 1e-3
	if *long {
		blocks, width = 30, 110
		others, discount, tolerance = []int{2, 3}, 0.9999, mdp.DefaultTolerance
	}
	for _, table := range []*mdp.Table{
		decomposable(t, random, blocks, 400, 1e-4),
		controlledWalk(t, random, width, 0.3),
	} {
		for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: discount}} {
			for _, method := range inexactMethods {
				settings := mdp.Settings{Method: method, Workers: 1, Tolerance: tolerance}
				want, err := mdp.Solve(context.Background(), table, criterion, settings)
				require.NoError(t, err)
				for _, settings.Workers = range others {
					result, err := mdp.Solve(context.Background(), table, criterion, settings)
					require.NoError(t, err)
					assertSameBits(t, want, result)
				}
			}
		}
	}
}

// Whenever it is interrupted, the bounds are the best so far.
func TestInexactInterrupted(t *testing.T) {
	for name, table := range slowModels(t) {
		exact, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.PolicyIteration})
		require.NoError(t, err, name)
		for _, method := range inexactMethods {
			for _, last := range []int{1, 2, 3, 5, 8, 26, 28} {
				label := fmt.Sprintf("%s, %T%+v, %d rounds", name, method, method, last)
				ctx, cancel := context.WithCancel(context.Background())
				closest := math.Inf(1)
				result, err := mdp.Solve(ctx, table, mdp.LongRunAverage{}, mdp.Settings{Method: method, Record: func(p mdp.Progress) error {
					if p.Iteration == last {
						cancel()
					}
					closest = min(closest, p.Upper-p.Lower)
					return nil
				}})
				cancel()
				if err == nil {
					continue // it took no longer
				}
				require.ErrorIs(t, err, context.Canceled, label)
				assert.Equal(t, mdp.Interrupted, result.Status, label)
				assert.LessOrEqual(t, result.Lower, exact.Upper, label)
				assert.GreaterOrEqual(t, result.Upper, exact.Lower, label)
				// The sweep over the last values comes after the last round of relative
				// value iteration. Its bounds are worse than those of the rounds by no
				// more than the rounding of values up to a thousand.
				assert.LessOrEqual(t, result.Upper-result.Lower, closest*(1+1e-6)+0x1p-53*1e3, label)
			}
		}
	}
}

// explicitOnly hides the table inside a model, which would be divided.
type explicitOnly struct{ mdp.Explicit }

// If the optimal gain differs between states the method cannot converge, but the bounds
// hold.
func TestInexactOnModelsOfSeveralGains(t *testing.T) {
	statuses := map[mdp.Status]int{}
	trials(t, 50, func(t *testing.T, random *rand.Rand) {
		table := randomTable(t, random, multichain, plain)
		exact := newExactModel(table)
		gains := exact.optimalGains()
		for _, method := range inexactMethods {
			settings := mdp.Settings{Method: method, MaxIterations: 300}
			result, err := mdp.Solve(context.Background(), explicitOnly{table}, mdp.LongRunAverage{}, settings)
			require.NotNil(t, result, "%v", err)
			assertEncloses(t, fmt.Sprintf("%T%+v", method, method), result, gains, exact.chain(result.Policy).gains())
			statuses[result.Status]++
		}
	})
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(status, statuses[status])
	}
}

// Bounds on the way enclose the discounted value of state 0, and close in on it, whatever
// the unit of time.
func TestInexactBoundsOnTheWay(t *testing.T) {
	const n = 50
	table := buildTable(t, func(b *mdp.TableBuilder) {
		b.Rate = 4
		for s := range n {
			b.AddState()
			for _, back := range []int{1, 10} { // the farther, the dearer
				b.AddAction(float64(s + 2*back))
				b.AddTransition(min(s+1, n-1), 0.5)
				b.AddTransition(max(s-back, 0), 0.5)
			}
		}
	})
	criterion := mdp.Discounted{Discount: 0.999}
	exact, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: mdp.PolicyIteration, Tolerance: 1e-12})
	require.NoError(t, err)
	value, slack := exact.Value[0], 1e-9*math.Abs(exact.Value[0])
	for _, method := range inexactMethods {
		var last mdp.Progress
		_, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: method, Record: func(p mdp.Progress) error {
			assert.LessOrEqual(t, p.Lower, value+slack, method)
			assert.GreaterOrEqual(t, p.Upper, value-slack, method)
			last = p
			return nil
		}})
		require.NoError(t, err, method)
		assert.InEpsilon(t, value, last.Lower, 1e-6, method)
		assert.InEpsilon(t, value, last.Upper, 1e-6, method)
	}
}

// A start at the best policy saves the rounds that find it.
func TestInexactFromAPolicy(t *testing.T) {
	for name, table := range slowModels(t) {
		for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.9999}} {
			found, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: mdp.InexactPolicyIteration})
			require.NoError(t, err, name)
			again, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: mdp.InexactPolicyIteration, Policy: found.Policy})
			require.NoError(t, err, name)
			t.Log(name, criterion, found.Iterations, again.Iterations)
			assert.Less(t, again.Iterations, found.Iterations, name)
			worst := make([]int32, table.NumStates()) // or so
			other, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: mdp.InexactPolicyIteration, Policy: worst})
			require.NoError(t, err, name)
			assert.InDelta(t, found.Lower, other.Lower, 1e-8*max(1, math.Abs(found.Upper)), name)
		}
	}
}

func TestInexactRefuses(t *testing.T) {
	table := slowModel(t)
	for _, test := range []struct {
		model     mdp.Model
		criterion mdp.Criterion
	}{
		{backupOnly{table}, mdp.LongRunAverage{}},
		{backupOnly{table}, mdp.Discounted{Discount: 0.5}},
		{table, mdp.TotalCost{Target: []int32{0}}},
		{table, mdp.FiniteHorizon{Steps: 3}},
	} {
		_, err := mdp.Solve(context.Background(), test.model, test.criterion, mdp.Settings{Method: mdp.InexactPolicyIteration})
		require.ErrorIs(t, err, mdp.ErrUnsupported)
	}
	assert.Equal(t, "inexact policy iteration", mdp.InexactPolicyIteration.String())
}

// Two actions differ by less than the rounding of a sweep, and some states are hardly ever left:
// neither sweeps nor steps get on, so the default evaluates policies exactly instead.
func TestDiscountedYields(t *testing.T) {
	const beta, n = 0.999999, 100
	type move map[int]float64
	const nothing = n - 1
	var b mdp.TableBuilder
	state := func(cost float64, to move) {
		b.AddState()
		b.AddAction(cost)
		for _, j := range slices.Sorted(maps.Keys(to)) {
			b.AddTransition(j, to[j])
		}
	}
	state(1, move{nothing: 1})
	state(1, move{3: 1 - 2e-9, nothing: 2e-9})
	state(2, move{4: 1})
	state(1, move{nothing: 1})
	state(1, move{7: 1})
	state(2, move{5: 1. / 7, nothing: 6. / 7})
	state(2, move{4: 7. / 17, 6: 2. / 17, nothing: 8. / 17})
	state(1, move{7: 1}) // for ever, or three steps that cost 3 together, of which the first is free
	b.AddAction(0)
	b.AddTransition(2, 1)
	state(2, move{4: 3e-6, nothing: 1 - 3e-6})
	for s := 9; s < n; s++ {
		state(0, move{s: 1})
	}
	table, err := b.Build()
	require.NoError(t, err)
	result, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: beta}, mdp.Settings{MaxIterations: 1000})
	require.NoError(t, err)
	assert.Equal(t, mdp.Converged, result.Status)
	cycle := beta * (2 + beta) / ((1 - beta) * (1 + beta + beta*beta))
	lower, upper := result.Bounds(7)
	assert.InEpsilon(t, cycle, lower, 1e-9) // 1 − β rounds by a relative 3e-11
	assert.InEpsilon(t, cycle, upper, 1e-9)
	lower, upper = result.Bounds(nothing)
	assert.Zero(t, lower)
	assert.Zero(t, upper)
}

// Two long loops from one state, of which each step may fail and lead back: the value of that state is
// some 1e-23. The default ends with an exact evaluation, in which the state where all meet is
// eliminated last.
func TestLoopsFromOneState(t *testing.T) {
	const n = 200
	table := buildTable(t, func(b *mdp.TableBuilder) {
		for s := range 2*n + 1 {
			b.AddState()
			for action, works := range []float64{0.8, 0.6} {
				cost := 0.0
				switch s {
				case n:
					cost = -1
				case 2 * n:
					cost = -2
				}
				b.AddAction(cost)
				switch s {
				case 0:
					b.AddTransition(1+action*n, 1)
				case n, 2 * n:
					b.AddTransition(0, 1)
				default:
					b.AddTransition(s+1, works)
					b.AddTransition(0, 1-works)
				}
			}
		}
	})
	const discount = 0.95
	result, err := mdp.Solve(context.Background(), table, mdp.Discounted{Discount: discount}, mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, mdp.Converged, result.Status)
	// The second loop is best, with the first action: n − 1 steps succeed, and then 2 is earned. Of a loop
	// that fails after k steps, β^(k+1) is left of the value v at its start: v = a + b·v.
	last := math.Pow(discount*0.8, n-1)
	again := discount*discount*0.2*(1-last)/(1-discount*0.8) + last*discount*discount
	want := -2 * discount * last / (1 - again)
	assert.InEpsilon(t, want, result.Value[0], 1e-9)
}

// A swimmer upstream, whose goal is far: on the way, steps come to policies that stay where little is earned, and
// whose relative values are too large for float64.
func TestSweepsWhereStepsFail(t *testing.T) {
	const n = 1000
	var b mdp.TableBuilder
	for s := range n {
		b.AddState()
		b.AddAction(0)
		if s == 0 {
			b.AddCost(0.005)
		}
		b.AddTransition(max(s-1, 0), 1)
		b.AddAction(0)
		if s == n-1 {
			b.AddCost(1)
		}
		row := map[int]float64{s: 0.6}
		row[min(s+1, n-1)] += 0.35
		row[max(s-1, 0)] += 0.05
		for _, j := range slices.Sorted(maps.Keys(row)) {
			b.AddTransition(j, row[j])
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{Sense: mdp.Maximize}, mdp.Settings{})
	require.NoError(t, err)
	assert.InEpsilon(t, 6.0/7, result.Gain, 1e-9) // a step up is seven times as likely as one down
	assert.Equal(t, mdp.RelativeValueIteration.String(), result.Method)
}

// Where all states lead to all, elimination has no order to choose.
func TestPolicyIterationOnADenseModel(t *testing.T) {
	const n = 201
	var b mdp.TableBuilder
	for s := range n {
		b.AddState()
		b.AddAction(math.Sin(float64(s)))
		mass := 0.0
		for j := range n {
			mass += 1 / (1 + math.Abs(float64(s-j)))
		}
		for j := range n {
			b.AddTransition(j, 1/(1+math.Abs(float64(s-j)))/mass)
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.9}} {
		result, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: mdp.PolicyIteration, Tolerance: 1e-12})
		require.NoError(t, err)
		swept, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
		require.NoError(t, err)
		assert.InDelta(t, swept.Optimum(0), result.Optimum(0), 1e-8)
	}
}
