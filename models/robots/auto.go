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
	return leastSufficient(p, func(robots int) (answer, error) {
		p.Robots = robots
		s, err := Solve(ctx, p, settings)
		if err != nil {
			return answer{}, err
		}
		return answer{s.Lower, s.Upper, s.Measures}, nil
	})
}

// LeastSufficientFleet is [LeastSufficientRobots] for a fleet of one class, by
// [SolveFleet]; with several classes the least numbers are not unique, and there
// is a [*ParameterError].
func LeastSufficientFleet(ctx context.Context, f Fleet, settings mdp.Settings) (int, error) {
	settings.Values = nil
	if len(f.Classes) != 1 {
		return 0, &ParameterError{"Classes", fmt.Sprintf("a list of %d", len(f.Classes)), "a list of 1"}
	}
	f.Classes = []Class{{1, f.Classes[0].ArrivalRate}}
	if err := f.Validate(); err != nil {
		return 0, err
	}
	return leastSufficient(f.parameters(), func(robots int) (answer, error) {
		f.Classes[0].Robots = robots
		s, err := SolveFleet(ctx, f, settings)
		if err != nil {
			return answer{}, err
		}
		if s.Measures == nil {
			return answer{s.Lower, s.Upper, nil}, nil
		}
		return answer{s.Lower, s.Upper, &s.Measures.Measures}, nil
	})
}

// answer is what a solve says of a number of robots.
type answer struct {
	lower, upper float64
	measures     *Measures
}

// leastSufficient searches among numbers of robots, for which solve answers.
func leastSufficient(p Parameters, solve func(robots int) (answer, error)) (int, error) {
	enough, err := enoughRobots(p, solve)
	if err != nil {
		return 0, err
	}
	with, err := solve(enough)
	for robots := enough - 1; err == nil && robots > 0; robots-- {
		var without answer
		if without, err = solve(robots); err != nil || without.lower > with.upper {
			break
		}
		enough, with = robots, without
	}
	return enough, err
}

// enoughRobots returns the greatest number of active robots that recurs under
// an optimal policy for more robots than that.
func enoughRobots(p Parameters, solve func(robots int) (answer, error)) (int, error) {
	// The service rate over the arrival rate is what keeps the server busy; an
	// optimal policy rarely goes beyond twice that.
	first := 2*p.ServiceRate/p.ArrivalRate + float64(p.Buffer)
	if first > math.MaxInt32 {
		return 0, fmt.Errorf("robots: %w: ServiceRate is %v times ArrivalRate; allowed is less than %d",
			mdp.ErrTooLarge, p.ServiceRate/p.ArrivalRate, math.MaxInt32)
	}
	for robots := int(first) + 1; ; robots *= 2 {
		found, err := solve(robots)
		if err != nil {
			return 0, err
		}
		if found.measures == nil {
			return 0, fmt.Errorf("robots: %w: the behaviour of a policy for %d robots cannot be computed", mdp.ErrTooLarge, robots)
		}
		if found.measures.RobotsMax < robots {
			return max(found.measures.RobotsMax, 1), nil
		}
	}
}
