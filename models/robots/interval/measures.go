// This file measures policies against an adversary that chooses the rates.

package interval

import (
	"context"
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

// start returns the state with an empty queue and one active robot.
func (g *game) start() int { return g.Index(robots.State{Active: []int{1}}) }

// measureSoon returns the long-run behaviour with the adversary, on the class that is
// reached from the start; of several, on the one that costs most. It returns nil if that
// cannot be computed. After an early end it takes little time and ignores ctx; otherwise
// the end of ctx is an error.
func (g *game) measureSoon(ctx context.Context, a *answer) (worst *robots.Measures, err error) {
	limited := ctx
	if isPressed(a.Status) {
		if g.NumStates() > patienceStates {
			return nil, nil
		}
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
	}
	evaluation, err := mdp.Evaluate(limited, a.Adversary(), a.Policy)
	if err != nil {
		if ctx.Err() != nil && !isPressed(a.Status) {
			return nil, fmt.Errorf("interval: measuring the policy: %w", context.Cause(ctx))
		}
		return nil, nil
	}
	for _, i := range evaluation.Reachable(g.start()) {
		if m := g.measureClass(evaluation.Classes[i], a); worst == nil || m.Gain > worst.Gain {
			worst = m
		}
	}
	return worst, nil
}

// measureClass measures a closed class, as [robots.Measure] does it for constant rates.
func (g *game) measureClass(class mdp.Class, a *answer) *robots.Measures {
	p := g.Parameters()
	m := &robots.Measures{RobotsMin: math.MaxInt, Distribution: slices.Collect(slices.Chunk(make([]float64, (p.Robots+1)*(p.Buffer+1)), p.Buffer+1))}
	for i, index := range class.States {
		share, state := class.Stationary[i], g.State(index)
		queue, active := state.Queue, state.Active[0]
		arrival, service := a.adversary.rates[index][0], a.adversary.rates[index][1]
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
		if g.Decisions(index, int(a.actions[index])).Activate != robots.NoClass {
			m.ActivationRate += service * share
		}
	}
	m.RobotsMeanByClass = []float64{m.RobotsMean}
	m.Gain = p.Cost(*m)
	return m
}
