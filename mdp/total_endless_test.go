package mdp_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// sparse is a random model of n states with few successors, so that many states are absorbing or in
// small cycles, and costs that are often 0 and seldom positive or negative.
func sparse(rng *rand.Rand, n int) *mdp.Table {
	var b mdp.TableBuilder
	costs := []float64{0, 0, 0, 1, -1, 2, -3}
	if rng.IntN(3) == 0 {
		costs = costs[:5]
	}
	for s := range n {
		b.AddState()
		for range 1 + rng.IntN(2) {
			b.AddAction(costs[rng.IntN(len(costs))])
			switch j := rng.IntN(n); rng.IntN(3) {
			case 0:
				b.AddTransition(s, 1)
			case 1:
				b.AddTransition(j, 1)
			default:
				b.AddTransition(j, 0.5)
				b.AddTransition(rng.IntN(n), 0.5)
			}
		}
	}
	table, err := b.Build()
	if err != nil {
		panic(err)
	}
	return table
}

// worth is what a policy costs in the end: a number, an infinity, or neither.
type worth struct {
	value     *big.Rat
	infinity  int
	undefined bool
}

// worthOf evaluates a deterministic policy in fractions. From a state that may come to closed
// classes of positive and of negative mean, or to one whose costs have the mean 0 without being 0,
// the total is not defined.
func worthOf(t *testing.T, model *mdp.Table, policy []int32) []worth {
	t.Helper()
	n := model.NumStates()
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	reach := make([][]bool, n)
	for s := range n {
		row, cost := model.AppendRow(nil, s, int(policy[s]))
		reach[s] = make([]bool, n)
		reach[s][s] = true
		for _, e := range row {
			a.Columns, a.Probabilities = append(a.Columns, e.State), append(a.Probabilities, rat(e.Probability))
			reach[s][e.State] = true
		}
		a.Costs, a.RowStart, a.StateStart = append(a.Costs, rat(cost)), append(a.RowStart, int32(len(a.Columns))), append(a.StateStart, int32(s+1))
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	chain, err := exact.NewModel(a)
	require.NoError(t, err)
	gains, err := chain.Average(context.Background(), mdp.Minimize)
	require.NoError(t, err)
	isRecurrent := func(s int) bool {
		for j := range n {
			if reach[s][j] && !reach[j][s] {
				return false
			}
		}
		return true
	}
	found, target := make([]worth, n), []int32{}
	for s := range n {
		if isRecurrent(s) && a.Costs[s].Sign() == 0 && gains.Values[s].Rat().Sign() == 0 {
			target = append(target, int32(s))
		}
		for j := range n {
			if !reach[s][j] || !isRecurrent(j) {
				continue
			}
			switch sign := gains.Values[j].Rat().Sign(); {
			case sign == 0 && a.Costs[j].Sign() != 0, sign*found[s].infinity < 0:
				found[s].undefined = true
			case sign != 0:
				found[s].infinity = sign
			}
		}
	}
	totals, err := chain.Total(context.Background(), mdp.Minimize, target)
	require.NoError(t, err)
	for s := range n {
		if found[s].infinity == 0 && !found[s].undefined {
			found[s].value = totals.Values[s].Rat()
		}
	}
	return found
}

// less orders worths.
func (w worth) less(x worth) bool {
	if w.infinity != x.infinity || w.infinity != 0 {
		return w.infinity < x.infinity
	}
	return w.value.Cmp(x.value) < 0
}

// The least total of all steps against that of every policy, in fractions.
func TestTotalsOfAllStepsAgainstEveryPolicy(t *testing.T) {
	const seed = 20261131
	trials := 400
	if *long {
		trials = 40_000
	}
	ctx, rng := context.Background(), rand.New(rand.NewPCG(seed, 0))
	counts := map[string]int{}
	for trial := range trials {
		n := 2 + rng.IntN(4)
		model := sparse(rng, n)
		sense := mdp.Sense(rng.IntN(2))
		best, isRefused := make([]*worth, n), false
		policy := make([]int32, n)
		for more := true; more; {
			for s, w := range worthOf(t, model, policy) {
				if w.undefined {
					isRefused = true
					continue
				}
				if sense == mdp.Maximize && w.value != nil {
					w.value = new(big.Rat).Neg(w.value)
				}
				if sense == mdp.Maximize {
					w.infinity = -w.infinity
				}
				if best[s] == nil || w.less(*best[s]) {
					best[s] = &w
				}
			}
			more = false
			for s := 0; s < n && !more; s++ {
				if policy[s]++; int(policy[s]) < model.NumActions(s) {
					more = true
				} else {
					policy[s] = 0
				}
			}
		}
		criterion := mdp.TotalCost{Sense: sense}
		result, err := mdp.Solve(ctx, model, criterion, mdp.Settings{})
		require.True(t, err == nil || errors.Is(err, mdp.ErrPrecisionLimit), "seed %d, trial %d: %v", seed, trial, err)
		fractions, exactly := inRationals(t, model).Total(ctx, sense, nil)
		if exactly != nil {
			require.ErrorIs(t, exactly, mdp.ErrUnsupported)
			require.True(t, isRefused, "seed %d, trial %d: %v", seed, trial, exactly)
			counts["refused"]++
		}
		counts[result.Status.String()]++
		for s := range n {
			if best[s] == nil {
				continue
			}
			want := math.Inf(best[s].infinity)
			if best[s].value != nil {
				want, _ = best[s].value.Float64()
			}
			if sense == mdp.Maximize {
				want = -want
			}
			lower, upper := result.Bounds(s)
			assert.True(t, lower <= want && want <= upper, "seed %d, trial %d, %v, state %d: %v is not in [%v, %v]", seed, trial, sense, s, want, lower, upper)
			if exactly == nil {
				assert.Equal(t, want, fractions.Values[s].Float64()+0, "seed %d, trial %d, %v, state %d, exactly", seed, trial, sense, s)
			}
		}
		if err == nil && exactly == nil {
			for s, w := range worthOf(t, model, result.Policy) {
				lower, upper := result.Bounds(s)
				if math.IsInf(lower, 0) {
					continue
				}
				value, _ := w.value.Float64()
				assert.True(t, lower <= value && value <= upper, "seed %d, trial %d, state %d: the policy is worth %v, not in [%v, %v]", seed, trial, s, value, lower, upper)
			}
		}
	}
	t.Log(counts)
	assert.Greater(t, counts["converged"], trials/2)
}
