package mdp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// rows are the arrays of a table under way.
type rows struct{ mdp.TableArrays }

func newRows() *rows { return &rows{mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}}} }

// to adds a transition to the row at hand.
func (r *rows) to(state int, probability float64) {
	for e := int(r.RowStart[len(r.RowStart)-1]); e < len(r.Columns); e++ {
		if r.Columns[e] == int32(state) {
			r.Probabilities[e] += probability
			return
		}
	}
	r.Columns, r.Probabilities = append(r.Columns, int32(state)), append(r.Probabilities, probability)
}

func (r *rows) endRow(cost float64) {
	r.Costs = append(r.Costs, cost)
	r.RowStart = append(r.RowStart, int32(len(r.Columns)))
}

func (r *rows) endState() { r.StateStart = append(r.StateStart, int32(len(r.Costs))) }

func (r *rows) table(t *testing.T) *mdp.Table {
	t.Helper()
	table, err := mdp.NewTable(r.TableArrays)
	require.NoError(t, err)
	return table
}

// serviceControl is a queue on 0 … n−1 to which customers come at rate 1, and
// whose service rate is chosen. Waiting costs the root of their number.
func serviceControl(t *testing.T, n int, rates ...float64) *mdp.Table {
	t.Helper()
	fastest := 0.0
	for _, r := range rates {
		fastest = max(fastest, r)
	}
	a := newRows()
	for s := range n {
		for i, r := range rates {
			up, down := 1/(1+fastest), r/(1+fastest)
			a.to(s, 1-up-down)
			a.to(min(s+1, n-1), up)
			a.to(max(s-1, 0), down)
			a.endRow(math.Sqrt(float64(s)) + float64(5*i*i))
		}
		a.endState()
	}
	return a.table(t)
}

// decomposable is blocks of states, random within, that are left for a random
// state with a small probability.
func decomposable(t *testing.T, random *rand.Rand, blocks, size int, coupling float64) *mdp.Table {
	t.Helper()
	a := newRows()
	for s := range blocks * size {
		for range 3 {
			for range 4 {
				a.to(s/size*size+random.IntN(size), (1-coupling)/4)
			}
			a.to(random.IntN(blocks*size), coupling)
			a.endRow(random.Float64())
		}
		a.endState()
	}
	return a.table(t)
}

// controlledWalk is a walk on a square that is steered a little, among places of
// random cost.
func controlledWalk(t *testing.T, random *rand.Rand, width int, steering float64) *mdp.Table {
	t.Helper()
	steps := [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	inside := func(i int) int { return min(max(i, 0), width-1) }
	a := newRows()
	for y := range width {
		for x := range width {
			cost := random.Float64()
			for chosen := range steps {
				for i, step := range steps {
					p := (1 - steering) / 4
					if i == chosen {
						p += steering
					}
					a.to(inside(y+step[0])*width+inside(x+step[1]), p)
				}
				a.endRow(cost)
			}
			a.endState()
		}
	}
	return a.table(t)
}
