package mdp_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// choices is a random model of n states with probabilities k/16 and whole costs of both signs.
func choices(rng *rand.Rand, n int) *mdp.Table {
	var b mdp.TableBuilder
	for range n {
		b.AddState()
		for range 1 + rng.IntN(3) {
			b.AddAction(float64(rng.IntN(9) - 4))
			left := 16
			for _, j := range rng.Perm(n) {
				p := min(left, 1+rng.IntN(16))
				if left -= p; p > 0 {
					b.AddTransition(j, float64(p)/16)
				}
			}
			if left > 0 {
				b.AddTransition(n-1, float64(left)/16)
			}
		}
	}
	table, err := b.Build()
	if err != nil {
		panic(err)
	}
	return table
}

// randomized is a random policy with its weights: some states take one action.
func randomized(t *testing.T, rng *rand.Rand, model *mdp.Table) (mdp.Policy, []float64) {
	t.Helper()
	weights := make([]float64, 0, model.NumChoices())
	for s := range model.NumStates() {
		first := len(weights)
		for range model.NumActions(s) {
			weights = append(weights, float64(rng.IntN(4)))
		}
		weights[first+rng.IntN(model.NumActions(s))]++
	}
	policy, err := mdp.RandomizedPolicy(model, weights)
	require.NoError(t, err)
	return policy, weights
}

// mixed lists, in rational numbers, the row and the cost that weights make of the actions of a state.
func mixed(model *mdp.Table, s, first int, weights []float64) (row []*big.Rat, cost *big.Rat) {
	row, cost = make([]*big.Rat, model.NumStates()), new(big.Rat)
	for j := range row {
		row[j] = new(big.Rat)
	}
	sum := 0.0
	for a := range model.NumActions(s) {
		sum += weights[first+a]
	}
	for a := range model.NumActions(s) {
		entries, c := model.AppendRow(nil, s, a)
		share := rat(weights[first+a])
		share.Quo(share, rat(sum))
		cost.Add(cost, new(big.Rat).Mul(share, rat(c)))
		for _, e := range entries {
			row[e.State].Add(row[e.State], new(big.Rat).Mul(share, rat(e.Probability)))
		}
	}
	return row, cost
}

// inFractions returns the chain that weights make of a model.
func inFractions(t *testing.T, model *mdp.Table, weights []float64) *exact.Model {
	t.Helper()
	a, first := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}, 0
	for s := range model.NumStates() {
		row, cost := mixed(model, s, first, weights)
		for j, p := range row {
			if p.Sign() > 0 {
				a.Columns, a.Probabilities = append(a.Columns, int32(j)), append(a.Probabilities, p)
			}
		}
		a.Costs, a.RowStart, a.StateStart = append(a.Costs, cost), append(a.RowStart, int32(len(a.Columns))), append(a.StateStart, int32(s+1))
		first += model.NumActions(s)
	}
	m, err := exact.NewModel(a)
	require.NoError(t, err)
	return m
}

func TestValuesOfPoliciesInFractions(t *testing.T) {
	const seed = 20261128
	ctx, rng := context.Background(), rand.New(rand.NewPCG(seed, 0))
	for trial := range 150 {
		n := 2 + rng.IntN(5)
		model := choices(rng, n)
		policy, weights := randomized(t, rng, model)
		chain, target := inFractions(t, model, weights), []int32{int32(n - 1)}
		half := big.NewRat(1, 2)
		for _, c := range []struct {
			criterion mdp.Criterion
			exactly   func() (*exact.Answer, error)
		}{
			{mdp.LongRunAverage{}, func() (*exact.Answer, error) { return chain.Average(ctx, mdp.Minimize) }},
			{mdp.Discounted{Discount: 0.5}, func() (*exact.Answer, error) { return chain.Discounted(ctx, mdp.Minimize, half) }},
			{mdp.TotalCost{Target: target}, func() (*exact.Answer, error) { return chain.Total(ctx, mdp.Minimize, target) }},
			{mdp.FiniteHorizon{Steps: 4}, func() (*exact.Answer, error) { return chain.Finite(ctx, mdp.Minimize, exact.Horizon{Steps: 4}) }},
		} {
			want, err := c.exactly()
			require.NoError(t, err)
			result, err := mdp.Evaluate(ctx, model, policy, c.criterion, mdp.Settings{})
			require.NoError(t, err, "seed %d, trial %d, %T", seed, trial, c.criterion)
			for s := range n {
				lower, upper := result.Bounds(s)
				x := want.Values[s].Float64()
				isWithin := lower <= x && x <= upper
				if r := want.Values[s].Rat(); r != nil && isWithin {
					isWithin = rat(lower).Cmp(r) <= 0 && r.Cmp(rat(upper)) <= 0
				}
				assert.True(t, isWithin, "seed %d, trial %d, %T, state %d: %v is not in [%v, %v]", seed, trial, c.criterion, s, x, lower, upper)
			}
		}
		behaviour, err := mdp.LongRun(ctx, model, policy)
		require.NoError(t, err)
		gains, err := chain.Average(ctx, mdp.Minimize)
		require.NoError(t, err)
		for s, gain := range behaviour.Gain {
			assert.InDelta(t, gains.Values[s].Float64(), gain, 1e-12, "seed %d, trial %d, state %d", seed, trial, s)
		}
	}
}

