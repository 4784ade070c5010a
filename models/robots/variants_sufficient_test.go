package robots_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func TestLeastSufficientFleet(t *testing.T) {
	p := robots.Parameters{Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	want, err := robots.LeastSufficientRobots(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	f := p
	// Robots that cost more are fewer; one more or less shows that it is enough.
	f.RobotCost, f.Service = 0.05, mustLaw(t, "erlang:2", 1)
	enough, err := robots.LeastSufficientRobots(context.Background(), f, mdp.Settings{})
	require.NoError(t, err)
	assert.Less(t, enough, want)
	gains := map[int]float64{}
	for n := enough - 1; n <= enough+1; n++ {
		f.Robots = n
		s, err := robots.Solve(context.Background(), f, mdp.Settings{})
		require.NoError(t, err)
		gains[n] = s.Gain
	}
	assert.InEpsilon(t, gains[enough], gains[enough+1], 1e-12)
	assert.Greater(t, gains[enough-1], gains[enough]*(1+1e-9))

	f.Buffer = 0
	_, err = robots.LeastSufficientRobots(context.Background(), f, mdp.Settings{})
	assert.ErrorContains(t, err, "Buffer 0")
	f.Classes = []robots.Class{{1, 0.1}}
	_, err = robots.LeastSufficientRobots(context.Background(), f, mdp.Settings{})
	assert.ErrorContains(t, err, "Classes [{1 0.1}] is not valid")
}
