package robots

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Measures are the long-run behaviour of a policy, on the closed class of its
// chain that it reaches from an empty queue with one active robot (of several,
// the one that costs least).
//
// They are computed by elimination without subtractions. Their relative error is at most
// about 10⁻¹⁵ times the number of states, however small they are.
type Measures struct {
	// Gain is the whole cost per unit of time,
	// γ·Starvation + LossRate + h·PagesMean + c·RobotsMean + a·ActivationRate.
	Gain float64

	Starvation     float64 // S, the share of time in which the queue is empty
	LossRate       float64 // L, pages lost per unit of time
	RobotsMean     float64 // N̄, the time average of the number of active robots
	RobotsMin      int     // N_min, the least number of active robots that recurs
	RobotsMax      int     // N_max, the greatest
	PagesMean      float64 // time average of the pages in the system
	ActivationRate float64 // idle robots activated by departures, per unit of time

	RobotsMeanByClass []float64 // time average of the active robots of each class

	// Distribution[r][q] is the share of time, in the long run, with r active robots
	// and q pages in the system: the sum of π(q,j,r_1,…,r_m) over all phases j of the
	// service and all r_1 + … + r_m = r, r = 0 … ΣN_i and q = 0 … K. π is the stationary
	// distribution of the uniformized chain, whose steps all take the same mean time,
	// so that shares of its steps are shares of time (A. Jensen, Markoff chains as an
	// aid in the study of Markoff processes, Skandinavisk Aktuarietidskrift 36 (1953),
	// 87-91). It sums to 1. Only [Measure] sets it.
	Distribution [][]float64
}

// measureOperations bounds the work for measures of variants of the plain process:
// some 20 seconds on one core.
const measureOperations = 5e10

// Measure computes the measures of a policy, exactly up to rounding. It returns
// [mdp.ErrTooLarge] where that would take too much memory or time, and the
// context's error.
func Measure(ctx context.Context, policy *Policy) (Measures, error) {
	found, err := policy.measure(ctx)
	return found.Measures, err
}

// measured is the long-run behaviour of a policy on the class that is measured.
type measured struct {
	Measures
	class mdp.Class
}

// share returns the share of time in the state with an index.
func (m *measured) share(index int) float64 {
	if at, found := slices.BinarySearch(m.class.States, index); found {
		return m.class.Stationary[at]
	}
	return 0
}

// measure is Measure, with the class.
func (p *Policy) measure(ctx context.Context) (measured, error) {
	m, err := NewModel(p.parameters)
	if err != nil {
		return measured{}, err
	}
	if work := m.eliminationWork(); work > measureOperations && m.plain == nil {
		return measured{}, fmt.Errorf("robots: %w: measuring a policy in %d states takes about %.2g multiplications, of at most %.2g",
			mdp.ErrTooLarge, m.NumStates(), work, measureOperations)
	}
	policy, err := p.engine(m)
	if err != nil {
		return measured{}, err
	}
	evaluation, err := mdp.LongRun(ctx, m, policy)
	if err != nil {
		return measured{}, err
	}
	best := measured{Measures: Measures{Gain: math.Inf(1)}}
	for _, stride := range m.layout.mixes.stride {
		for _, i := range evaluation.Reachable(m.layout.index(0, stride)) {
			class := evaluation.Classes[i]
			if c := m.MeasureClass(p, class, nil); c.Gain < best.Gain {
				best = measured{c, class}
			}
		}
	}
	return best, nil
}

// eliminationWork returns about how many multiplications one elimination takes:
// the states are ordered along the queue or a class, whichever is longest.
func (m *Model) eliminationWork() float64 {
	n := float64(m.NumStates())
	band := n / float64(max(m.layout.buffer, slices.Max(m.layout.mixes.robots))+1)
	return n * band * band
}

// MeasureClass returns the measures of a policy on a closed class of its chain. rates, if not
// nil, are the arrival rate λ of a robot and the service rate μ by state, for one class of
// robots and exponential services; otherwise they are those of the model.
func (m *Model) MeasureClass(p *Policy, class mdp.Class, rates func(index int) (arrival, service float64)) Measures {
	c := Measures{RobotsMeanByClass: make([]float64, len(m.classes)), RobotsMin: math.MaxInt, Distribution: m.emptyDistribution()}
	for i, index := range class.States {
		share := class.Stationary[i]
		row, code := p.layout.split(index)
		queue, phase := p.layout.place(row)
		active := 0
		for k := range m.classes {
			r := p.layout.mixes.active(code, k)
			active += r
			c.RobotsMeanByClass[k] += float64(r) * share
		}
		arrivals, service := m.activeRate[code], p.service.Exits[phase]
		if rates != nil {
			arrivals, service = rates(index)
			arrivals *= float64(active)
		}
		c.Distribution[active][queue] += share
		c.RobotsMean += float64(active) * share
		c.RobotsMin, c.RobotsMax = min(c.RobotsMin, active), max(c.RobotsMax, active)
		c.PagesMean += float64(queue) * share
		switch queue {
		case 0:
			c.Starvation += share
			continue
		case p.layout.buffer:
			c.LossRate += arrivals * share
		}
		c.ActivationRate += service * share * p.activation(row, code)
	}
	c.Gain = p.parameters.Cost(c)
	return c
}

// emptyDistribution returns a [Measures.Distribution] that is 0 everywhere.
func (m *Model) emptyDistribution() [][]float64 {
	robots, lengths := 0, m.layout.buffer+1
	for _, class := range m.classes {
		robots += class.Robots
	}
	return slices.Collect(slices.Chunk(make([]float64, (robots+1)*lengths), lengths))
}
