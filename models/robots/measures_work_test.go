package robots_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// The work of an elimination is counted in layers: of pages in the queue, 0 … K, or
// of active robots of a class, 0 … N, whichever are more.
func TestEliminationWork(t *testing.T) {
	for _, test := range []struct {
		classes        []robots.Class
		buffer         int
		states, layers float64
	}{
		{[]robots.Class{{1, 1}}, 9, 19, 10}, // (q,r) without (0,0)
		{[]robots.Class{{9, 1}}, 2, 29, 10},
		{[]robots.Class{{2, 1}, {6, 2}}, 3, 4*3*7 - 1, 7},
	} {
		m, err := robots.NewModel(robots.Parameters{Classes: test.classes, Buffer: test.buffer, ServiceRate: 1, StarvationWeight: 1})
		require.NoError(t, err)
		require.EqualValues(t, test.states, m.NumStates())
		band := test.states / test.layers
		assert.InEpsilon(t, test.states*band*band, m.EliminationWork(), 1e-12)
	}
}
