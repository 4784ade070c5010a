// This file plays the model of the robots as a stream of events, without a network.

package watch

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// figure7 are the parameters of Figure 7 of the paper.
var figure7 = robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}

// solved returns the best policy and its cost.
func solved(t *testing.T, p robots.Parameters) (*robots.Policy, float64) {
	t.Helper()
	solution, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	return solution.Policy, solution.Gain
}

// play tells observe of what the robots do for a time, whose unit is given. Each event is
// preceded by a call of wait, with the time at which it happens.
func play(c *operate.Controller, unit time.Duration, begin time.Time, horizon time.Duration, observe crawl.Observer, wait func(time.Time)) error {
	p := c.Parameters()
	random := rand.New(rand.NewPCG(1, 2))
	now := begin
	idle := []int{}
	for robot := p.Robots - 1; robot > 0; robot-- {
		idle = append(idle, robot)
	}
	fetching := []int{0}
	begun := make([]time.Time, p.Robots)
	tell := func(e crawl.Event) {
		e.At = now
		e.Queue, e.Active = c.Counts()
		observe(e)
	}
	on := func(robot int) {
		begun[robot] = now
		tell(crawl.Event{Kind: crawl.FetchBegun, Robot: robot})
	}
	tell(crawl.Event{Kind: crawl.RobotOn})
	on(0)
	var serving time.Time
	for {
		queue, _ := c.Counts()
		delivery := p.ArrivalRate * float64(len(fetching))
		service := 0.0
		if queue > 0 {
			service = p.ServiceRate
		}
		now = now.Add(time.Duration(random.ExpFloat64() / (delivery + service) * float64(unit)))
		if now.Sub(begin) > horizon {
			return nil
		}
		wait(now)
		if random.Float64()*(delivery+service) < service {
			activate, err := c.Indexed()
			if err != nil {
				return err
			}
			tell(crawl.Event{Kind: crawl.Indexed, Duration: now.Sub(serving)})
			serving = now
			if activate {
				robot := idle[len(idle)-1]
				idle = idle[:len(idle)-1]
				fetching = append(fetching, robot)
				tell(crawl.Event{Kind: crawl.RobotOn, Robot: robot})
				on(robot)
			}
			continue
		}
		at := random.IntN(len(fetching))
		robot := fetching[at]
		tell(crawl.Event{Kind: crawl.FetchEnded, Robot: robot, Result: crawl.Result{Outcome: crawl.Found, Duration: now.Sub(begun[robot])}})
		if queue == 0 {
			serving = now
		}
		d, err := c.Deliver()
		if err != nil {
			return err
		}
		kind := crawl.Delivered
		if !d.Accepted {
			kind = crawl.Lost
		}
		tell(crawl.Event{Kind: kind, Robot: robot})
		if d.Reactivate {
			on(robot)
			continue
		}
		fetching[at] = fetching[len(fetching)-1]
		fetching = fetching[:len(fetching)-1]
		idle = append(idle, robot)
		tell(crawl.Event{Kind: crawl.RobotOff, Robot: robot})
	}
}
