package controller

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/queue"
)

// TestAdaptiveConcurrently lets 16 goroutines tell of everything at once, while policies
// are made in the background. In the end the counts must be what the answers add up to.
func TestAdaptiveConcurrently(t *testing.T) {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var clock sync.Mutex
	now := 0.0
	a, err := NewAdaptive(ctx, p, AdaptiveSettings{Now: func() float64 {
		clock.Lock()
		defer clock.Unlock()
		now += 0.05
		return now
	}})
	require.NoError(t, err)
	const goroutines, calls = 16, 2000
	type tally struct{ accepted, rested, died, indexed, activated int }
	tallies := make([]tally, goroutines)
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range calls {
				switch {
				case i%100 == 99:
					if class, err := a.Withdraw(0, true); err == nil {
						tallies[g].died++
						tallies[g].activated += class + 1
						tallies[g].activated += a.Join(0) + 1
					}
				case (g+i)%2 == 0:
					if d, err := a.Deliver(0); err == nil {
						tallies[g].accepted += bit(d.Accepted)
						tallies[g].rested += bit(!d.Reactivate)
					}
				default:
					if class, err := a.Indexed(); err == nil {
						tallies[g].indexed++
						tallies[g].activated += class + 1
					}
				}
				if queue, active := a.Counts(); queue > p.Buffer || active > p.Robots {
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
		sum.died += x.died
		sum.indexed += x.indexed
		sum.activated += x.activated
	}
	queue, active := a.Counts()
	assert.Equal(t, sum.accepted-sum.indexed, queue)
	assert.Equal(t, 1+sum.activated-sum.rested-sum.died, active)
	assert.Positive(t, sum.indexed)
	assert.Positive(t, sum.activated)
	assert.Positive(t, sum.died)
}

// TestAdaptiveFollowsThePolicy walks at random and compares every answer with the policy
// in force.
func TestAdaptiveFollowsThePolicy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	p := robots.Parameters{Robots: 6, Buffer: 4, ArrivalRate: 0.2, ServiceRate: 1, StarvationWeight: 1}
	now := 0.0
	a, err := NewAdaptive(t.Context(), p, AdaptiveSettings{Now: func() float64 { return now }, Synchronous: true})
	require.NoError(t, err)
	queue, active := a.Counts()
	require.Equal(t, [2]int{0, 1}, [2]int{queue, active})
	for range 5000 {
		now += random.ExpFloat64() / 2
		policy := a.Belief().Policy
		if random.IntN(2) == 0 {
			d, err := a.Deliver(0)
			if active == 0 {
				require.ErrorIs(t, err, ErrNoActiveRobot)
				continue
			}
			require.NoError(t, err)
			want := policy.Decisions(robots.State{Queue: queue, Active: []int{active}}).Reactivate.Has(0)
			require.Equal(t, Delivery{queue < p.Buffer, want}, d)
			queue, active = min(queue+1, p.Buffer), active-bit(!want)
		} else {
			class, err := a.Indexed()
			if queue == 0 {
				require.ErrorIs(t, err, ErrEmptyQueue)
				continue
			}
			require.NoError(t, err)
			want := (policy.Decisions(robots.State{Queue: queue, Active: []int{active}}).Activate == 0)
			require.Equal(t, want, class == 0)
			queue, active = queue-1, active+bit(want)
		}
		q, r := a.Counts()
		require.Equal(t, [2]int{queue, active}, [2]int{q, r})
	}
	belief := a.Belief()
	require.NoError(t, belief.Fault)
	assert.Greater(t, belief.Policies, 1)
	assert.Equal(t, mdp.Converged, belief.Status)
}

// TestAdaptiveLosesRobots has robots die and join, and wants policies for those that are left,
// and never an empty queue without an active robot while there is one.
func TestAdaptiveLosesRobots(t *testing.T) {
	for name, p := range map[string]robots.Parameters{
		"one class": {Robots: 4, Buffer: 3, ArrivalRate: 0.2, ServiceRate: 1, StarvationWeight: 1},
		"two":       twins(),
	} {
		now := 0.0
		random := rand.New(rand.NewPCG(1, 4))
		a, err := NewAdaptive(t.Context(), p, AdaptiveSettings{Now: func() float64 { return now }, Synchronous: true})
		require.NoError(t, err)
		classes := len(p.ClassList())
		died := make([]int, classes)
		for range 3000 {
			now += random.ExpFloat64()
			class := random.IntN(classes)
			switch random.IntN(8) {
			case 0:
				if _, err := a.Withdraw(class, random.IntN(2) == 0); err == nil {
					died[class]++
				}
			case 1:
				if died[class] > 0 {
					a.Join(class)
					died[class]--
				}
			case 2, 3, 4:
				_, err = a.Deliver(class)
			default:
				_, err = a.Indexed()
			}
			if err != nil {
				require.True(t, errors.Is(err, ErrNoActiveRobot) || errors.Is(err, ErrEmptyQueue), "%v", err)
				err = nil
			}
			left := 0
			belief := a.Belief()
			require.NoError(t, belief.Fault)
			var known []int
			for c, class := range p.ClassList() {
				require.Equal(t, class.Robots-died[c], belief.Robots[c])
				require.LessOrEqual(t, a.active[c], belief.Robots[c])
				left += belief.Robots[c]
				if belief.Robots[c] > 0 {
					known = append(known, belief.Robots[c])
				}
			}
			if left == 0 {
				continue
			}
			queue, active := a.Counts()
			require.Positive(t, queue+active, "%s: nobody would ever bring a page again", name)
			var planned []int
			for _, class := range belief.Policy.Parameters().ClassList() {
				planned = append(planned, class.Robots)
			}
			require.Equal(t, known, planned, name)
		}
		for class := range classes {
			for {
				if _, err := a.Withdraw(class, a.active[class] > 0); err != nil {
					require.ErrorIs(t, err, ErrNoRobot)
					break
				}
			}
		}
		require.NoError(t, a.Reset(1, make([]int, classes)...))
		_, err = a.Indexed()
		require.NoError(t, err)
		assert.Equal(t, classes-1, a.Join(classes-1), "the only robot there is")
	}
}

