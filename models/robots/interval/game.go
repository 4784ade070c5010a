// This file holds the game between the controller and the adversary, as the two
// decision processes that it is once the choices of one side are fixed.

package interval

import (
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// game is the process whose rates an adversary chooses. In the state (q,r) after a
// decision the adversary chooses λ and μ; then comes the next event, and the controller
// decides what to do. With the costs of [robots.Parameters] and ν the rate of events,
// values W satisfy (all other costs left out)
//
//	θ = γ·1(q=0)
//	  + max_λ λr·[1(q=K) + min{W(min(q+1,K),r−1), W(min(q+1,K),r)} − W(q,r)]
//	  + max_μ μ·1(q>0)·[min{W(q−1,r), W(q−1,min(r+1,N))} − W(q,r)].
//
// What is maximised is linear in each rate, so that the ends of the ranges suffice, and
// the controller's best decision does not depend on rates: with corners the pairs of
// ends, an action of the adversary is a corner.
//
// # Bounds
//
// Let (T W) be the right-hand side. For any W, min (T W) ≤ θ ≤ max (T W):
//
//   - with the decisions that attain the minima fixed, T is the operator of the
//     process in which the adversary alone decides, and no way to choose rates costs
//     that policy more than max (T W);
//   - with the rates that attain the maxima fixed, T is the operator of the process in
//     which the controller alone decides, and no policy costs less than min (T W).
//
// Both are the bounds of Odoni for a process with one decision maker, which
// [mdp.LongRunAverage.Improve] has, with what rounding does to them.
type game struct {
	rates   Rates
	corners []corner
	rate    float64 // ν = λ₂N + μ₂
}

// corner is the process with rates at ends of the ranges.
type corner struct {
	*robots.Model
	high  ends
	scale float64 // its rate of events, relative to ν
}

// newGame returns the game of parameters whose rates, those of p aside, are in ranges.
func newGame(p robots.Parameters, rates Rates) (*game, error) {
	if err := rates.validate(p); err != nil {
		return nil, err
	}
	if !phases.IsExponential(p.Service) {
		return nil, &robots.ParameterError{Field: "Service", Value: p.Service, Allowed: "nil beside ranges: exponential"}
	}
	p.Service = nil // whose mean is that of one rate
	g := &game{rates: rates}
	for _, high := range []ends{{true, true}, {true, false}, {false, true}, {false, false}} {
		if rates.Arrival.isPoint() && !high.arrival || rates.Service.isPoint() && !high.service {
			continue // the same rates once more
		}
		p.ArrivalRate, p.ServiceRate = rates.at(high)
		m, err := robots.NewModel(p)
		if err != nil {
			return nil, err
		}
		if g.rate == 0 {
			g.rate = m.Rate()
		}
		g.corners = append(g.corners, corner{m, high, m.Rate() / g.rate})
	}
	return g, nil
}

func (g *game) numStates() int { return g.corners[0].NumStates() }

// relativeError returns the relative error of rates and costs: beside that of the
// models, in units of 2⁻⁵³, 4 for a model's own rate of events and the product with it
// over ν, and 8 for the division by the sum of a row, which is that close to 1.
func (g *game) relativeError() float64 {
	if len(g.corners) == 1 {
		return g.corners[0].RelativeError()
	}
	return g.corners[0].RelativeError() + 12*1.0000001*0x1p-53
}

// appendRow appends the row of a controller's action at a corner.
func (g *game) appendRow(dst []mdp.Entry, s, action, at int) ([]mdp.Entry, float64) {
	first, c := len(dst), &g.corners[at]
	dst, cost := c.AppendRow(dst, s, action)
	if c.scale == 1 {
		return dst, cost
	}
	stay := 1 - c.scale
	for i := first; i < len(dst); i++ {
		dst[i].Probability *= c.scale
		if int(dst[i].State) == s {
			dst[i].Probability += stay
			stay = 0
		}
	}
	if stay > 0 {
		dst = append(dst, mdp.Entry{State: int32(s), Probability: stay})
	}
	return dst, cost
}

// dearest returns an upper bound on the cost per unit of time for all policies and rates.
func (g *game) dearest() float64 {
	p := g.corners[0].Parameters()
	busy := p.HoldingCost*float64(p.Buffer) + p.ArrivalRate*float64(p.Robots) + p.ActivationCost*p.ServiceRate
	return (max(p.StarvationWeight, busy) + p.RobotCost*float64(p.Robots)) * (1 + 16*0x1p-53)
}

// adversary returns the chosen corner of each state for the user.
func (g *game) adversary(choice []int32) *Adversary {
	a := &Adversary{rates: g.rates, robots: g.corners[0].Parameters().Robots, high: make([]ends, len(choice))}
	for s, at := range choice {
		a.high[s] = g.corners[at].high
	}
	return a
}

// policy returns actions of the controller as a policy for the process p.
func (g *game) policy(p robots.Parameters, actions []int32) (*robots.Policy, error) {
	m := g.corners[0].Model
	return robots.NewPolicy(p, func(s robots.State) robots.Decisions {
		index := m.Index(s)
		return m.Decisions(index, int(actions[index]))
	})
}

// table is a process with one decision maker, whose numbers have a relative error.
type table struct {
	*mdp.Table
	relativeError float64
}

// RelativeError implements [mdp.Approximate].
func (t table) RelativeError() float64 { return t.relativeError }

// tabulate returns the process in which state s has so many actions, each of which is an
// action of the controller at a corner.
func (g *game) tabulate(count func(s int) int, choose func(s, a int) (action, at int)) (mdp.Explicit, error) {
	b := mdp.TableBuilder{Rate: g.rate}
	var row []mdp.Entry
	for s := range g.numStates() {
		b.AddState()
		for a := range count(s) {
			action, at := choose(s, a)
			var cost float64
			row, cost = g.appendRow(row[:0], s, action, at)
			b.AddAction(cost)
			for _, e := range row {
				b.AddTransition(int(e.State), e.Probability)
			}
		}
	}
	built, err := b.Build()
	return table{built, g.relativeError()}, err
}

// against returns the process that the controller decides on, given the adversary's
// choices.
func (g *game) against(adversary []int32) (mdp.Explicit, error) {
	if len(g.corners) == 1 {
		return g.corners[0].Model, nil
	}
	return g.tabulate(g.corners[0].NumActions, func(s, a int) (action, at int) { return a, int(adversary[s]) })
}

// exposed is the process that the adversary decides on, given the controller's policy.
// Its actions are corners, and costs are negative, so that to minimise is to maximise.
type exposed struct {
	*game
	policy []int32
}

// NumStates implements [mdp.Part].
func (m exposed) NumStates() int { return m.numStates() }

// NumActions implements [mdp.Part].
func (m exposed) NumActions(int) int { return len(m.corners) }

// RelativeError implements [mdp.Part].
func (m exposed) RelativeError() float64 { return m.relativeError() }

// AppendRow implements [mdp.Part].
func (m exposed) AppendRow(dst []mdp.Entry, s, a int) ([]mdp.Entry, float64) {
	row, cost := m.appendRow(dst, s, int(m.policy[s]), a)
	return row, -cost
}
