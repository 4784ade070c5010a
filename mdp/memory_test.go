package mdp_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

func TestTableBytes(t *testing.T) {
	for _, n := range []int{1, 2, 50} {
		a := tableArrays(birthDeath(t, n+1, func(int) (up, down float64) { return 0.25, 0.5 }))
		held := len(a.StateStart)*int(unsafe.Sizeof(a.StateStart[0])) + len(a.RowStart)*int(unsafe.Sizeof(a.RowStart[0])) +
			len(a.Columns)*int(unsafe.Sizeof(a.Columns[0])) + len(a.Probabilities)*int(unsafe.Sizeof(a.Probabilities[0])) +
			len(a.Costs)*int(unsafe.Sizeof(a.Costs[0]))
		assert.EqualValues(t, held, mdp.TableBytes(n+1, len(a.Costs), len(a.Columns)))
	}
}

// An entry of probability 0 is no transition: without it, state 1 cannot be
// reached from state 0.
func TestZeroProbabilitiesAreDropped(t *testing.T) {
	table, err := mdp.NewTable(mdp.TableArrays{
		StateStart:    []int32{0, 1, 2},
		RowStart:      []int32{0, 2, 4},
		Columns:       []int32{1, 0, 0, 1},
		Probabilities: []float64{0, 1, 0.5, 0.5},
		Costs:         []float64{3, 8},
	})
	require.NoError(t, err)
	assert.Equal(t, 3, table.NumTransitions())
	row, _ := table.AppendRow(nil, 0, 0)
	assert.Equal(t, []mdp.Entry{{State: 0, Probability: 1}}, row)
	assert.Equal(t, 2, mdp.Analyze(table).Components)
	result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, []float64{3, 3}, []float64{result.Optimum(0), result.Optimum(1)})
}

// A forecast grows with all its arguments, and counts an elimination only up to its limit.
func TestSolveBytesGrow(t *testing.T) {
	for _, method := range []mdp.Method{0, mdp.RelativeValueIteration} {
		least := mdp.SolveBytes(method, 1e6, 3e6, 0)
		assert.Less(t, least, mdp.SolveBytes(method, 2e6, 3e6, 0))
		assert.Less(t, least, mdp.SolveBytes(method, 1e6, 3e6, 1000))
		assert.Equal(t, mdp.SolveBytes(method, 1e6, 3e6, 1e6), mdp.SolveBytes(method, 1e6, 3e6, 1e7))
	}
	assert.Greater(t, mdp.SolveBytes(0, 1e6, 3e6, 160), mdp.SolveBytes(mdp.RelativeValueIteration, 1e6, 3e6, 160))
}

// Little memory lets no elimination begin, and the bounds of other methods hold as before.
func TestWithMemory(t *testing.T) {
	table := randomChain(t, rand.New(rand.NewPCG(1, 0)), 400)
	little := mdp.WithMemory(context.Background(), 1e5)
	for _, criterion := range []mdp.Criterion{mdp.LongRunAverage{}, mdp.Discounted{Discount: 0.999}} {
		want, err := mdp.Solve(context.Background(), table, criterion, mdp.Settings{Method: mdp.PolicyIteration})
		require.NoError(t, err)
		_, err = mdp.Solve(little, table, criterion, mdp.Settings{Method: mdp.PolicyIteration})
		require.ErrorIs(t, err, mdp.ErrTooLarge)
		got, err := mdp.Solve(little, table, criterion, mdp.Settings{})
		require.NoError(t, err)
		assert.LessOrEqual(t, got.Lower, want.Upper)
		assert.GreaterOrEqual(t, got.Upper, want.Lower)
	}
	_, err := mdp.LongRun(little, table, mdp.Policy{Actions: make([]int32, 400)})
	require.ErrorIs(t, err, mdp.ErrTooLarge)
}
