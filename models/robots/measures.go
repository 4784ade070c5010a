package robots

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Measures are the long-run behaviour of a policy, on the closed class of its
// chain that it reaches from an empty queue with one active robot (of several,
// the one that costs least).
//
// They are computed by elimination without subtractions, with a relative error
// near 10⁻¹⁵ times the number of pairs at most, however small they are.
type Measures struct {
	Gain       float64 // γ·Starvation + LossRate, cost per unit of time
	Starvation float64 // S, the share of time in which the queue is empty
	LossRate   float64 // L, pages lost per unit of time
	RobotsMean float64 // N̄, the time average of the number of active robots
	RobotsMin  int     // N_min, the least number of active robots that recurs
	RobotsMax  int     // N_max, the greatest
}

// Measure computes the measures of a policy. It returns [mdp.ErrTooLarge]
// where exact evaluation would take too much memory, and the context's error.
func Measure(ctx context.Context, policy *Policy) (Measures, error) {
	m, err := NewPairModel(policy.parameters)
	if err != nil {
		return Measures{}, err
	}
	evaluation, err := mdp.Evaluate(ctx, m, policy.pairActions(m))
	if err != nil {
		return Measures{}, err
	}
	best := Measures{Gain: math.Inf(1)}
	for _, i := range evaluation.Reachable(m.Index(Pair{Queue: 0, Active: 1})) {
		if c := measureClass(m, evaluation.Classes[i]); c.Gain < best.Gain {
			best = c
		}
	}
	return best, nil
}

func measureClass(m *PairModel, class mdp.Class) Measures {
	p := m.law.parameters
	c := Measures{RobotsMin: p.Robots}
	for i, state := range class.States {
		pair, share := m.Pair(state), class.Stationary[i]
		if pair.Queue == 0 {
			c.Starvation += share
		}
		if pair.Queue == p.Buffer {
			c.LossRate += p.ArrivalRate * float64(pair.Active) * share
		}
		c.RobotsMean += float64(pair.Active) * share
		c.RobotsMin = min(c.RobotsMin, pair.Active)
		c.RobotsMax = max(c.RobotsMax, pair.Active)
	}
	c.Gain = p.StarvationWeight*c.Starvation + c.LossRate
	return c
}