func TestPoliciesByStepInFractions(t *testing.T) {
	const seed, steps = 20261129, 5
	ctx, rng := context.Background(), rand.New(rand.NewPCG(seed, 0))
	for trial := range 200 {
		n := 2 + rng.IntN(5)
		var models []*mdp.Table
		policy, weights, terminal := mdp.Policy{}, make([][]float64, steps), make([]float64, n)
		criterion := mdp.FiniteHorizon{Steps: steps, Terminal: terminal, Sense: mdp.Sense(rng.IntN(2)), Discount: []float64{0, 0.5, 0.9}[rng.IntN(3)]}
		discount := rat(criterion.Discount)
		if discount.Sign() == 0 {
			discount.SetInt64(1)
		}
		models = append(models, choices(rng, n))
		if trial%2 == 0 { // costs and transitions change, too
			for range steps - 1 {
				models = append(models, choices(rng, n))
			}
			criterion.At = func(step int) (mdp.Model, error) { return models[step], nil }
		}
		values := make([]*big.Rat, n)
		for s := range n {
			terminal[s] = float64(rng.IntN(7) - 3)
			values[s] = rat(terminal[s])
		}
		for step := range steps {
			p, w := randomized(t, rng, models[step%len(models)])
			policy.Steps, weights[step] = append(policy.Steps, p), w
		}
		for step := steps - 1; step >= 0; step-- {
			before, first, model := make([]*big.Rat, n), 0, models[step%len(models)]
			for s := range n {
				row, sum := mixed(model, s, first, weights[step])
				for j, p := range row {
					sum.Add(sum, p.Mul(p.Mul(p, values[j]), discount))
				}
				before[s], first = sum, first+model.NumActions(s)
			}
			values = before
		}
		result, err := mdp.Evaluate(ctx, models[0], policy, criterion, mdp.Settings{})
		require.NoError(t, err, "seed %d, trial %d", seed, trial)
		for s := range n {
			lower, upper := result.Bounds(s)
			assert.True(t, rat(lower).Cmp(values[s]) <= 0 && values[s].Cmp(rat(upper)) <= 0,
				"seed %d, trial %d, state %d: %s is not in [%v, %v]", seed, trial, s, values[s].RatString(), lower, upper)
		}
	}
}

// Solve with At is the best of all policies by step: the value of its own is the optimum, and no
// random one is better.
func TestCostsThatChangeWithTime(t *testing.T) {
	const seed, steps = 20261130, 4
	ctx, rng := context.Background(), rand.New(rand.NewPCG(seed, 0))
	for trial := range 60 {
		n := 2 + rng.IntN(4)
		models := make([]*mdp.Table, steps)
		for i := range models {
			models[i] = choices(rng, n)
		}
		found := mdp.Policy{Steps: make([]mdp.Policy, steps)}
		criterion := mdp.FiniteHorizon{Steps: steps, Sense: mdp.Maximize, At: func(step int) (mdp.Model, error) { return models[step], nil }}
		watched := criterion
		watched.Stage = func(step int, _ []float64, policy []int32) error {
			found.Steps[step].Actions = append([]int32(nil), policy...)
			return nil
		}
		best, err := mdp.Solve(ctx, models[0], watched, mdp.Settings{})
		require.NoError(t, err)
		own, err := mdp.Evaluate(ctx, models[0], found, criterion, mdp.Settings{})
		require.NoError(t, err)
		assert.InDeltaSlice(t, best.Value, own.Value, 1e-12, "seed %d, trial %d", seed, trial)
		for range 20 {
			other := mdp.Policy{}
			for step := range steps {
				p, _ := randomized(t, rng, models[step])
				other.Steps = append(other.Steps, p)
			}
			value, err := mdp.Evaluate(ctx, models[0], other, criterion, mdp.Settings{})
			require.NoError(t, err)
			for s := range n {
				_, upper := best.Bounds(s)
				lower, _ := value.Bounds(s)
				assert.LessOrEqual(t, lower, upper, "seed %d, trial %d, state %d", seed, trial, s)
			}
		}
	}
}

func TestPoliciesThatDoNotFit(t *testing.T) {
	ctx, model := context.Background(), choices(rand.New(rand.NewPCG(1, 0)), 3)
	half := big.NewRat(1, 2)
	for text, policy := range map[string]mdp.Policy{
		"mdp: a policy for 2 states does not fit the model, which has 3":                                      {Actions: []int32{0, 0}},
		"mdp: policy: action 9 of state 1 is not valid":                                                       {Actions: []int32{0, 9, 0}},
		"the policy changes from step to step: use FiniteHorizon":                                             {Steps: []mdp.Policy{{Actions: []int32{0, 0, 0}}}},
		"mdp: a policy for 2 states, of 2 actions with 0 probabilities, is not valid for a model of 3 states": {Start: []int32{0, 1, 2}, Actions: []int32{0, 0}},
		"mdp: policy: the probabilities of state 0 sum to 0, not to 1":                                        {Start: []int32{0, 0, 1, 4}, Actions: make([]int32, 4), Probabilities: []*big.Rat{half, half, half, half}},
		"mdp: policy: a probability in state 2 is not above 0":                                                {Start: []int32{0, 1, 2, 4}, Actions: make([]int32, 4), Probabilities: []*big.Rat{half, half, new(big.Rat), nil}},
	} {
		_, err := mdp.Under(model, policy)
		assert.ErrorContains(t, err, text)
		_, err = mdp.LongRun(ctx, model, policy)
		assert.Error(t, err)
	}
	_, err := mdp.Evaluate(ctx, model, mdp.Policy{Steps: make([]mdp.Policy, 2)}, mdp.FiniteHorizon{Steps: 3}, mdp.Settings{})
	assert.ErrorIs(t, err, mdp.ErrUnsupported)
	for _, weights := range [][]float64{{1}, make([]float64, 9), {1, math.NaN(), 1, 1, 1, 1, 1, 1, 1}} {
		_, err := mdp.RandomizedPolicy(model, weights)
		assert.Error(t, err)
	}
}
