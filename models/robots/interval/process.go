// This file states the process whose rates nature chooses as an uncertain model.

package interval

import (
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// process is the one whose rates nature chooses. In the state (q,r) after a
// decision nature chooses λ and μ; then comes the next event, and the controller
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
type process struct {
	*robots.Model // with the upper ends of the ranges
	rates         Rates
}

// newProcess returns the process with the parameters p, but with rates from ranges in place of
// those of p.
func newProcess(p robots.Parameters, rates Rates) (*process, error) {
	for _, f := range []struct {
		name string
		Range
	}{{"Rates.Arrival", rates.Arrival}, {"Rates.Service", rates.Service}} {
		if !(f.Low <= f.High) {
			return nil, &robots.ParameterError{Field: f.name, Value: f.Range, Allowed: "a range with Low ≤ High"}
		}
	}
	if p.Classes != nil {
		return nil, &robots.ParameterError{Field: "Classes", Value: p.Classes, Allowed: "nil: ranges need one class of robots"}
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
	return &process{m, rates}, err
}

// relativeError bounds the errors of rates, costs and payments: at most six roundings, of
// parameters, products, quotients and sums.
const relativeError = 8 * 0x1p-53

// addAction adds an action of the robots to the uncertain model: a departure, an arrival
// and staying.
func (g *process) addAction(b *mdp.TableBuilder, s, a int) {
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
