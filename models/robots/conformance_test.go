package robots_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/mdptest"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func TestModelsConform(t *testing.T) {
	forAll(t, func(t *testing.T, p robots.Parameters) {
		pairs, err := robots.NewModel(p)
		require.NoError(t, err)
		mdptest.TestModel(t, pairs)
	})
}

func TestFleetModelsConform(t *testing.T) {
	for name, fleet := range testFleets(t) {
		model, err := robots.NewModel(fleet)
		require.NoError(t, err, name)
		t.Run(name, func(t *testing.T) { mdptest.TestModel(t, model) })
	}
}
