package operate

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// TestControllerFollowsThePolicy walks at random and compares every answer with
// the policy and with counts kept beside it.
func TestControllerFollowsThePolicy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	p := robots.Parameters{Robots: 6, Buffer: 4, ArrivalRate: 0.2, ServiceRate: 1, StarvationWeight: 1}
	for range 20 {
		policy, err := robots.NewPolicy(p, robots.OneClass(func(robots.Event, int, int) bool { return random.IntN(2) == 0 }))
		require.NoError(t, err)
		c := NewController(policy)
		assert.Equal(t, p, c.Parameters())
		queue, active := c.Counts()
		require.Equal(t, [2]int{0, 1}, [2]int{queue, active})
		for range 2000 {
			if random.IntN(2) == 0 {
				d, err := c.Deliver()
				if active == 0 {
					require.ErrorIs(t, err, ErrNoActiveRobot)
				} else {
					require.NoError(t, err)
					want := policy.Activates(robots.Arrival, queue, active)
					require.Equal(t, Delivery{queue < p.Buffer, want}, d)
					queue, active = min(queue+1, p.Buffer), active-bit(!want)
				}
			} else {
				activate, err := c.Indexed()
				if queue == 0 {
					require.ErrorIs(t, err, ErrEmptyQueue)
				} else {
					require.NoError(t, err)
					want := policy.Activates(robots.Departure, queue, active)
					require.Equal(t, want, activate)
					queue, active = queue-1, active+bit(want)
				}
			}
			q, r := c.Counts()
			require.Equal(t, [2]int{queue, active}, [2]int{q, r})
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestControllerConcurrently lets 16 goroutines deliver and index at once. In
// the end the counts must be what their answers add up to.
func TestControllerConcurrently(t *testing.T) {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	s, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	c := NewController(s.Policy)
	const goroutines, calls = 16, 5000
	type tally struct{ accepted, rested, indexed, activated int }
	tallies := make([]tally, goroutines)
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range calls {
				if (g+i)%2 == 0 {
					if d, err := c.Deliver(); err == nil {
						tallies[g].accepted += bit(d.Accepted)
						tallies[g].rested += bit(!d.Reactivate)
					}
				} else if activate, err := c.Indexed(); err == nil {
					tallies[g].indexed++
					tallies[g].activated += bit(activate)
				}
				if queue, active := c.Counts(); queue > p.Buffer || active > p.Robots || queue+active == 0 {
					t.Errorf("%d pages, %d robots", queue, active)
				}
			}
		})
	}
	group.Wait()
	var sum tally
	for _, x := range tallies {
		sum.accepted += x.accepted
		sum.rested += x.rested
		sum.indexed += x.indexed
		sum.activated += x.activated
	}
	queue, active := c.Counts()
	assert.Equal(t, sum.accepted-sum.indexed, queue)
	assert.Equal(t, 1+sum.activated-sum.rested, active)
	assert.Positive(t, sum.indexed)
	assert.Positive(t, sum.activated)
}

func TestControllerReset(t *testing.T) {
	policy, err := robots.NewStaticPolicy(robots.Parameters{Robots: 3, Buffer: 2, ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1}, 3)
	require.NoError(t, err)
	c := NewController(policy)
	for _, counts := range [][2]int{{0, 1}, {0, 3}, {1, 0}, {2, 0}, {2, 3}} {
		require.NoError(t, c.Reset(counts[0], counts[1]))
		queue, active := c.Counts()
		got := [2]int{queue, active}
		require.Equal(t, counts, got)
	}
	for _, counts := range [][2]int{{0, 0}, {-1, 1}, {3, 1}, {1, -1}, {1, 4}} {
		assert.Error(t, c.Reset(counts[0], counts[1]))
	}
	queue, active := c.Counts()
	assert.Equal(t, [2]int{2, 3}, [2]int{queue, active})
	d, err := c.Deliver()
	require.NoError(t, err)
	assert.Equal(t, Delivery{Accepted: false, Reactivate: true}, d)
	assert.Panics(t, func() { NewController(nil) })
	phased := testProcesses(t)["erlang"]
	policy, err = robots.NewStaticPolicy(phased, 2)
	require.NoError(t, err)
	assert.Panics(t, func() { NewController(policy) }, "phases")
	policy, err = robots.NewStaticPolicy(testProcesses(t)["mixed"], 1, 1)
	require.NoError(t, err)
	assert.Panics(t, func() { NewController(policy) }, "classes")
}

func TestControllerDoesNotAllocate(t *testing.T) {
	policy, err := robots.NewStaticPolicy(robots.Parameters{Robots: 3, Buffer: 2, ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1}, 2)
	require.NoError(t, err)
	c := NewController(policy)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		_, first := c.Deliver()
		_, second := c.Indexed()
		_, third := c.Indexed()
		if first != nil || second != nil || third == nil {
			panic("operate: the counts are wrong")
		}
	}))
}

// constrained returns the policy with least starvation of those that lose at most 1 %
// of the pages, and what it does in the long run.
func constrained(t *testing.T) (*robots.Policy, robots.Measures) {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1}
	found, err := robots.SolveWithin(context.Background(), p, robots.MostLossShare(0.01), mdp.Settings{})
	require.NoError(t, err)
	chance, ok := found.Policy.Chance()
	require.True(t, ok)
	require.Greater(t, min(chance.Probability, 1-chance.Probability), 0.05, "a case in which chance counts")
	return found.Policy, found.Measures
}

// TestSimulatedChance simulates a policy that leaves a decision to chance.
func TestSimulatedChance(t *testing.T) {
	policy, want := constrained(t)
	outcome, err := Simulation{Horizon: 2e5, Replications: 10, Confidence: 0.9999, Seed: 7}.Run(context.Background(), policy)
	require.NoError(t, err)
	requireAgreement(t, want, outcome)
}

// TestControllerChance counts what a controller does in the state in which a decision
// is left to chance.
func TestControllerChance(t *testing.T) {
	policy, _ := constrained(t)
	chance, _ := policy.Chance()
	c := NewController(policy)
	usual, others := policy.Activates(chance.Event, chance.State.Queue, chance.State.Active[0]), 0
	const asked = 10_000
	for range asked {
		require.NoError(t, c.Reset(chance.State.Queue, chance.State.Active[0]))
		var done bool
		if chance.Event == robots.Arrival {
			d, err := c.Deliver()
			require.NoError(t, err)
			done = d.Reactivate
		} else {
			var err error
			done, err = c.Indexed()
			require.NoError(t, err)
		}
		if done != usual {
			others++
		}
	}
	assert.InDelta(t, chance.Probability*asked, others, 3, "multiples of the golden ratio are spread evenly")
}
