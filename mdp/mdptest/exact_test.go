package mdptest

import (
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
		model, err := exact.NewModel(p.Exact())
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
