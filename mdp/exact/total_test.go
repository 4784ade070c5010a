package exact_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Knuth and Yao (1976): a fair die takes 11/3 throws of a fair coin. States 0 … 6
// are the nodes of their tree, and 7 is the die.
func TestDieByCoins(t *testing.T) {
	next := [][2]int32{{1, 2}, {3, 4}, {5, 6}, {1, 7}, {7, 7}, {7, 7}, {7, 2}, {7, 7}}
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for s, pair := range next {
		half := big.NewRat(1, 2)
		if pair[0] == pair[1] {
			a.Columns, a.Probabilities = append(a.Columns, pair[0]), append(a.Probabilities, one)
		} else {
			a.Columns, a.Probabilities = append(a.Columns, pair[:]...), append(a.Probabilities, half, half)
		}
		a.Costs = append(a.Costs, one)
		a.StateStart, a.RowStart = append(a.StateStart, int32(s+1)), append(a.RowStart, int32(len(a.Columns)))
	}
	model, err := exact.NewModel(a)
	require.NoError(t, err)
	for _, sense := range senses {
		answer, err := model.Total(context.Background(), sense, []int32{7})
		require.NoError(t, err)
		assert.Equal(t, "11/3", answer.Values[0].String())
	}
}

// ruin returns a fair game for stakes of 1 between players who have n together.
func ruin(t *testing.T, n int) *exact.Model {
	t.Helper()
	a := exact.Arrays{StateStart: []int32{0}, RowStart: []int32{0}}
	for s := range int32(n + 1) {
		if s == 0 || s == int32(n) {
			a.Columns, a.Probabilities = append(a.Columns, s), append(a.Probabilities, one)
		} else {
			a.Columns = append(a.Columns, s-1, s+1)
			a.Probabilities = append(a.Probabilities, big.NewRat(1, 2), big.NewRat(1, 2))
		}
		a.Costs = append(a.Costs, one)
		a.StateStart, a.RowStart = append(a.StateStart, s+1), append(a.RowStart, int32(len(a.Columns)))
	}
	model, err := exact.NewModel(a)
	require.NoError(t, err)
	return model
}

// Feller (1968), chapter XIV.3: a fair game from s lasts s·(n−s) rounds.
func TestDurationOfAGame(t *testing.T) {
	const n = 300
	answer, err := ruin(t, n).Total(context.Background(), mdp.Minimize, []int32{0, n})
	require.NoError(t, err)
	for s, value := range answer.Values {
		assert.Equal(t, big.NewRat(int64(s*(n-s)), 1).RatString(), value.String())
	}
	// To be ruined it must not be won.
	answer, err = ruin(t, n).Total(context.Background(), mdp.Minimize, []int32{0})
	require.NoError(t, err)
	assert.Equal(t, "0", answer.Values[0].String())
	assert.Equal(t, "Infinity", answer.Values[1].String())
}

// A cycle that costs nothing does not lead to the target, and one that pays is worth
// repeating without end.
func TestCycles(t *testing.T) {
	for _, test := range []struct {
		back   string
		want   []string
		policy []int32
	}{
		{"-3", []string{"5", "2", "0"}, []int32{1, 0, 0}},
		{"-2.999999", []string{"5", "2000001/1000000", "0"}, []int32{1, 0, 0}},
		{"-3.000001", []string{"-Infinity", "-Infinity", "0"}, []int32{0, 0, 0}},
	} {
		model := textbook(t,
			[]action{{[]string{"0", "1", "0"}, []string{"3"}}, {[]string{"0", "0", "1"}, []string{"5"}}},
			[]action{{[]string{"1", "0", "0"}, []string{test.back}}},
			[]action{{[]string{"0", "0", "1"}, []string{"-7"}}},
		)
		answer, err := model.Total(context.Background(), mdp.Minimize, []int32{2})
		require.NoError(t, err)
		assertValues(t, test.want, answer.Values)
		assert.Equal(t, test.policy, answer.Policy)
		answer, err = model.Total(context.Background(), mdp.Maximize, []int32{2})
		require.NoError(t, err)
		assertValues(t, []string{"Infinity", "Infinity", "0"}, answer.Values)
	}
}

// The cycle of 3 and −4 pays, at 5 steps per unit of time, and its values prove it in
// each of its states.
func TestCycleProvesEndlessTotals(t *testing.T) {
	model, err := exact.NewModel(exact.Arrays{
		StateStart: []int32{0, 1, 3, 4}, RowStart: []int32{0, 1, 2, 3, 4}, Columns: []int32{1, 2, 0, 2},
		Probabilities: []*big.Rat{one, one, one, one},
		Costs:         []*big.Rat{big.NewRat(3, 1), big.NewRat(1, 1), big.NewRat(-4, 1), big.NewRat(0, 1)},
		Rate:          big.NewRat(5, 1),
	})
	require.NoError(t, err)
	answer, err := model.Total(t.Context(), mdp.Minimize, []int32{2})
	require.NoError(t, err)
	assertValues(t, []string{"-Infinity", "-Infinity", "0"}, answer.Values)
	require.NotNil(t, answer.Cycle)
	assert.Equal(t, []int32{0, 1}, answer.Cycle.Policy[:2])
	up := new(big.Rat).Sub(answer.Cycle.Values[1].Rat(), answer.Cycle.Values[0].Rat())
	up.Mul(up, big.NewRat(5, 1))
	assert.Negative(t, new(big.Rat).Add(big.NewRat(3, 1), up).Sign())
	assert.Negative(t, new(big.Rat).Sub(big.NewRat(-4, 1), up).Sign())

	answer, err = model.Total(t.Context(), mdp.Maximize, []int32{2})
	require.NoError(t, err)
	assert.Nil(t, answer.Cycle)
}
