package exact_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

func twoStates() exact.Arrays {
	return exact.Arrays{
		StateStart:    []int32{0, 1, 2},
		RowStart:      []int32{0, 2, 3},
		Columns:       []int32{0, 1, 0},
		Probabilities: []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3), big.NewRat(1, 1)},
		Costs:         []*big.Rat{big.NewRat(1, 2), big.NewRat(0, 1)},
	}
}

func TestFaultsOfArrays(t *testing.T) {
	for _, test := range []struct {
		change func(a *exact.Arrays)
		want   string
		is     error
	}{
		{func(a *exact.Arrays) { a.StateStart = []int32{0} }, "mdp: StateStart must lead from 0 to 2", nil},
		{func(a *exact.Arrays) { a.StateStart = []int32{0, 0, 2} }, "mdp: state 0: no actions: give at least one", mdp.ErrNoActions},
		{func(a *exact.Arrays) { a.StateStart = []int32{0, 3, 2} }, "mdp: StateStart decreases at 2: 2 after 3", nil},
		{func(a *exact.Arrays) { a.RowStart = []int32{0, 3, 3} }, "mdp: state 0, action 0: not a probability distribution: next state 0 is named twice", mdp.ErrNotDistribution},
		{func(a *exact.Arrays) { a.RowStart = []int32{0, 2, 4} }, "mdp: RowStart must lead from 0 to 3", nil},
		{func(a *exact.Arrays) { a.Probabilities = a.Probabilities[:2] }, "mdp: table of 2 costs has 3 row starts, and 3 columns with 2 probabilities; there must be one row start more than costs, and as many columns as probabilities", nil},
		{func(a *exact.Arrays) { a.Rate = big.NewRat(-1, 2) }, "exact: rate not allowed: -1/2 steps per unit of time: use a positive number", mdp.ErrRate},
		{func(a *exact.Arrays) { a.Columns[1] = 2 }, "mdp: state 0, action 0: not a probability distribution: next state 2, of states 0 … 1", mdp.ErrNotDistribution},
		{func(a *exact.Arrays) { a.Columns[1] = 0 }, "mdp: state 0, action 0: not a probability distribution: next state 0 is named twice", mdp.ErrNotDistribution},
		{func(a *exact.Arrays) { a.Probabilities[2] = big.NewRat(-1, 1) }, "mdp: state 1, action 0: not a probability distribution: probability -1 is not in [0, 1]", mdp.ErrNotDistribution},
		{func(a *exact.Arrays) { a.Probabilities[2] = big.NewRat(99, 100) }, "mdp: state 1, action 0: not a probability distribution: probabilities sum to 0.99, not to 1 within 1e-9: divide each by their sum", mdp.ErrNotDistribution},
		{func(a *exact.Arrays) { a.Costs[1] = nil }, "mdp: state 1, action 0: cost is not a finite number: NaN", mdp.ErrCost},
	} {
		a := twoStates()
		test.change(&a)
		_, err := exact.NewModel(a)
		require.EqualError(t, err, test.want)
		if test.is != nil {
			require.ErrorIs(t, err, test.is)
		}
	}
}

func TestFaultsOfQuestions(t *testing.T) {
	model, err := exact.NewModel(twoStates())
	require.NoError(t, err)
	ctx := context.Background()
	_, err = model.Average(ctx, 7)
	require.EqualError(t, err, "exact: sense 7 is not valid: use Minimize or Maximize")
	_, err = model.Discounted(ctx, mdp.Minimize, big.NewRat(1, 1))
	require.EqualError(t, err, "exact: discount 1 is not valid: use a number in [0, 1)")
	_, err = model.Discounted(ctx, 7, big.NewRat(1, 2))
	require.Error(t, err)
	_, err = model.Total(ctx, mdp.Minimize, []int32{2})
	require.EqualError(t, err, "exact: target state 2 is not valid: use 0 … 1")
	_, err = model.Finite(ctx, mdp.Minimize, exact.Horizon{Steps: -1})
	require.EqualError(t, err, "exact: -1 steps are not valid: use 0 or more")
	_, err = model.Finite(ctx, mdp.Minimize, exact.Horizon{Steps: 1, Terminal: []*big.Rat{one}})
	require.EqualError(t, err, "exact: 1 terminal costs are not valid: use one for each of the 2 states")
	_, err = model.Finite(ctx, 7, exact.Horizon{Steps: 1})
	require.Error(t, err)

	_, err = model.Follow([]int32{0})
	require.EqualError(t, err, "exact: a policy of length 1 is not valid: use one action for each of the 2 states")
	_, err = model.Follow([]int32{0, 1})
	require.EqualError(t, err, "exact: action 1 of state 1 is not valid: use 0 … 0")

	a := twoStates()
	a.Probabilities[0], a.Probabilities[1] = big.NewRat(1, 1<<40), big.NewRat(1<<40-1, 1<<40)
	model, err = exact.NewModel(a)
	require.NoError(t, err)
	_, err = model.Finite(ctx, mdp.Minimize, exact.Horizon{Steps: math.MaxInt32})
	require.ErrorIs(t, err, mdp.ErrTooLarge)
}