// TestAdaptiveWithdrawAsThePolicy compares who is sent out in the place of a robot that
// has died with the values of having it active or not.
func TestAdaptiveWithdrawAsThePolicy(t *testing.T) {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	now := 0.0
	for queue := range p.Buffer + 1 {
		for active := 1; active <= p.Robots; active++ {
			a, err := NewAdaptive(t.Context(), p, AdaptiveSettings{Now: func() float64 { return now }, Synchronous: true})
			require.NoError(t, err)
			require.NoError(t, a.Reset(queue, active))
			policy := a.Belief().Policy
			instead, err := a.Withdraw(0, true)
			require.NoError(t, err)
			want := (policy.Decisions(robots.State{Queue: min(queue+1, p.Buffer), Active: []int{active - 1}}).Activate == 0) && active < p.Robots || queue == 0 && active == 1
			require.Equal(t, want, instead == 0, "%d pages, %d robots", queue, active)
		}
	}
}

// TestAdaptiveFaults goes on with the policy in force where another cannot be made, and
// refuses settings that make no sense.
func TestAdaptiveFaults(t *testing.T) {
	p := twins()
	now, fails := 0.0, false
	trouble := errors.New("trouble")
	planner := func(ctx context.Context, q question, previous *plan) (*plan, error) {
		if fails {
			return nil, trouble
		}
		return solveWarm(ctx, q, previous)
	}
	a, err := newAdaptive(t.Context(), p, AdaptiveSettings{Now: func() float64 { return now }, Synchronous: true}, planner)
	require.NoError(t, err)
	before := a.Belief()
	fails = true
	walk(t, a, rand.New(rand.NewPCG(1, 2)), &now, 200)
	after := a.Belief()
	require.ErrorIs(t, after.Fault, trouble)
	assert.Same(t, before.Policy, after.Policy)
	fails = false
	walk(t, a, rand.New(rand.NewPCG(1, 3)), &now, 200)
	require.NoError(t, a.Belief().Fault)
	now = -1
	exposed := a.Belief().ArrivalRates[0].Exposure
	now = math.NaN()
	assert.InDelta(t, exposed, a.Belief().ArrivalRates[0].Exposure, 0, "a clock that goes back stands still")
	require.Error(t, a.Reset(0, 0, 0))
	require.Error(t, a.Reset(1, 4, 0))
	require.Error(t, a.Reset(1, 1))

	for _, settings := range []AdaptiveSettings{{Memory: -1}, {Confidence: 1}, {Tolerance: 2}} {
		_, err := NewAdaptive(t.Context(), p, settings)
		var fault *robots.ParameterError
		require.ErrorAs(t, err, &fault)
	}
	phased := p
	phased.Service, err = queue.ParseLaw("erlang:2", 1, nil)
	require.NoError(t, err)
	_, err = NewAdaptive(t.Context(), phased, AdaptiveSettings{})
	require.ErrorContains(t, err, "Service")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = NewAdaptive(ended, p, AdaptiveSettings{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestAdaptiveClockGoesBack sets the clock back by far. What is learnt is hardly changed, as
// one step of time is lost.
func TestAdaptiveClockGoesBack(t *testing.T) {
	beliefs := [2]Belief{}
	for i, back := range []float64{0, 1e6} {
		now, random := 0.0, rand.New(rand.NewPCG(1, 5))
		p := robots.Parameters{Robots: 1, Buffer: 2, ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 100}
		a, err := NewAdaptive(t.Context(), p, AdaptiveSettings{Now: func() float64 { return now }, Synchronous: true})
		require.NoError(t, err)
		for event := range 1000 {
			if now += random.ExpFloat64(); event == 500 {
				now -= back
			}
			if _, err := a.Indexed(); err != nil {
				_, err := a.Deliver(0)
				require.NoError(t, err)
			}
		}
		beliefs[i] = a.Belief()
	}
	for _, rates := range [][2]Rate{
		{beliefs[0].ArrivalRates[0], beliefs[1].ArrivalRates[0]}, {beliefs[0].ServiceRate, beliefs[1].ServiceRate},
	} {
		assert.Equal(t, rates[0].Observations, rates[1].Observations)
		assert.Equal(t, rates[0].Changes, rates[1].Changes)
		assert.InEpsilon(t, rates[0].Mean, rates[1].Mean, 0.02)
	}
}

// TestNewAdaptiveEnded wants nothing of a context that has ended.
func TestNewAdaptiveEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := robots.Parameters{Robots: 2, Buffer: 2, ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1}
	a, err := NewAdaptive(ctx, p, AdaptiveSettings{})
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, a, "its methods would find no policy")
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
