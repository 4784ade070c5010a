package mdp_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// follow returns c(s,a) + Σ_j p(j|s,a)·v(j).
func (m *exactModel) follow(s, a int, v []*big.Rat) *big.Rat {
	sum, term := new(big.Rat).Add(m.costs[s][a], v[s]), new(big.Rat)
	for j, p := range m.rows[s][a] {
		if j != s {
			sum.Add(sum, term.Mul(p, term.Sub(v[j], v[s])))
		}
	}
	return sum
}

// stages returns the best of 0, 1, … steps from each state, by backward
// induction.
func (m *exactModel) stages(f mdp.FiniteHorizon) [][]*big.Rat {
	v := zeros(len(m.rows))
	for s, x := range f.Terminal {
		v[s] = rational(x)
	}
	stages := [][]*big.Rat{v}
	for range f.Steps {
		next := make([]*big.Rat, len(v))
		for s := range v {
			for a := range m.rows[s] {
				x := m.follow(s, a, v)
				if a == 0 || x.Cmp(next[s]) < 0 == (f.Sense == mdp.Minimize) {
					next[s] = x
				}
			}
		}
		v = next
		stages = append(stages, v)
	}
	return stages
}

func randomHorizon(random *rand.Rand, n int, scale scale) mdp.FiniteHorizon {
	f := mdp.FiniteHorizon{Steps: 1 + random.IntN(12), Sense: mdp.Sense(random.IntN(2))}
	if random.IntN(2) == 0 {
		for range n {
			f.Terminal = append(f.Terminal, 10*randomCost(random, scale))
		}
	}
	return f
}

// negativeRewards turns a table with rewards into a model with costs that has
// only Backup.
func negativeRewards(t *testing.T, table *mdp.Table, f mdp.FiniteHorizon) (mdp.Model, mdp.FiniteHorizon) {
	t.Helper()
	arrays := tableArrays(table)
	for k := range arrays.Costs {
		arrays.Costs[k] *= -1
	}
	f.Terminal = slices.Clone(f.Terminal)
	for s := range f.Terminal {
		f.Terminal[s] *= -1
	}
	f.Sense = mdp.Minimize
	negative, err := mdp.NewTable(arrays)
	require.NoError(t, err)
	return backupOnly{negative}, f
}

// Finite horizons, minimised and maximised, against backward induction in exact
// arithmetic: the bounds, the policy of the first step, and every stage.
func TestFiniteHorizonAgainstExactInduction(t *testing.T) {
	statuses := map[string]int{}
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		structure, scale := structure(random.IntN(int(structures))), scale(random.IntN(int(scales)))
		table := randomTable(t, random, structure, scale)
		f := randomHorizon(random, table.NumStates(), scale)
		exact := newExactModel(table)
		stages := exact.stages(f)
		label := fmt.Sprintf("%v, %v, %v, %d steps", structure, scale, f.Sense, f.Steps)
		last, size := f.Steps, magnitudes(stages[0])
		policies := make([][]int32, f.Steps)
		f.Stage = func(step int, values []float64, policy []int32) error {
			if last == 0 { // the second time
				last = f.Steps
			}
			assert.Equal(t, last-1, step, label)
			last, policies[step] = step, slices.Clone(policy)
			before, after := stages[f.Steps-step], stages[f.Steps-step-1]
			size += magnitudes(before) // errors stay
			for s, v := range values {
				best, taken := float(before[s]), float(exact.follow(s, int(policy[s]), after))
				assert.InDelta(t, best, v, 1e-12*size, "%s: step %d, state %d", label, step, s)
				assert.InDelta(t, best, taken, 1e-12*size, "%s: step %d, action %d of state %d", label, step, policy[s], s)
			}
			return nil
		}
		record := func(p mdp.Progress) error { // of the best of as many steps as are done
			best := stages[p.Iteration][0]
			assert.LessOrEqual(t, rational(p.Lower).Cmp(best), 0, "%s: lower bound %v after %d steps, exactly %v", label, p.Lower, p.Iteration, float(best))
			assert.GreaterOrEqual(t, rational(p.Upper).Cmp(best), 0, "%s: upper bound %v after %d steps, exactly %v", label, p.Upper, p.Iteration, float(best))
			return nil
		}
		result, err := mdp.Solve(context.Background(), table, f, mdp.Settings{Record: record})
		require.NotNil(t, result, "%s: %v", label, err)
		assert.Zero(t, last, label)
		assert.Equal(t, f.Steps, result.Iterations)
		own := stages[0]
		for step := f.Steps - 1; step >= 0; step-- {
			before := make([]*big.Rat, len(own))
			for s, a := range policies[step] {
				before[s] = exact.follow(s, int(a), own)
			}
			own = before
		}
		for s, x := range own {
			lower, upper := result.Bounds(s)
			assert.True(t, rational(lower).Cmp(x) <= 0 && x.Cmp(rational(upper)) <= 0, "%s: the policies of all steps achieve %v in state %d, not %v … %v", label, float(x), s, lower, upper)
		}
		assertFinite(t, label, result, err, exact, stages, f)
		statuses[fmt.Sprintf("%v: %v", scale, result.Status)]++

		if f.Sense == mdp.Maximize {
			f.Stage = nil
			model, minimised := negativeRewards(t, table, f)
			negative, err := mdp.Solve(context.Background(), model, minimised, mdp.Settings{})
			require.NotNil(t, negative, "%s: %v", label, err)
			for s, x := range stages[f.Steps] {
				lower, upper := negative.Bounds(s)
				assert.LessOrEqual(t, rational(-upper).Cmp(x), 0, label)
				assert.GreaterOrEqual(t, rational(-lower).Cmp(x), 0, label)
			}
		}
	})
	for _, key := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(key, statuses[key])
	}
}

