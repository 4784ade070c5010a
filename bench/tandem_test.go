package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Questions about time, on a chain in continuous time.

// tandem returns the chain of two queues in a row with the given capacity each, of which the first
// serves in one phase or two (Hermanns, Meyer-Kayser and Siegle 1999), and 1 for each state where it
// ends: where both queues are full.
func tandem(t testing.TB, capacity int) (chain *mdp.Table, isFull []float64) {
	t.Helper()
	rate := 4*float64(capacity) + 6
	a := mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: rate}
	state := func(first, phase, second int) int32 { return int32((first*2+phase)*(capacity+1) + second) }
	for first := range capacity + 1 {
		for phase := range 2 {
			for second := range capacity + 1 {
				stays, here := rate, state(first, phase, second)
				add := func(to int32, rate float64) {
					a.Columns, a.Probabilities = append(a.Columns, to), append(a.Probabilities, rate/a.Rate)
					stays -= rate
				}
				full := 0.0
				if first == capacity && second == capacity {
					full = 1
				}
				if full == 0 && first < capacity {
					add(state(first+1, phase, second), 4*float64(capacity))
				}
				if full == 0 && first > 0 && second < capacity {
					add(state(first-1, 0, second+1), []float64{1.8, 2}[phase])
				}
				if full == 0 && first > 0 && phase == 0 {
					add(state(first, 1, second), 0.2)
				}
				if full == 0 && second > 0 {
					add(state(first, phase, second-1), 4)
				}
				if stays > 0 {
					add(here, stays)
				}
				isFull, a.Costs = append(isFull, full), append(a.Costs, 0)
				a.StateStart, a.RowStart = append(a.StateStart, here+1), append(a.RowStart, int32(len(a.Columns)))
			}
		}
	}
	chain, err := mdp.NewTable(a)
	require.NoError(t, err)
	return chain, isFull
}
