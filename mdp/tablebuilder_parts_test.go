package mdp

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A builder of several parts makes the table of the same arrays.
func TestTableBuilderOfManyTransitions(t *testing.T) {
	const n = partTransitions / 2
	var b TableBuilder
	var arrays TableArrays
	arrays.StateStart, arrays.RowStart = append(arrays.StateStart, 0), append(arrays.RowStart, 0)
	for s := range n {
		b.AddState()
		for a := range 1 + s%2 {
			cost := float64(s - a)
			b.AddAction(cost)
			next := []int{(s + 1) % n, (7*s + a + 2) % n}
			if next[0] == next[1] {
				next = next[:1]
			}
			for _, j := range next {
				b.AddTransition(j, 1/float64(len(next)))
				arrays.Columns, arrays.Probabilities = append(arrays.Columns, int32(j)), append(arrays.Probabilities, 1/float64(len(next)))
			}
			arrays.Costs, arrays.RowStart = append(arrays.Costs, cost), append(arrays.RowStart, int32(len(arrays.Columns)))
		}
		arrays.StateStart = append(arrays.StateStart, int32(len(arrays.Costs)))
	}
	require.NotEmpty(t, b.parts)
	require.Equal(t, n, b.AddState())
	b.AddAction(0)
	b.AddTransition(0, 1)
	arrays.Columns, arrays.Probabilities = append(arrays.Columns, 0), append(arrays.Probabilities, 1)
	arrays.Costs, arrays.RowStart = append(arrays.Costs, 0), append(arrays.RowStart, int32(len(arrays.Columns)))
	arrays.StateStart = append(arrays.StateStart, int32(len(arrays.Costs)))
	got, err := b.Build()
	require.NoError(t, err)
	want, err := NewTable(arrays)
	require.NoError(t, err)
	for _, same := range []bool{
		slices.Equal(want.rows.StateStart, got.rows.StateStart), slices.Equal(want.rows.RowStart, got.rows.RowStart),
		slices.Equal(want.rows.Columns, got.rows.Columns), slices.Equal(want.rows.Probabilities, got.rows.Probabilities),
		slices.Equal(want.rows.Costs, got.rows.Costs),
	} {
		require.True(t, same)
	}

	for s := range n + 3 { // a fault in a later part names its state
		b.AddState()
		b.AddAction(0)
		b.AddTransition(s%n, 0.25)
		b.AddTransition((s+1)%n, 0.25)
		b.AddTransition((s+2)%n, 0.5)
	}
	b.AddTransition(0, -1)
	_, err = b.Build()
	require.ErrorContains(t, err, "state 524290, action 0")
}
