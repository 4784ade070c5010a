package textbook_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/textbook"
)

// taxicab is the problem of R. A. Howard, Dynamic Programming and Markov Processes, 1960, chapter 4: the
// probabilities and the rewards of going from each town to each, by town and action.
func taxicab(t *testing.T) *mdp.Table {
	t.Helper()
	type action struct{ p, r [3]float64 }
	towns := [][]action{
		{
			{[3]float64{1. / 2, 1. / 4, 1. / 4}, [3]float64{10, 4, 8}},
			{[3]float64{1. / 16, 3. / 4, 3. / 16}, [3]float64{8, 2, 4}},
			{[3]float64{1. / 4, 1. / 8, 5. / 8}, [3]float64{4, 6, 4}},
		},
		{
			{[3]float64{1. / 2, 0, 1. / 2}, [3]float64{14, 0, 18}},
			{[3]float64{1. / 16, 7. / 8, 1. / 16}, [3]float64{8, 16, 8}},
		},
		{
			{[3]float64{1. / 4, 1. / 4, 1. / 2}, [3]float64{10, 2, 8}},
			{[3]float64{1. / 8, 3. / 4, 1. / 8}, [3]float64{6, 4, 2}},
			{[3]float64{3. / 4, 1. / 16, 3. / 16}, [3]float64{4, 0, 8}},
		},
	}
	var b mdp.TableBuilder
	for _, actions := range towns {
		b.AddState()
		for _, a := range actions {
			earned := 0.0
			for j, p := range a.p {
				earned += p * a.r[j]
			}
			b.AddAction(earned)
			for j, p := range a.p {
				if p > 0 {
					b.AddTransition(j, p)
				}
			}
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	return table
}

// run returns the iterates of a method, with lists of their own.
func run(t *testing.T, table *mdp.Table, criterion mdp.Criterion, method mdp.Method, settings mdp.Settings) (all []textbook.Iterate) {
	t.Helper()
	m, err := textbook.New(table, criterion)
	require.NoError(t, err)
	require.NoError(t, m.Run(context.Background(), method, settings, func(at textbook.Iterate) error {
		at.Values, at.Relative, at.Policy = append([]float64(nil), at.Values...), append([]float64(nil), at.Relative...), append([]int32(nil), at.Policy...)
		all = append(all, at)
		return nil
	}))
	return all
}

// Howard prints the gains 9.20, 13.15 and 13.34 of the policies 1 1 1, 1 2 2 and 2 2 2.
func TestHowardsTaxicab(t *testing.T) {
	all := run(t, taxicab(t), mdp.LongRunAverage{Sense: mdp.Maximize}, mdp.PolicyIteration, mdp.Settings{})
	gains, policies := []float64{9.20, 13.15, 13.34}, [][]int32{{0, 0, 0}, {0, 1, 1}, {1, 1, 1}}
	require.Len(t, all, len(gains))
	for k, at := range all {
		assert.InDelta(t, gains[k], at.Values[0], 0.006, "policy %d", k)
		assert.Equal(t, policies[k], at.Policy)
		assert.Equal(t, k+1, at.Number)
	}
	assert.Equal(t, []int{2, 1, 0}, []int{all[0].Changes, all[1].Changes, all[2].Changes})
}

// random returns a model with a target, the last state, that every policy reaches.
func random(t *testing.T, r *rand.Rand, n int) *mdp.Table {
	t.Helper()
	var b mdp.TableBuilder
	for range n {
		b.AddState()
		for range 1 + r.IntN(3) {
			b.AddAction(float64(r.IntN(19) - 9))
			weights, sum := make([]float64, n), 0.0
			for range 3 {
				weights[r.IntN(n)]++
			}
			weights[n-1]++
			for _, w := range weights {
				sum += w
			}
			for j, w := range weights {
				if w > 0 {
					b.AddTransition(j, w/sum)
				}
			}
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	return table
}

// The last iterates have the values that Solve proves, by every method and criterion. The values of
// policies improve from each to the next.
func TestMethodsEndAtTheOptimum(t *testing.T) {
	const seed = 37
	r := rand.New(rand.NewPCG(seed, 1))
	for trial := range 60 {
		n := 2 + r.IntN(5)
		table, sense := random(t, r, n), mdp.Sense(trial%2)
		for _, criterion := range []mdp.Criterion{
			mdp.LongRunAverage{Sense: sense},
			mdp.Discounted{Discount: 0.9, Sense: sense},
			mdp.TotalCost{Target: []int32{int32(n - 1)}, Sense: sense},
			mdp.FiniteHorizon{Steps: trial % 7, Sense: sense},
		} {
			want, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{})
			require.NoError(t, err, "seed %d, trial %d, %T", seed, trial, criterion)
			m, err := textbook.New(table, criterion)
			require.NoError(t, err)
			for _, method := range m.Methods() {
				all := run(t, table, criterion, method, mdp.Settings{Tolerance: 1e-10})
				last := all[len(all)-1]
				_, isFinite := criterion.(mdp.FiniteHorizon)
				for k, at := range all {
					if isFinite && k < len(all)-1 {
						continue // the optimum of fewer steps
					}
					for s, x := range at.Values {
						optimum := want.Optimum(s)
						rounding := 1e-9 * (1 + math.Abs(optimum))
						assert.LessOrEqual(t, x+at.Least, optimum+rounding, "seed %d, trial %d, %T, %v, iterate %d, state %d", seed, trial, criterion, method, k, s)
						assert.GreaterOrEqual(t, x+at.Greatest, optimum-rounding, "seed %d, trial %d, %T, %v, iterate %d, state %d", seed, trial, criterion, method, k, s)
					}
					if at.Relative != nil {
						assert.Zero(t, at.Relative[0], "seed %d, trial %d, %T, %v", seed, trial, criterion, method)
					}
				}
				off := 0.0 // of value iteration with a discount, the same in all states
				if _, ok := criterion.(mdp.Discounted); ok && method == mdp.ValueIteration {
					off = last.Values[0] - want.Optimum(0)
				}
				for s := range n {
					assert.InDelta(t, want.Optimum(s)+off, last.Values[s], 1e-7*(1+math.Abs(want.Optimum(s))), "seed %d, trial %d, %T, %v, state %d", seed, trial, criterion, method, s)
				}
				for k := 1; k < len(all) && method == mdp.PolicyIteration; k++ {
					for s := range n {
						better := (all[k].Values[s] - all[k-1].Values[s]) * (2*float64(sense) - 1)
						assert.GreaterOrEqual(t, better, -1e-9, "seed %d, trial %d, %T, policy %d, state %d", seed, trial, criterion, k, s)
					}
				}
			}
		}
	}
}

// What a method cannot do is an error before the first iteration.
func TestRefused(t *testing.T) {
	table := taxicab(t)
	_, err := textbook.New(table, mdp.TimeHorizon{Time: 1})
	require.ErrorIs(t, err, mdp.ErrUnsupported)
	m, err := textbook.New(table, mdp.LongRunAverage{})
	require.NoError(t, err)
	none := func(textbook.Iterate) error { t.Fatal("an iteration"); return nil }
	require.ErrorIs(t, m.Run(context.Background(), mdp.ValueIteration, mdp.Settings{}, none), mdp.ErrUnsupported)
	endless, err := textbook.New(table, mdp.TotalCost{})
	require.NoError(t, err)
	require.ErrorIs(t, endless.Run(context.Background(), mdp.PolicyIteration, mdp.Settings{}, none), textbook.ErrImproper)
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, m.Run(stopped, mdp.PolicyIteration, mdp.Settings{}, none), context.Canceled)
}

// Without damping, the first steps are those that one does by hand: from zeros, the cheapest action; then
// T h, less its first number. The model is aperiodic. Where the only policy alternates between two states,
// the iterates of the undamped method would do so for ever: the damped ones have 0.9 of each step.
func TestRelativeValueIterationByHand(t *testing.T) {
	build := func(stay float64) *mdp.Table {
		var b mdp.TableBuilder
		for s, cost := range []float64{1, 4} {
			b.AddState()
			b.AddAction(cost)
			if stay > 0 {
				b.AddTransition(s, stay)
			}
			b.AddTransition(1-s, 1-stay)
		}
		table, err := b.Build()
		require.NoError(t, err)
		return table
	}
	aperiodic := run(t, build(0.25), mdp.LongRunAverage{GainOnly: true}, mdp.RelativeValueIteration, mdp.Settings{})
	assert.Equal(t, []float64{0, 3}, aperiodic[0].Relative)   // T 0 = (1, 4)
	assert.Equal(t, []float64{0, 1.5}, aperiodic[1].Relative) // T h = (1 + 0.75·3, 4 + 0.25·3)
	assert.InDelta(t, 2.5, aperiodic[len(aperiodic)-1].Values[0], 1e-8)
	assert.Equal(t, 1.0, aperiodic[0].Damping)
	periodic := run(t, build(0), mdp.LongRunAverage{}, mdp.RelativeValueIteration, mdp.Settings{})
	assert.InDelta(t, 2.7, periodic[0].Relative[1], 1e-12) // 0.9·(4 − 1)
	assert.InDelta(t, 2.5, periodic[len(periodic)-1].Values[0], 1e-8)
	assert.Equal(t, 0.9, periodic[0].Damping)
}

// Only what optimal policies visit for ever counts. The model has period 1, as one action is a loop in state 0.
// Where this action costs too much, the optimal policy alternates between two states.
func TestPeriodsOfOptimalPoliciesDecide(t *testing.T) {
	for loop, damping := range map[float64]float64{1: 1, 3: 0.9, 2: 1} { // for 2, both actions are optimal
		var b mdp.TableBuilder
		b.AddState()
		b.AddAction(1)
		b.AddTransition(1, 1)
		b.AddAction(loop)
		b.AddTransition(0, 1)
		b.AddState()
		b.AddAction(3)
		b.AddTransition(0, 1)
		table, err := b.Build()
		require.NoError(t, err)
		all := run(t, table, mdp.LongRunAverage{}, mdp.RelativeValueIteration, mdp.Settings{})
		assert.Equal(t, damping, all[0].Damping, "loop %v", loop)
		assert.InDelta(t, min(loop, 2), all[len(all)-1].Values[0], 1e-8, "loop %v", loop)
	}
}

// On strongly connected models with one or two successors an action, whose policies are often periodic,
// relative value iteration ends at the optimum; so does a damped one, which is the same method on a model
// with loops (Puterman 1994, §8.5.4).
func TestRelativeValueIterationEnds(t *testing.T) {
	const seed = 43
	r := rand.New(rand.NewPCG(seed, 1))
	seen := map[float64]int{}
	for trial := range 400 {
		n := 2 + r.IntN(4)
		var b mdp.TableBuilder
		for s := range n {
			b.AddState()
			for a := range 1 + r.IntN(3) {
				b.AddAction(float64(r.IntN(5)))
				next := r.IntN(n)
				if a == 0 {
					next = (s + 1) % n
				}
				b.AddTransition(next, 0.5)
				if r.IntN(3) == 0 {
					next = r.IntN(n)
				}
				b.AddTransition(next, 0.5)
			}
		}
		table, err := b.Build()
		require.NoError(t, err)
		want, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
		require.NoError(t, err)
		all := run(t, table, mdp.LongRunAverage{}, mdp.RelativeValueIteration, mdp.Settings{MaxIterations: 3000})
		last := all[len(all)-1]
		seen[last.Damping]++
		assert.InDelta(t, want.Gain, last.Values[0], 1e-8, "seed %d, trial %d, damping %v", seed, trial, last.Damping)
	}
	assert.Greater(t, min(seen[1], seen[0.9]), 20, "models of either kind: %v", seen)
}

// The first policy of a total reaches the target, though the first actions do not.
func TestFirstPolicyOfATotal(t *testing.T) {
	var b mdp.TableBuilder
	for s := range 3 {
		b.AddState()
		b.AddAction(1)
		b.AddTransition(s, 1)
		b.AddAction(5)
		b.AddTransition(min(s+1, 3), 1)
		b.AddAction(4)
		b.AddTransition(min(s+1, 3), 1)
	}
	b.AddState()
	b.AddAction(1)
	b.AddTransition(3, 1)
	table, err := b.Build()
	require.NoError(t, err)
	all := run(t, table, mdp.TotalCost{Target: []int32{3}}, mdp.PolicyIteration, mdp.Settings{})
	assert.Equal(t, []int32{1, 1, 1, 0}, all[0].Policy)
	assert.Equal(t, []float64{15, 10, 5, 0}, all[0].Values)
	assert.Equal(t, []float64{12, 8, 4, 0}, all[len(all)-1].Values)
}
