package exact

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// absorbing returns a model of three states. From 0 one goes to 1 at cost 1 or to 2
// at cost 3; 1 and 2 are absorbing and cost 2 and 1.
func absorbing(t *testing.T) *Model {
	t.Helper()
	unit := big.NewRat(1, 1)
	m, err := NewModel(Arrays{
		StateStart:    []int32{0, 2, 3, 4},
		RowStart:      []int32{0, 1, 2, 3, 4},
		Columns:       []int32{1, 2, 1, 2},
		Probabilities: []*big.Rat{unit, unit, unit, unit},
		Costs:         []*big.Rat{big.NewRat(1, 1), big.NewRat(3, 1), big.NewRat(2, 1), big.NewRat(1, 1)},
	})
	require.NoError(t, err)
	return m
}

func whole(numbers ...int64) vector {
	v := vector{denominator: big.NewInt(1)}
	for _, x := range numbers {
		v.numerators = append(v.numerators, big.NewInt(x))
	}
	return v
}

// Answers that are not optimal, or not those of the policy, fail their check.
func TestChecksOfWrongAnswers(t *testing.T) {
	m := absorbing(t)
	half := big.NewRat(1, 2)
	require.NoError(t, m.checkAverage(mdp.Minimize, whole(1, 2, 1), whole(2, 0, 0), []int32{1, 0, 0}))
	require.NoError(t, m.checkDiscounted(mdp.Minimize, whole(3, 4, 2), []int32{0, 0, 0}, half))
	for _, err := range []error{
		m.checkAverage(mdp.Minimize, whole(2, 2, 1), whole(-1, 0, 0), []int32{0, 0, 0}), // the other way is better
		m.checkAverage(mdp.Minimize, whole(1, 2, 1), whole(2, 0, 0), []int32{0, 0, 0}),  // another policy
		m.checkAverage(mdp.Minimize, whole(1, 2, 1), whole(1, 0, 0), []int32{1, 0, 0}),  // another value
		m.checkAverage(mdp.Maximize, whole(1, 2, 1), whole(2, 0, 0), []int32{1, 0, 0}),  // the other sense
		m.checkDiscounted(mdp.Minimize, whole(4, 4, 2), []int32{1, 0, 0}, half),
		m.checkDiscounted(mdp.Minimize, whole(3, 4, 2), []int32{1, 0, 0}, half),
		m.checkDiscounted(mdp.Maximize, whole(3, 4, 2), []int32{0, 0, 0}, half),
	} {
		require.ErrorContains(t, err, "internal error")
	}

	p := newPassage(m)
	p.fate = []fate{finite, ended, ended}
	require.NoError(t, p.check(m, mdp.Minimize, whole(1, 0, 0)))
	require.Error(t, p.check(m, mdp.Maximize, whole(1, 0, 0)))
	require.Error(t, p.check(m, mdp.Minimize, whole(3, 0, 0)))
	p.policy[0] = 1
	require.Error(t, p.check(m, mdp.Minimize, whole(1, 0, 0)))
	// A policy that does not reach the target, though its values solve v = c + P·v.
	free := &Model{states: [][]choice{m.states[0], {{scale: big.NewInt(1), leave: new(big.Int), cost: new(big.Int)}}, m.states[2]}}
	p = newPassage(free)
	p.fate = []fate{finite, finite, ended}
	require.ErrorContains(t, p.check(free, mdp.Minimize, whole(1, 0, 0)), "way to the target")
}

func TestUnitsOfCostAreCommon(t *testing.T) {
	m, err := NewModel(Arrays{
		StateStart:    []int32{0, 1, 2},
		RowStart:      []int32{0, 1, 2},
		Columns:       []int32{1, 0},
		Probabilities: []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 1)},
		Costs:         []*big.Rat{big.NewRat(1, 6), big.NewRat(1, 10)},
	})
	require.NoError(t, err)
	assert.Equal(t, "30", m.unit.String())
	answer, err := m.Average(context.Background(), mdp.Minimize)
	require.NoError(t, err)
	assert.Equal(t, "2/15", answer.Values[0].String())
}
