package mdptest

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Package exact, which has nothing in common with the arithmetic here, finds the
// same optima.
func TestPackageExactAgrees(t *testing.T) {
	for _, p := range catalogue() {
		if p.NumStates() > 1000 && !*long {
			continue
		}
		model, err := exact.NewModel(p.exact.rationals())
		require.NoError(t, err, p.Name)
		var answer *exact.Answer
		switch o := p.objective; o.kind {
		case average:
			answer, err = model.Average(t.Context(), o.sense)
		case discounted:
			answer, err = model.Discounted(t.Context(), o.sense, o.discount)
		case total:
			var target []int32
			for s, is := range o.target {
				if is {
					target = append(target, int32(s))
				}
			}
			answer, err = model.Total(t.Context(), o.sense, target)
		default:
			answer, err = model.Finite(t.Context(), o.sense, o.steps, o.terminal)
		}
		require.NoError(t, err, p.Name)
		for s, x := range answer.Values {
			require.NotEqual(t, -1, x.Infinity(), p.Name)
			assert.Zero(t, compare(x.Rat(), p.Optimum[s]), "%s, state %s: %v found, said to be %s", p.Name, p.State(s), x, text(p.Optimum[s]))
		}
	}
}

// rationals returns the model as arrays of exact numbers.
func (m *exactModel) rationals() exact.Arrays {
	f := m.arrays()
	a := exact.Arrays{StateStart: f.StateStart, RowStart: f.RowStart, Columns: f.Columns, Rate: m.rate}
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
