package share

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/distributed/petsc/internal/testdata/garnet"
	"github.com/mdpsolve/mdpsolve/mdp"
)

func fill(t *testing.T, model Model, ranks, rank int) *Share {
	t.Helper()
	first, last := Range(model.NumStates(), ranks, rank)
	plan, err := NewPlan(context.Background(), model, first, last)
	require.NoError(t, err)
	s, err := plan.Fill(context.Background())
	require.NoError(t, err)
	assert.Len(t, s.columns, plan.Transitions)
	assert.Len(t, s.costs, plan.Choices)
	assert.Len(t, s.Ghosts, plan.Ghosts())
	return s
}

// The shares of any number of ranks have the rows of the model, in their own numbers, and
// every state belongs to a rank.
func TestSharesHoldTheRows(t *testing.T) {
	model := garnet.Table(200, 3, 5, 1)
	for ranks := 1; ranks <= 7; ranks++ {
		states := 0
		for rank := range ranks {
			s := fill(t, model, ranks, rank)
			assert.Equal(t, states, s.First)
			states += s.NumStates()
			for i := range s.NumStates() {
				require.Equal(t, 3, s.NumActions(i))
				for a := range 3 {
					row, cost := s.AppendRow(nil, i, a)
					for e := range row {
						row[e].State = s.whole(row[e].State)
					}
					want, wantCost := model.AppendRow(nil, s.First+i, a)
					assert.ElementsMatch(t, want, row)
					assert.Equal(t, wantCost, cost)
				}
			}
		}
		assert.Equal(t, model.NumStates(), states)
	}
}

// With more ranks than states some have none.
func TestRangeOfFewStates(t *testing.T) {
	total := 0
	for rank := range 5 {
		first, last := Range(3, 5, rank)
		total += last - first
	}
	assert.Equal(t, 3, total)
	s := fill(t, garnet.Table(3, 1, 2, 0), 5, 0)
	assert.Zero(t, s.NumStates())
}

// list is a model of one action with the given rows.
type list [][]mdp.Entry

func (l list) NumStates() int     { return len(l) }
func (l list) NumActions(int) int { return 1 }
func (l list) AppendRow(dst []mdp.Entry, s, _ int) ([]mdp.Entry, float64) {
	return append(dst, l[s]...), float64(s)
}

func TestFaultsNameThePlace(t *testing.T) {
	good := []mdp.Entry{{State: 0, Probability: 1}}
	for name, bad := range map[string][]mdp.Entry{
		"no row":         {},
		"sum":            {{State: 0, Probability: 0.5}, {State: 1, Probability: 0.25}},
		"twice":          {{State: 0, Probability: 0.5}, {State: 0, Probability: 0.5}},
		"next state":     {{State: 9, Probability: 1}},
		"below 0":        {{State: 0, Probability: 1.5}, {State: 1, Probability: -0.5}},
		"no number":      {{State: 0, Probability: math.NaN()}},
		"negative state": {{State: -1, Probability: 1}},
	} {
		_, err := NewPlan(context.Background(), list{good, bad}, 0, 2)
		var fault *mdp.ModelError
		require.ErrorAs(t, err, &fault, name)
		assert.Equal(t, "1", fault.State, name)
	}
	_, err := NewPlan(context.Background(), list{good, good}, 0, 2)
	require.NoError(t, err)

	cancelled, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	cancel(stop)
	_, err = NewPlan(cancelled, list{good}, 0, 1)
	assert.ErrorIs(t, err, stop)
}

// The rows of the systems of all ranks are those of I − (1−s)·P.
func TestSystem(t *testing.T) {
	const stop = 0.125
	model := garnet.Table(40, 2, 6, 3)
	for rank := range 3 {
		s := fill(t, model, 3, rank)
		policy := make([]int32, s.NumStates())
		for i := range policy {
			policy[i] = int32(i % 2)
		}
		system := s.NewSystem()
		for range 2 { // its arrays are used again
			system.Of(s, policy, stop)
		}
		for i, a := range policy {
			want := make([]float64, model.NumStates())
			want[s.First+i] = 1
			row, _ := model.AppendRow(nil, s.First+i, int(a))
			for _, e := range row {
				want[e.State] -= (1 - stop) * e.Probability
			}
			got := make([]float64, model.NumStates())
			columns := system.Columns[system.Start[i]:system.Start[i+1]]
			for k, j := range columns {
				got[j] = system.Values[int(system.Start[i])+k]
				assert.True(t, k == 0 || columns[k-1] < j, "ascending")
			}
			assert.InDeltaSlice(t, want, got, 1e-15) // of a few roundings of numbers up to 1
		}
	}
}

// The sweep in float64 agrees with that in double-double up to rounding.
func TestSweep(t *testing.T) {
	model := garnet.Table(100, 4, 5, 5)
	v := make([]float64, model.NumStates())
	for i := range v {
		v[i] = math.Sin(float64(i)) * 10
	}
	for _, discount := range []float64{1, 0.9} {
		s := fill(t, model, 1, 0)
		improve := mdp.LongRunAverage{}.Improve
		if discount < 1 {
			improve = mdp.Discounted{Discount: discount}.Improve
		}
		policy, residual := make([]int32, 100), make([]float64, 100)
		lower, upper := improve(s, mdp.Vector{High: v}, policy, residual)
		rough, found := make([]int32, 100), make([]float64, 100)
		least, most := s.Sweep(v, discount, rough, found)
		assert.Equal(t, policy, rough)
		assert.InDeltaSlice(t, residual, found, 1e-14) // of sums of 5 terms up to 10
		leave := 1.0
		if discount < 1 {
			leave = 1 - discount
		}
		assert.InDelta(t, lower, least/leave, 1e-12)
		assert.InDelta(t, upper, most/leave, 1e-12)
	}
}
