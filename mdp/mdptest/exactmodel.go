package mdptest

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// exactModel is a process in exact numbers over numbered states: what all forms
// of a problem stand for.
type exactModel struct {
	states [][]exactChoice // by state and action
	rate   *big.Rat        // steps per unit of time
}

// exactChoice is an action of a state. Its cost is per unit of time.
type exactChoice struct {
	row  []exactEntry // each state once, in the order of the declaration
	cost *big.Rat
}

type exactEntry struct {
	state       int
	probability *big.Rat
}

func (m *exactModel) numStates() int { return len(m.states) }

// arrays returns the process in float64, each number rounded once.
func (m *exactModel) arrays() mdp.TableArrays {
	a := mdp.TableArrays{StateStart: []int32{0}, RowStart: []int32{0}, Rate: nearest(m.rate)}
	for _, choices := range m.states {
		for _, c := range choices {
			for _, e := range c.row {
				a.Columns = append(a.Columns, int32(e.state))
				a.Probabilities = append(a.Probabilities, nearest(e.probability))
			}
			a.Costs = append(a.Costs, nearest(c.cost))
			a.RowStart = append(a.RowStart, int32(len(a.Columns)))
		}
		a.StateStart = append(a.StateStart, int32(len(a.Costs)))
	}
	return a
}

// rationals returns the process in the same arrays as exact numbers, each anew.
func (m *exactModel) rationals() exact.Arrays {
	f := m.arrays()
	a := exact.Arrays{StateStart: f.StateStart, RowStart: f.RowStart, Columns: f.Columns, Rate: new(big.Rat).Set(m.rate)}
	for _, choices := range m.states {
		for _, c := range choices {
			a.Costs = append(a.Costs, new(big.Rat).Set(c.cost))
			for _, e := range c.row {
				a.Probabilities = append(a.Probabilities, new(big.Rat).Set(e.probability))
			}
		}
	}
	return a
}

// is says whether a model in float64 is the same process, number by number.
func (m *exactModel) is(model mdp.Explicit) bool {
	same := func(f float64, x *big.Rat) bool { return rational(f).Cmp(x) == 0 }
	if timed, ok := model.(mdp.Timed); ok && !same(timed.Rate(), m.rate) || model.NumStates() != m.numStates() {
		return false
	}
	for s, choices := range m.states {
		if model.NumActions(s) != len(choices) {
			return false
		}
		for a, c := range choices {
			row, cost := model.AppendRow(nil, s, a)
			if !same(cost, c.cost) || !slices.EqualFunc(row, c.row, func(x mdp.Entry, y exactEntry) bool {
				return int(x.State) == y.state && same(x.Probability, y.probability)
			}) {
				return false
			}
		}
	}
	return true
}
