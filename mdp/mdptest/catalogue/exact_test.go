package catalogue

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Package exact finds the optima of the catalogue, which are printed, derived, or
// the values of a known policy.
func TestPackageExactAgrees(t *testing.T) {
	for _, p := range catalogue() {
		if p.NumStates() > 1000 && !*long {
			continue
		}
		model, err := exact.NewModel(p.Exact())
		require.NoError(t, err, p.Name)
		optimum, err := p.objective.best(model, p.objective.steps)
		require.NoError(t, err, p.Name)
		for s, x := range optimum {
			assert.Zero(t, compare(x, p.Optimum[s]), "%s, state %s: %s found, said to be %s", p.Name, p.State(s), text(x), text(p.Optimum[s]))
		}
	}
}
