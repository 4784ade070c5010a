package robots

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

func TestDecisionCounts(t *testing.T) {
	f := robots.Fleet{
		Classes: []robots.Class{{Robots: 2, ArrivalRate: 1}, {Robots: 3, ArrivalRate: 2}},
		Buffer:  3, ServiceRate: 1, StarvationWeight: 1,
	}
	policy, err := robots.NewFleetPolicy(f, func(s robots.FleetState) robots.Decisions {
		d := robots.Decisions{Activate: robots.NoClass}
		switch {
		case s.Active[0] < 2:
			d.Activate = 0
		case s.Active[1] < 3:
			d.Activate = 1
		}
		if s.Queue < 2 {
			d.Reactivate = d.Reactivate.With(1)
		}
		return d
	})
	require.NoError(t, err)
	counts := countDecisions(policy)
	// Three active robots: 0+3, 1+2 and 2+1.
	assert.Equal(t, []int{0, 2, 1}, counts.departures[counts.place(2, 3)])
	assert.Equal(t, []int{0, 3}, counts.arrivals[1][counts.place(1, 3)])
	assert.Equal(t, []int{2, 0}, counts.arrivals[0][counts.place(1, 3)])
	assert.Equal(t, []int{3, 0}, counts.arrivals[1][counts.place(2, 3)])
	assert.Equal(t, []string{
		"    3 ┤11+++·", "    2 ┤11+++·", "    1 ┤11+++·", "    q └────── r", "       0    5",
	}, counts.drawDepartures(80))
}
