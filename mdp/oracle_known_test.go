package mdp_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Two closed classes, {0, 1} and {2}, and state 3, which goes to 1 and to 2
// with 1/4 each. On {0, 1} the chain spends 1/3 and 2/3 of the time, so gains
// are 3·1/3 + 0·2/3 = 1 and 5; from state 3 it is (1 + 5)/2 = 3.
func TestOracleOnAChainSolvedByHand(t *testing.T) {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1, 2, 3, 4},
		RowStart:      []int32{0, 1, 3, 4, 7},
		Columns:       []int32{1, 0, 1, 2, 1, 2, 3},
		Probabilities: []float64{1, 0.5, 0.5, 1, 0.25, 0.25, 0.5},
		Costs:         []float64{3, 0, 5, 7},
	})
	require.NoError(t, err)
	model := newExactModel(table)
	chain := model.chain([]int32{0, 0, 0, 0})

	assert.Equal(t, [][]int{{0, 1}, {2}}, chain.classes())
	assertRationals(t, []string{"1/3", "2/3"}, chain.stationary([]int{0, 1}))
	assertRationals(t, []string{"1", "1", "5", "3"}, chain.gains())
	// h(1) = 0 − 1 + (h(0) + h(1))/2 and h(0)/3 + 2·h(1)/3 = 0;
	// h(3) = 7 − 3 + h(1)/4 + 0/4 + h(3)/2.
	assertRationals(t, []string{"4/3", "-2/3", "0", "23/3"}, chain.bias())
	assertRationals(t, []string{"1", "1", "5", "3"}, model.optimalGains())
}

func assertRationals(t *testing.T, want []string, got []*big.Rat) {
	t.Helper()
	var text []string
	for _, x := range got {
		text = append(text, x.RatString())
	}
	assert.Equal(t, want, text)
}