// magnitudes returns the largest magnitude.
func magnitudes(x []*big.Rat) float64 {
	size := 0.0
	for _, y := range x {
		size = max(size, math.Abs(float(y)))
	}
	return size
}

// assertFinite checks what a finished induction promises.
func assertFinite(t *testing.T, label string, result *mdp.Result, err error, exact *exactModel, stages [][]*big.Rat, f mdp.FiniteHorizon) {
	t.Helper()
	met := true
	scale := 0.0
	for s := range result.Policy {
		scale = max(scale, math.Abs(result.Optimum(s)))
	}
	for s, optimum := range stages[f.Steps] {
		lower, upper := result.Bounds(s)
		value := result.Optimum(s)
		achieved := exact.follow(s, int(result.Policy[s]), stages[f.Steps-1])
		assert.True(t, lower <= value && value <= upper, "%s: value %v of state %d outside %v … %v", label, value, s, lower, upper)
		for _, x := range []*big.Rat{optimum, achieved} {
			assert.LessOrEqual(t, rational(lower).Cmp(x), 0, "%s: lower bound %v of state %d, exactly %v", label, lower, s, float(x))
			assert.GreaterOrEqual(t, rational(upper).Cmp(x), 0, "%s: upper bound %v of state %d, exactly %v", label, upper, s, float(x))
		}
		met = met && (upper-lower <= 1e-9*max(scale, math.Abs(lower), math.Abs(upper)))
	}
	assert.Equal(t, [2]float64{result.Lower, result.Upper}, firstBounds(result))
	if met {
		assert.Equal(t, mdp.Converged, result.Status, label)
		require.NoError(t, err, label)
	} else {
		assert.Equal(t, mdp.PrecisionLimit, result.Status, label)
		require.ErrorIs(t, err, mdp.ErrPrecisionLimit, label)
	}
}

func firstBounds(result *mdp.Result) [2]float64 {
	lower, upper := result.Bounds(0)
	return [2]float64{lower, upper}
}

// An induction that stops after some steps, for any reason, has bounds on all
// of them.
func TestFiniteHorizonStoppedOnTheWay(t *testing.T) {
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		scale := scale(random.IntN(int(scales)))
		table := randomTable(t, random, structure(random.IntN(int(structures))), scale)
		f := randomHorizon(random, table.NumStates(), scale)
		f.Steps += 2
		optimum := newExactModel(table).stages(f)[f.Steps]
		stop := 1 + random.IntN(f.Steps-1)
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		want, status, rounds := errEnough, mdp.Interrupted, stop
		settings := mdp.Settings{}
		switch random.IntN(5) {
		case 0:
			settings.MaxIterations, want, status = stop, mdp.ErrIterationLimit, mdp.IterationLimit
		case 1:
			settings.TimeLimit, want, status, rounds = time.Nanosecond, mdp.ErrTimeLimit, mdp.TimeLimit, 0
		case 2:
			cancel(errEnough)
			rounds = 0
		case 3:
			settings.Record = func(p mdp.Progress) error {
				if p.Iteration == stop {
					return errEnough
				}
				return nil
			}
		default:
			f.Stage = func(step int, _ []float64, _ []int32) error {
				if step == f.Steps-stop {
					return errEnough
				}
				return nil
			}
		}
		label := fmt.Sprintf("%v, %v, stopped after %d of %d steps by %v", scale, f.Sense, stop, f.Steps, want)
		result, err := mdp.Solve(ctx, table, f, settings)
		require.NotNil(t, result, "%s: %v", label, err)
		assertStopped(t, label, result, err, optimum, stopped{want, status, rounds})
	})
}

