// This file holds policies that randomise one decision.

package robots

import (
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Chance is a randomised decision of a policy, which [SolveWithin] needs for a limit that
// no deterministic policy meets exactly. At each Event in State, Decisions are carried out
// with Probability, and otherwise those of the policy. Of Decisions, only the field for
// Event counts: Activate at departures, Reactivate at arrivals.
type Chance struct {
	State       State
	Event       Event
	Decisions   Decisions
	Probability float64
}

// Chance returns the randomised decision of the policy; false if there is none.
func (p *Policy) Chance() (Chance, bool) {
	if p.chance == nil {
		return Chance{}, false
	}
	c := *p.chance
	c.State.Active = slices.Clone(c.State.Active)
	return c, true
}

// WithChance returns the policy with another randomised decision. It returns an error if
// there is no such state or decision, and for a probability outside 0 … 1.
func (p *Policy) WithChance(c Chance) (*Policy, error) {
	m, err := NewModel(p.parameters)
	if err != nil {
		return nil, err
	}
	row, code, ok := p.layout.find(c.State)
	switch {
	case !ok:
		return nil, fmt.Errorf("robots: %+v is not a state", c.State)
	case !(c.Probability >= 0 && c.Probability <= 1):
		return nil, &ParameterError{"Probability", c.Probability, "a number from 0 to 1"}
	case c.Event != Departure && c.Event != Arrival:
		return nil, fmt.Errorf("robots: nothing is decided at the event %v", c.Event)
	case c.Event == Departure && m.departureOptions(c.State.Queue, c.State.Phase, code) == 1:
		return nil, fmt.Errorf("robots: at %+v there is nothing to decide at a departure", c.State)
	}
	other := p.clone()
	if expected := other.put(m, row, code, p.decisions(row, code).with(c.Event, c.Decisions)); expected != "" {
		return nil, fmt.Errorf("robots: at %+v a departure activates class %d: it must be %s", c.State, c.Decisions.Activate, expected)
	}
	c.State.Active, c.Decisions = slices.Clone(c.State.Active), other.decisions(row, code)
	random := *p
	random.chance = &c
	return &random, nil
}

// with returns decisions with those at an event taken from others.
func (d Decisions) with(e Event, others Decisions) Decisions {
	if e == Departure {
		d.Activate = others.Activate
	} else {
		d.Reactivate = others.Reactivate
	}
	return d
}

// options returns what is done in a state, and what else with a probability, which may be 0.
func (p *Policy) options(row, code int) (usual, other Decisions, probability float64) {
	usual = p.decisions(row, code)
	if c := p.chance; c != nil {
		if r, k, _ := p.layout.find(c.State); r == row && k == code {
			return usual, c.Decisions, c.Probability
		}
	}
	return usual, usual, 0
}

// activation returns the probability that a departure from a state activates a robot.
func (p *Policy) activation(row, code int) (probability float64) {
	usual, other, chance := p.options(row, code)
	if usual.Activate != NoClass {
		probability = 1 - chance
	}
	if other.Activate != NoClass {
		probability += chance
	}
	return probability
}

// engine returns the policy as one of the engine's, on a model of the same process.
func (p *Policy) engine(m *Model) (mdp.Policy, error) {
	actions := p.Actions(m)
	if p.chance == nil {
		return mdp.Policy{Actions: actions}, nil
	}
	var weights []float64 // by choice
	for s, action := range actions {
		row, code := m.layout.split(s)
		queue, phase := m.layout.place(row)
		first := len(weights)
		_, other, probability := p.options(row, code)
		weights = append(weights, make([]float64, m.NumActions(s))...)
		weights[first+int(action)] = 1 - probability
		weights[first+m.action(queue, phase, code, other)] += probability
	}
	return mdp.RandomizedPolicy(m, weights)
}

// mixMeasures returns the measures of one policy with the weight 1−θ and of another
// with the weight θ.
func mixMeasures(a, b Measures, theta float64) Measures {
	mean := func(x, y float64) float64 { return (1-theta)*x + theta*y }
	mixed := Measures{
		Gain: mean(a.Gain, b.Gain), Starvation: mean(a.Starvation, b.Starvation), LossRate: mean(a.LossRate, b.LossRate),
		RobotsMean: mean(a.RobotsMean, b.RobotsMean), PagesMean: mean(a.PagesMean, b.PagesMean),
		ActivationRate: mean(a.ActivationRate, b.ActivationRate),
		RobotsMin:      min(a.RobotsMin, b.RobotsMin), RobotsMax: max(a.RobotsMax, b.RobotsMax),
	}
	for i, x := range a.RobotsMeanByClass {
		mixed.RobotsMeanByClass = append(mixed.RobotsMeanByClass, mean(x, b.RobotsMeanByClass[i]))
	}
	for r, row := range a.Distribution {
		shares := make([]float64, len(row))
		for q, x := range row {
			shares[q] = mean(x, b.Distribution[r][q])
		}
		mixed.Distribution = append(mixed.Distribution, shares)
	}
	return mixed
}
