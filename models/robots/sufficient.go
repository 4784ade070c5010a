package robots

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// LeastSufficientRobots returns the least number of robots from which more no longer lower
// the optimal gain. The Robots of p are ignored. With several classes the least numbers are
// not unique: Classes are refused by a [*ParameterError].
//
// It solves with a number of robots that is doubled until the optimal policy
// leaves some of them idle for ever; the greatest number that recurs is then
// enough. The least number is the one for which one robot fewer costs more, beyond the
// bounds of both gains: gains whose bounds overlap count as equal. With fewer robots the
// gain is never less, so the least is found by galloping down and bisection, in some 2·log₂
// of the distance from the number that recurs. That distance grows with μ/λ: for μ/λ = 10⁵
// bounds do not separate the gain of 100 robots fewer from the optimal one.
//
// Settings are those of [Solve], by which every solve is done; an error of any
// of them is returned.
func LeastSufficientRobots(ctx context.Context, p Parameters, settings mdp.Settings) (int, error) {
	settings.Values = nil // of another number of robots
	if p.Classes != nil {
		return 0, &ParameterError{"Classes", p.Classes, "nil: use Robots and ArrivalRate"}
	}
	p.Robots = 1
	if err := p.Validate(); err != nil {
		return 0, err
	}
	return leastSufficient(p, func(robots int) (*Solution, error) {
		p.Robots = robots
		return Solve(ctx, p, settings)
	})
}

// leastSufficient searches among numbers of robots, for which solve answers.
func leastSufficient(p Parameters, solve func(robots int) (*Solution, error)) (int, error) {
	enough, err := enoughRobots(p, solve)
	if err != nil {
		return 0, err
	}
	best, err := solve(enough)
	tooFew, step := 0, 1
	for err == nil && tooFew < enough-1 {
		robots := max(enough-step, 1) // galloping
		if tooFew > 0 {
			robots = tooFew + (enough-tooFew)/2 // bisection
		}
		var found *Solution
		switch found, err = solve(robots); {
		case err != nil:
		case found.Lower > best.Upper:
			tooFew = robots
		default:
			enough, step = robots, 2*step
		}
	}
	return enough, err
}

// enoughRobots returns the greatest number of active robots that recurs under
// an optimal policy for more robots than that.
func enoughRobots(p Parameters, solve func(robots int) (*Solution, error)) (int, error) {
	// The service rate over the arrival rate is what keeps the server busy; an
	// optimal policy rarely goes beyond twice that.
	load := p.ServiceRate / p.ArrivalRate
	first := 2*load + float64(p.Buffer)
	if first > math.MaxInt32 {
		return 0, fmt.Errorf("robots: %w: ServiceRate/ArrivalRate is %v, of at most %d", mdp.ErrTooLarge, load, math.MaxInt32)
	}
	for robots := int(first) + 1; ; robots *= 2 {
		found, err := solve(robots)
		if err != nil {
			return 0, err
		}
		if found.Measures == nil {
			return 0, fmt.Errorf("robots: %w: a policy for %d robots cannot be measured", mdp.ErrTooLarge, robots)
		}
		if found.Measures.RobotsMax < robots {
			return max(found.Measures.RobotsMax, 1), nil
		}
	}
}
