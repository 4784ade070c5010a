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

// inRationals returns a table for package exact.
func inRationals(t *testing.T, model *mdp.Table) *exact.Model {
	t.Helper()
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for s := range model.NumStates() {
		for action := range model.NumActions(s) {
			row, cost := model.AppendRow(nil, s, action)
			for _, e := range row {
				a.Columns, a.Probabilities = append(a.Columns, e.State), append(a.Probabilities, rat(e.Probability))
			}
			a.Costs, a.RowStart = append(a.Costs, rat(cost)), append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	m, err := exact.NewModel(a)
	require.NoError(t, err)
	return m
}

// Values of actions and what is said of them, against fractions.
func TestValuesOfActionsInFractions(t *testing.T) {
	const seed = 20261201
	trials := 300
	if *long {
		trials = 10_000
	}
	ctx, rng := context.Background(), rand.New(rand.NewPCG(seed, 0))
	said := map[mdp.Optimality]int{}
	for trial := range trials {
		n := 2 + rng.IntN(5)
		model := choices(rng, n)
		if rng.IntN(2) == 0 {
			model = sparse(rng, n)
		}
		fractions, sense := inRationals(t, model), mdp.Sense(rng.IntN(2))
		discount, steps := big.NewRat(1, 1), 3
		var criterion mdp.Criterion
		var after func() (*exact.Answer, error) // of the states after a step
		switch rng.IntN(4) {
		case 0:
			discount = rat([]float64{0, 0.5, 0.9}[rng.IntN(3)])
			beta, _ := discount.Float64()
			criterion = mdp.Discounted{Discount: beta, Sense: sense}
			after = func() (*exact.Answer, error) { return fractions.Discounted(ctx, sense, discount) }
		case 1:
			target := []int32{int32(n - 1)}
			criterion = mdp.TotalCost{Target: target, Sense: sense}
			after = func() (*exact.Answer, error) { return fractions.Total(ctx, sense, target) }
		case 2:
			criterion = mdp.TotalCost{Sense: sense}
			after = func() (*exact.Answer, error) { return fractions.Total(ctx, sense, nil) }
		default:
			criterion = mdp.FiniteHorizon{Steps: steps, Sense: sense}
			after = func() (*exact.Answer, error) { return fractions.Finite(ctx, sense, exact.Horizon{Steps: steps - 1}) }
		}
		best, err := after()
		if errors.Is(err, mdp.ErrUnsupported) {
			continue
		}
		require.NoError(t, err)
		result, err := mdp.Solve(ctx, model, criterion, mdp.Settings{})
		require.True(t, err == nil || errors.Is(err, mdp.ErrPrecisionLimit))
		found, err := mdp.ValuesOfActions(ctx, model, criterion, result, mdp.Settings{})
		require.NoError(t, err)
		k := 0
		for s := range n {
			var values []*big.Rat
			var optimum *big.Rat
			isFinite := true
			for a := range model.NumActions(s) {
				row, cost := model.AppendRow(nil, s, a)
				q := rat(cost)
				for _, e := range row {
					v := best.Values[e.State].Rat()
					if isFinite = isFinite && v != nil; isFinite {
						q.Add(q, v.Mul(v, new(big.Rat).Mul(discount, rat(e.Probability))))
					}
				}
				if c, ok := criterion.(mdp.TotalCost); ok && c.Target != nil && int32(s) == c.Target[0] {
					q = new(big.Rat)
				}
				if values = append(values, q); optimum == nil || q.Cmp(optimum)*(1-2*int(sense)) < 0 {
					optimum = q
				}
			}
			for _, q := range values {
				lower, upper, o := found.Lower[k], found.Upper[k], found.Optimality[k]
				if k++; !isFinite || math.IsInf(lower, -1) || math.IsInf(upper, 1) {
					continue
				}
				said[o]++
				assert.True(t, rat(lower).Cmp(q) <= 0 && q.Cmp(rat(upper)) <= 0, "seed %d, trial %d, %T, state %d: %s is not in [%v, %v]", seed, trial, criterion, s, q, lower, upper)
				assert.True(t, o == mdp.Undecided || (o == mdp.Optimal) == (q.Cmp(optimum) == 0), "seed %d, trial %d, %T, state %d: %s, %s: %v", seed, trial, criterion, s, q, optimum, o)
			}
		}
	}
	t.Log(said)
	assert.Greater(t, said[mdp.Optimal], said[mdp.Undecided]/2)
}
