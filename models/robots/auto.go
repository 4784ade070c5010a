package robots

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// LeastSufficientRobots returns the least number of robots from which more no
// longer lower the optimal gain: as many as an optimal policy ever has active
// when it may use any number. The Robots of p are not looked at.
//
// It solves with a number of robots that is doubled until the optimal policy
// leaves some of them idle for ever; the greatest number that recurs is then
// enough, and it is the least if one robot fewer costs more, beyond the bounds
// of both gains. If bounds overlap the difference is taken for none.
//
// Settings are those of [Solve], by which every solve is done; an error of any
// of them is returned.
func LeastSufficientRobots(ctx context.Context, p Parameters, settings mdp.Settings) (int, error) {
	settings.Values = nil // of another number of robots
	p.Robots = 1
	if err := p.Validate(); err != nil {
		return 0, err
	}
	enough, err := enoughRobots(ctx, p, settings)
	if err != nil {
		return 0, err
	}
	p.Robots = enough
	with, err := Solve(ctx, p, settings)
	for err == nil && p.Robots > 1 {
		p.Robots--
		var without *Solution
		if without, err = Solve(ctx, p, settings); err != nil || without.Lower > with.Upper {
			break
		}
		enough, with = p.Robots, without
	}
	return enough, err
}

// enoughRobots returns the greatest number of active robots that recurs under
// an optimal policy for more robots than that.
func enoughRobots(ctx context.Context, p Parameters, settings mdp.Settings) (int, error) {
	// The service rate over the arrival rate is what keeps the server busy; an
	// optimal policy rarely goes beyond twice that.
	first := 2*p.ServiceRate/p.ArrivalRate + float64(p.Buffer)
	if first > math.MaxInt32 {
		return 0, fmt.Errorf("robots: %w: ServiceRate is %v times ArrivalRate; allowed is less than %d",
			mdp.ErrTooLarge, p.ServiceRate/p.ArrivalRate, math.MaxInt32)
	}
	for p.Robots = int(first) + 1; ; p.Robots *= 2 {
		solution, err := Solve(ctx, p, settings)
		if err != nil {
			return 0, err
		}
		if solution.Measures == nil {
			return 0, fmt.Errorf("robots: %w: the behaviour of a policy for %d robots cannot be computed", mdp.ErrTooLarge, p.Robots)
		}
		if solution.Measures.RobotsMax < p.Robots {
			return max(solution.Measures.RobotsMax, 1), nil
		}
	}
}
