// This file states the process whose rates nature chooses as an uncertain model.

package interval

import (
	"context"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// game is the process whose rates an adversary chooses. In the state (q,r) after a
// decision the adversary chooses λ and μ; then comes the next event, and the controller
// decides what to do. With the costs of [robots.Parameters], values W satisfy (all other
// costs left out)
//
//	θ = γ·1(q=0)
//	  + max_λ λr·[1(q=K) + min{W(min(q+1,K),r−1), W(min(q+1,K),r)} − W(q,r)]
//	  + max_μ μ·1(q>0)·[min{W(q−1,r), W(q−1,min(r+1,N))} − W(q,r)].
//
// With the rate of events ν = λ₂N + μ₂, an action of the [mdp.Uncertain] model has a
// transition for each event, of a probability between the ends of its range over ν, which
// costs ν times what a lost page or an activation costs; and staying, which takes the rest.
type game struct {
	*robots.Model // with the upper ends of the ranges
	rates         Rates
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
	p.ArrivalRate, p.ServiceRate = rates.Arrival.Low, rates.Service.Low
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p.ArrivalRate, p.ServiceRate = rates.Arrival.High, rates.Service.High
	m, err := robots.NewModel(p)
	return &game{m, rates}, err
}

// relativeError bounds the errors of rates, costs and payments: at most six roundings, of
// parameters, products, quotients and sums.
const relativeError = 8 * 0x1p-53

// answer is the answer of the engine, and what it means for robots.
type answer struct {
	*mdp.UncertainResult
	actions   []int32 // of the policy, as [robots.Model] numbers them
	adversary *Adversary
	measures  *robots.Measures
}

// solve solves against the worst rates, and measures the policy with them. It considers
// the actions that are listed for each state.
func (g *game) solve(ctx context.Context, actions [][]int32, settings mdp.Settings) (*answer, error) {
	b := mdp.TableBuilder{Rate: g.Rate()}
	for s := range actions {
		b.AddState()
		for _, a := range actions[s] {
			g.addAction(&b, s, int(a))
		}
	}
	u, err := b.BuildUncertain()
	if err != nil {
		return nil, err
	}
	result, stop := mdp.SolveUncertain(ctx, u.Rounded(relativeError), mdp.Worst, mdp.LongRunAverage{}, settings)
	if result == nil {
		return nil, stop
	}
	found := &answer{result, make([]int32, len(actions)), &Adversary{g.Parameters().Robots, make([][2]float64, len(actions))}, nil}
	for s, i := range result.Policy {
		found.actions[s] = actions[s][i]
		row, _ := u.AppendRow(nil, s, int(i))
		chosen := result.Probabilities(s, int(i))
		at := 0
		end := func(r Range) float64 { // that of the next event; the last one takes the rest, which is rounded
			if at++; chosen[at-1] > row[at-1].Low/2+row[at-1].High/2 {
				return r.High
			}
			return r.Low
		}
		rates := [2]float64{g.rates.Arrival.Low, g.rates.Service.Low}
		if g.State(s).Queue > 0 {
			rates[1] = end(g.rates.Service)
		}
		if g.State(s).Active[0] > 0 {
			rates[0] = end(g.rates.Arrival)
		}
		found.adversary.rates[s] = rates
	}
	if found.measures, err = g.measureSoon(ctx, found); err != nil {
		found.Status, stop = mdp.Interrupted, err
	}
	return found, stop
}

// addAction adds an action of the robots to the uncertain model: a departure, an arrival
// and staying.
func (g *game) addAction(b *mdp.TableBuilder, s, a int) {
	p, does, queue, active := g.Parameters(), g.Decisions(s, a), g.State(s).Queue, g.State(s).Active[0]
	add := func(queue, active int, times float64, of Range, cost float64) {
		b.AddInterval(g.Index(robots.State{Queue: queue, Active: []int{active}}), of.Low*times/b.Rate, of.High*times/b.Rate, b.Rate*cost)
	}
	b.AddAction(p.HoldingCost*float64(queue) + p.RobotCost*float64(active))
	switch {
	case queue == 0:
		b.AddCost(p.StarvationWeight)
	case does.Activate != robots.NoClass:
		add(queue-1, active+1, 1, g.rates.Service, p.ActivationCost)
	default:
		add(queue-1, active, 1, g.rates.Service, 0)
	}
	if active > 0 {
		after, lost := active, 0.0
		if !does.Reactivate.Has(0) {
			after--
		}
		if queue == p.Buffer {
			lost = 1
		}
		add(min(queue+1, p.Buffer), after, float64(active), g.rates.Arrival, lost)
	}
	b.AddInterval(s, 0, 1, 0)
}