func TestEndOfContext(t *testing.T) {
	model, err := exact.NewModel(twoStates())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = model.Average(ctx, mdp.Minimize)
	require.ErrorIs(t, err, context.Canceled)
	_, err = model.Finite(ctx, mdp.Minimize, exact.Horizon{Steps: 5})
	require.ErrorIs(t, err, context.Canceled)

	// In the midst of the digits.
	table := floatTable(t, rand.New(rand.NewPCG(1, 0)), 4000)
	large := fromTable(t, table)
	ctx, cancel = context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err = large.Discounted(ctx, mdp.Minimize, big.NewRat(99, 100))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(begin), 10*time.Second)
}

// floatTable returns a birth-death process of two actions with arbitrary numbers.
func floatTable(t *testing.T, random *rand.Rand, n int) *mdp.Table {
	t.Helper()
	var b mdp.TableBuilder
	for s := range n {
		b.AddState()
		for range 2 {
			up := float64(1+random.IntN(1<<30-1)) / (1 << 30) // so that 1 − up is exact
			b.AddAction(random.Float64())
			b.AddTransition(max(s-1, 0), 1-up)
			b.AddTransition(min(s+1, n-1), up)
		}
	}
	table, err := b.Build()
	require.NoError(t, err)
	return table
}

// fromTable returns the model whose numbers are those of a table as they stand: the
// probability of staying is what the other transitions leave.
func fromTable(t *testing.T, table *mdp.Table) *exact.Model {
	t.Helper()
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	var row []mdp.Entry
	for s := range table.NumStates() {
		for action := range table.NumActions(s) {
			var cost float64
			row, cost = table.AppendRow(row[:0], s, action)
			stay := big.NewRat(1, 1)
			for _, e := range row {
				if p := new(big.Rat).SetFloat64(e.Probability); int(e.State) != s {
					stay.Sub(stay, p)
					a.Columns, a.Probabilities = append(a.Columns, e.State), append(a.Probabilities, p)
				}
			}
			a.Columns, a.Probabilities = append(a.Columns, int32(s)), append(a.Probabilities, stay)
			a.Costs = append(a.Costs, new(big.Rat).SetFloat64(cost))
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	model, err := exact.NewModel(a)
	require.NoError(t, err)
	return model
}

// The bounds of the engine hold for the model whose floats are taken as they
// stand.
func TestBoundsOfTheEngineHoldTheExactOptimum(t *testing.T) {
	trials(t, 5, func(t *testing.T, random *rand.Rand) {
		table := floatTable(t, random, 50+random.IntN(100))
		model := fromTable(t, table)
		answer, err := model.Average(context.Background(), mdp.Minimize)
		require.NoError(t, err)
		result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Tolerance: 1e-12})
		require.NoError(t, err)
		gain := answer.Values[0].Rat()
		assert.LessOrEqual(t, new(big.Rat).SetFloat64(result.Lower).Cmp(gain), 0)
		assert.GreaterOrEqual(t, new(big.Rat).SetFloat64(result.Upper).Cmp(gain), 0)
	})
}

// The denominator of this model is next to 9/26 of a power of two, as 53-bit
// fractions make it. Modulo a prime next to a power of two its solution looks like
// another, simpler one, however many digits there are.
func TestDenominatorNextToAPowerOfTwo(t *testing.T) {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1, 2, 3},
		RowStart:      []int32{0, 3, 6, 7},
		Columns:       []int32{0, 1, 2, 1, 2, 0, 0},
		Probabilities: []float64{0.3076923076923077, 0.34615384615384615, 0.34615384615384615, 0.375, 0.125, 0.5, 1},
		Costs:         []float64{6, 7, 2},
	})
	require.NoError(t, err)
	model := fromTable(t, table)
	answer, err := model.Average(context.Background(), mdp.Minimize)
	require.NoError(t, err)
	assert.Equal(t, "241115795434605014/44343134792571037", answer.Values[0].String())
}

// A row is divided by its sum: from state 1 it takes 1/p steps to get to state 0, p
// being 10⁻⁹/(1 − 10⁻¹⁰).
func TestRowsAreDividedByTheirSum(t *testing.T) {
	a := twoStates()
	a.RowStart, a.Columns = []int32{0, 1, 3}, []int32{0, 1, 0}
	leave := big.NewRat(1, 1e9)
	stay := new(big.Rat).Sub(big.NewRat(9999999999, 1e10), leave)
	a.Probabilities = []*big.Rat{big.NewRat(1, 1), stay, leave}
	a.Costs = []*big.Rat{big.NewRat(7, 1), big.NewRat(1, 1)}
	model, err := exact.NewModel(a)
	require.NoError(t, err)
	answer, err := model.Total(t.Context(), mdp.Minimize, []int32{0})
	require.NoError(t, err)
	assert.Equal(t, "9999999999/10", answer.Values[1].String())
	assert.Equal(t, big.NewRat(9999999999, 1e10), new(big.Rat).Add(stay, leave), "numbers of the caller")
}
