// Package garnet declares random models whose rows are drawn one by one, each from a seed
// of its own, so that no rank needs any but its own.
package garnet

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Model is a random model (Archibald, McKinnon and Thomas, Journal of the Operational
// Research Society 46 (1995), 354-361): in each state the same number of actions, each
// with successors that are uniform over all states, exponential weights made to sum to 1,
// and a cost that is uniform in [0, 1).
type Model struct {
	States, Actions, Successors int
	Seed                        uint64
}

// NumStates returns the number of states.
func (m Model) NumStates() int { return m.States }

// NumActions returns the number of actions of every state.
func (m Model) NumActions(int) int { return m.Actions }

// AppendRow draws the row of an action.
func (m Model) AppendRow(dst []mdp.Entry, s, a int) (row []mdp.Entry, cost float64) {
	random := rand.New(rand.NewPCG(m.Seed, uint64(s)*uint64(m.Actions)+uint64(a)))
	begin, sum := len(dst), 0.0
	for len(dst)-begin < min(m.Successors, m.States) {
		j := int32(random.IntN(m.States))
		if !slices.ContainsFunc(dst[begin:], func(e mdp.Entry) bool { return e.State == j }) {
			weight := -math.Log1p(-random.Float64())
			dst = append(dst, mdp.Entry{State: j, Probability: weight})
			sum += weight
		}
	}
	for i := range dst[begin:] {
		dst[begin+i].Probability /= sum
	}
	return dst, random.Float64()
}

// Table returns the whole model as a table of package mdp, for who compares with it.
func (m Model) Table() (*mdp.Table, error) {
	var b mdp.TableBuilder
	for s := range m.States {
		b.AddState()
		for a := range m.Actions {
			row, cost := m.AppendRow(nil, s, a)
			b.AddAction(cost)
			for _, e := range row {
				b.AddTransition(int(e.State), e.Probability)
			}
		}
	}
	return b.Build()
}
