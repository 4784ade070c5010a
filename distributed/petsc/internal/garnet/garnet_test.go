package garnet

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Rows are distributions over distinct states, the same whenever they are asked for, and
// what they are drawn from has the means that it should.
func TestRows(t *testing.T) {
	m := Model{States: 1000, Actions: 4, Successors: 10, Seed: 7}
	costs, states := 0.0, 0.0
	for s := range m.States {
		for a := range m.Actions {
			row, cost := m.AppendRow(nil, s, a)
			again, _ := m.AppendRow(nil, s, a)
			assert.Equal(t, row, again)
			assert.Len(t, row, 10)
			sum, seen := 0.0, map[int32]bool{}
			for _, e := range row {
				sum += e.Probability
				states += float64(e.State)
				seen[e.State] = true
			}
			assert.InDelta(t, 1, sum, 1e-14)
			assert.Len(t, seen, 10)
			costs += cost
		}
	}
	const sd = 0.2887 // of a uniform number
	assert.InDelta(t, 0.5, costs/4000, 5*sd/math.Sqrt(4000))
	assert.InDelta(t, 0.4995, states/40000/1000, 5*sd/math.Sqrt(40000))
	row, _ := Model{States: 3, Actions: 1, Successors: 10}.AppendRow(nil, 0, 0)
	assert.Len(t, row, 3, "no more successors than states")
}