// stopped says how a solve must end that stops early.
type stopped struct {
	cause  error
	status mdp.Status
	rounds int
}

// assertStopped also accepts convergence, as when all costs are equal.
func assertStopped(t *testing.T, label string, result *mdp.Result, err error, optimum []*big.Rat, end stopped) {
	t.Helper()
	if result.Status == mdp.Converged {
		require.NoError(t, err, label)
	} else {
		assert.Equal(t, end.status, result.Status, label)
		require.ErrorIs(t, err, end.cause, label)
	}
	assert.Equal(t, end.rounds, result.Iterations, label)
	require.Len(t, result.Policy, len(optimum))
	for s, x := range optimum {
		lower, upper := result.Bounds(s)
		value := result.Optimum(s)
		assert.True(t, lower <= value && value <= upper, "%s: value %v of state %d outside %v … %v", label, value, s, lower, upper)
		assert.LessOrEqual(t, rational(lower).Cmp(x), 0, "%s: lower bound %v of state %d, exactly %v", label, lower, s, float(x))
		assert.GreaterOrEqual(t, rational(upper).Cmp(x), 0, "%s: upper bound %v of state %d, exactly %v", label, upper, s, float(x))
	}
}

// knownTo is a model that is known to some relative error.
type knownTo struct {
	*mdp.Table
	relativeError float64
}

func (k knownTo) RelativeError() float64 { return k.relativeError }

// The bounds also hold for the model before rounding, whether all steps are done
// or not.
func TestFiniteHorizonOfAnInexactModel(t *testing.T) {
	trials(t, 200, func(t *testing.T, random *rand.Rand) {
		const relativeError = 1e-3
		scale := scale(random.IntN(int(scales)))
		table := randomTable(t, random, structure(random.IntN(int(structures))), scale)
		f := randomHorizon(random, table.NumStates(), scale)
		meant := newExactModel(table)
		off := func(x *big.Rat) { x.Mul(x, rational(1+relativeError*0.999*(2*random.Float64()-1))) }
		for s := range meant.rows {
			for a, row := range meant.rows[s] {
				off(meant.costs[s][a])
				for j, p := range row {
					if j != s && row[s].Sign() > 0 { // so that they do not sum to more than 1
						off(p)
					}
				}
			}
		}
		optimum := meant.stages(f)[f.Steps]
		result, err := mdp.Solve(context.Background(), knownTo{table, relativeError}, f, mdp.Settings{MaxIterations: 1 + random.IntN(f.Steps)})
		require.NotNil(t, result, "%v", err)
		for s, x := range optimum {
			lower, upper := result.Bounds(s)
			assert.LessOrEqual(t, rational(lower).Cmp(x), 0, "%v, %v: lower bound %v of state %d, exactly %v", scale, result.Status, lower, s, float(x))
			assert.GreaterOrEqual(t, rational(upper).Cmp(x), 0, "%v, %v: upper bound %v of state %d, exactly %v", scale, result.Status, upper, s, float(x))
		}
	})
}

// Where float64 takes the wrong action in a later step, as 1 − 10¹⁶ + 10¹⁶ is 0 there, Stage comes
// to see the right one: it is that which achieves the bounds.
func TestStageSeesThePoliciesOfTheBounds(t *testing.T) {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1, 3, 4, 5, 6, 7},
		RowStart:      []int32{0, 1, 2, 3, 4, 5, 6, 7},
		Columns:       []int32{1, 2, 5, 3, 4, 5, 5},
		Probabilities: []float64{1, 1, 1, 1, 1, 1, 1},
		Costs:         []float64{1, 0, 0.5, 1e16, 1, -1e16, 0},
	})
	require.NoError(t, err)
	const steps = 5
	policies := make([][]int32, steps)
	result, err := mdp.Solve(context.Background(), table, mdp.FiniteHorizon{Steps: steps, Stage: func(step int, _ []float64, policy []int32) error {
		policies[step] = slices.Clone(policy)
		return nil
	}}, mdp.Settings{})
	require.NoError(t, err)
	_, upper := result.Bounds(0)
	assert.InDelta(t, 1.5, upper, 1e-12)
	assert.Equal(t, int32(1), policies[1][1], "the action of state 1 in the second step, worth 0.5")
}
