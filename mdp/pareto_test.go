package mdp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A policy that is as good in the other costs as its neighbour, and worse in its own, is best for no
// finite weight, and not on the front.
func TestFrontWithoutDominatedPolicies(t *testing.T) {
	var b mdp.TableBuilder
	b.AddState()
	b.AddAction(1.0 / 3)
	b.AddTransition(1, 1)
	b.AddAction(4)
	b.AddTransition(0, 1)
	b.AddState()
	b.AddAction(11)
	b.AddTransition(0, 1)
	b.AddAction(5)
	b.AddTransition(0, 1)
	table, err := b.Build()
	require.NoError(t, err)
	front, err := mdp.ParetoFront(t.Context(), mdp.Rounded{Table: table}, mdp.LongRunAverage{}, 0, make([]float64, 4), false, mdp.Settings{})
	require.NoError(t, err)
	require.Len(t, front.Points, 1)
	assert.InEpsilon(t, 8.0/3, front.Points[0].Value, 1e-12)
}
