package robots

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// FleetMeasures are the long-run behaviour of a fleet's policy, on the closed
// class of its chain that it reaches from an empty queue with one active robot
// (of several, the one that costs least). [Measures] count the robots of all
// classes together, and Gain is the whole cost,
//
//	γ·Starvation + LossRate + h·PagesMean + c·RobotsMean + a·ActivationRate.
type FleetMeasures struct {
	Measures
	PagesMean         float64   // time average of the pages in the system
	ActivationRate    float64   // idle robots activated by departures, per unit of time
	RobotsMeanByClass []float64 // time average of the active robots of each class
}

// cost returns the whole cost of measures.
func (f Fleet) cost(m FleetMeasures) float64 {
	return f.StarvationWeight*m.Starvation + m.LossRate +
		f.HoldingCost*m.PagesMean + f.RobotCost*m.RobotsMean + f.ActivationCost*m.ActivationRate
}

// measureOperations bounds the work for measures: some 20 seconds on one core.
const measureOperations = 5e10

// MeasureFleet computes the measures of a policy, exactly up to rounding. It
// returns [mdp.ErrTooLarge] where that would take too much memory or time, and
// the context's error.
func MeasureFleet(ctx context.Context, policy *FleetPolicy) (FleetMeasures, error) {
	m, err := NewFleetModel(policy.fleet)
	if err != nil {
		return FleetMeasures{}, err
	}
	if work := m.eliminationWork(); work > measureOperations {
		return FleetMeasures{}, fmt.Errorf("robots: %w: the behaviour of a fleet with %d states would take about %.2g multiplications; %.2g are allowed",
			mdp.ErrTooLarge, m.NumStates(), work, measureOperations)
	}
	evaluation, err := mdp.Evaluate(ctx, m, policy.actions(m))
	if err != nil {
		return FleetMeasures{}, err
	}
	best := FleetMeasures{Measures: Measures{Gain: math.Inf(1)}}
	for _, stride := range m.stride {
		for _, i := range evaluation.Reachable(m.index(0, stride)) {
			if c := policy.measureClass(m, evaluation.Classes[i]); c.Gain < best.Gain {
				best = c
			}
		}
	}
	return best, nil
}

// eliminationWork returns about how many multiplications one elimination takes:
// the states are ordered along the queue or a class, whichever is longest.
func (m *FleetModel) eliminationWork() float64 {
	n := float64(m.NumStates())
	band := n / float64(max(m.buffer, slices.Max(m.robots))+1)
	return n * band * band
}

func (p *FleetPolicy) measureClass(m *FleetModel, class mdp.Class) FleetMeasures {
	f := FleetMeasures{RobotsMeanByClass: make([]float64, len(p.robots))}
	f.RobotsMin = p.fleet.Robots()
	for i, index := range class.States {
		share := class.Stationary[i]
		row, code := p.split(index)
		queue, phase := p.place(row)
		active := 0
		for c := range p.robots {
			r := p.active(code, c)
			active += r
			f.RobotsMeanByClass[c] += float64(r) * share
		}
		f.RobotsMean += float64(active) * share
		f.RobotsMin, f.RobotsMax = min(f.RobotsMin, active), max(f.RobotsMax, active)
		f.PagesMean += float64(queue) * share
		switch queue {
		case 0:
			f.Starvation += share
			continue
		case p.buffer:
			f.LossRate += m.activeRate[code] * share
		}
		if p.decisions(row, code).Activate != NoClass {
			f.ActivationRate += p.service.exits[phase] * share
		}
	}
	f.Gain = p.fleet.cost(f)
	return f
}
