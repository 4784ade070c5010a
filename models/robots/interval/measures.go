// This file measures policies against an adversary that chooses the rates.

package interval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Time and sizes allowed after an interruption or a time limit.
const (
	patience       = 100 * time.Millisecond // for measures
	patienceStates = 1 << 16                // with more states one sweep takes longer
)

// isPressed says that a solve ended where no time was left.
func isPressed(status mdp.Status) bool { return status == mdp.Interrupted || status == mdp.TimeLimit }

// measureSoon returns the measures of a policy against an adversary's choices; nil if they
// cannot be computed. After an early end it takes little time and ignores ctx; otherwise the
// end of ctx is an error.
func (g *game) measureSoon(ctx context.Context, policy, adversary []int32, status mdp.Status) (*robots.Measures, error) {
	if isPressed(status) {
		if g.numStates() > patienceStates {
			return nil, nil
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		m, _ := g.measure(limited, policy, adversary)
		return m, nil
	}
	m, err := g.measure(ctx, policy, adversary)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("interval: measuring the policy: %w", context.Cause(ctx))
	}
	return m, nil
}

// measure returns the long-run behaviour, on the class that is reached from an empty
// queue with one active robot; of several, on the one that costs most.
func (g *game) measure(ctx context.Context, policy, adversary []int32) (*robots.Measures, error) {
	model, err := g.against(adversary)
	if err != nil {
		return nil, err
	}
	evaluation, err := mdp.Evaluate(ctx, model, policy)
	if err != nil {
		return nil, err
	}
	var worst *robots.Measures
	for _, i := range evaluation.Reachable(g.start()) {
		if m := g.measureClass(evaluation.Classes[i], policy, adversary); worst == nil || m.Gain > worst.Gain {
			worst = m
		}
	}
	if worst == nil {
		return nil, errors.New("interval: no class is reached")
	}
	return worst, nil
}

// start returns the state with an empty queue and one active robot.
func (g *game) start() int { return g.corners[0].Index(robots.State{Active: []int{1}}) }

// measureClass measures a closed class, as [robots.Measure] does it for constant rates.
func (g *game) measureClass(class mdp.Class, policy, adversary []int32) *robots.Measures {
	p := g.corners[0].Parameters()
	m := &robots.Measures{RobotsMin: math.MaxInt, Distribution: slices.Collect(slices.Chunk(make([]float64, (p.Robots+1)*(p.Buffer+1)), p.Buffer+1))}
	for i, index := range class.States {
		share, state := class.Stationary[i], g.corners[0].State(index)
		queue, active := state.Queue, state.Active[0]
		arrival, service := g.rates.at(g.corners[adversary[index]].high)
		m.Distribution[active][queue] += share
		m.RobotsMean += float64(active) * share
		m.RobotsMin, m.RobotsMax = min(m.RobotsMin, active), max(m.RobotsMax, active)
		m.PagesMean += float64(queue) * share
		switch queue {
		case 0:
			m.Starvation += share
			continue
		case p.Buffer:
			m.LossRate += arrival * float64(active) * share
		}
		if g.corners[0].Decisions(index, int(policy[index])).Activate != robots.NoClass {
			m.ActivationRate += service * share
		}
	}
	m.RobotsMeanByClass = []float64{m.RobotsMean}
	m.Gain = p.Cost(*m)
	return m
}
