package robots

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

func TestLeastSufficientFleet(t *testing.T) {
	p := Parameters{Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	want, err := LeastSufficientRobots(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	f := p.Fleet()
	got, err := LeastSufficientFleet(context.Background(), f, mdp.Settings{})
	require.NoError(t, err)
	assert.Equal(t, want, got)

	// Robots that cost more are fewer; one more or less shows that it is enough.
	f.RobotCost, f.Service = 0.05, mustLaw(t, "erlang:2", 1)
	dear, err := LeastSufficientFleet(context.Background(), f, mdp.Settings{})
	require.NoError(t, err)
	assert.Less(t, dear, want)
	gains := map[int]float64{}
	for n := dear - 1; n <= dear+1; n++ {
		f.Classes[0].Robots = n
		s, err := SolveFleet(context.Background(), f, mdp.Settings{})
		require.NoError(t, err)
		gains[n] = s.Gain
	}
	assert.InEpsilon(t, gains[dear], gains[dear+1], 1e-12)
	assert.Greater(t, gains[dear-1], gains[dear]*(1+1e-9))

	f.Classes = append(f.Classes, f.Classes[0])
	_, err = LeastSufficientFleet(context.Background(), f, mdp.Settings{})
	assert.ErrorContains(t, err, "Classes is a list of 2")
	f.Classes, f.Buffer = f.Classes[:1], 0
	_, err = LeastSufficientFleet(context.Background(), f, mdp.Settings{})
	assert.ErrorContains(t, err, "Buffer is 0")
}
