package paper

import (
	"errors"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// The events of the process, numbered as s in the paper.
const (
	Departure               = robots.Departure
	Arrival                 = robots.Arrival
	Fictitious robots.Event = 2 // nothing happens: the price of a constant event rate
)

// State is a state (q,r,s) of the decision process, just before the event: the
// queue length, the number of active robots and the event. (0,r,0), (q,0,1)
// and (0,0,2) are not states: a departure needs a page, an arrival an active
// robot, and a robot is always activated when the last page leaves.
//
// Source: Talim, Liu, Nain and Coffman, section 3.1, the set X.
type State struct {
	Queue  int // q = 0 … K
	Active int // r = 0 … N
	Event  robots.Event
}

// checkPlain returns an error for parameters that are not those of the paper's
// process.
func checkPlain(p robots.Parameters) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if !p.IsPlain() || p.Classes != nil {
		return errors.New("paper: classes, services and costs that the paper does not have: use package robots")
	}
	return nil
}

// NewProblem declares the (q,r,s) process of the paper through package mdp's
// public interface: the plain reference form, against which [Solve]
// and [robots.Model] are tested. Actions are 0 and 1;
// 1 activates one more robot at a departure and reactivates the robot that has
// just delivered at an arrival. Exploration begins with (1,1,1), the reference
// state of the authors' iteration.
//
// The one-step cost c(q,r,s) = γ·1(q=0) + ν·1(q=K, s=1) is per unit of time,
// so the gain is γ·(share of time with an empty queue) + (pages lost per unit
// of time).
//
// Source: Talim, Liu, Nain and Coffman, section 3.1, equations (18)-(21), with
// λr' where (19) prints λr, and min{q+1,K} where (20) prints min{q+1,N}.
func NewProblem(p robots.Parameters) (mdp.Problem[State, int], error) {
	if err := checkPlain(p); err != nil {
		return mdp.Problem[State, int]{}, err
	}
	lambda, mu, nu := p.ArrivalRate, p.ServiceRate, p.ArrivalRate*float64(p.Robots)+p.ServiceRate
	return mdp.Problem[State, int]{
		Start: []State{{Queue: 1, Active: 1, Event: Arrival}},
		Rate:  nu,
		Actions: func(dst []int, x State) []int {
			switch {
			case x.Event == Fictitious:
				return append(dst, 0)
			case x == State{Queue: 1, Active: 0, Event: Departure}:
				return append(dst, 1) // else nobody would ever bring a page again
			}
			return append(dst, 0, 1)
		},
		Cost: func(x State, _ int) float64 {
			cost := 0.0
			if x.Queue == 0 {
				cost += p.StarvationWeight
			}
			if x.Queue == p.Buffer && x.Event == Arrival {
				cost += nu
			}
			return cost
		},
		Next: func(dst []mdp.Outcome[State], x State, a int) []mdp.Outcome[State] {
			q, r := x.Queue, x.Active
			switch x.Event {
			case Departure:
				q, r = q-1, min(r+a, p.Robots)
			case Arrival:
				q, r = min(q+1, p.Buffer), r+a-1
			}
			idle := lambda * float64(p.Robots-r)
			if q > 0 {
				dst = append(dst, mdp.Outcome[State]{State: State{q, r, Departure}, Probability: mu / nu})
			} else {
				idle += mu
			}
			return append(dst,
				mdp.Outcome[State]{State: State{q, r, Arrival}, Probability: lambda * float64(r) / nu},
				mdp.Outcome[State]{State: State{q, r, Fictitious}, Probability: idle / nu})
		},
	}, nil
}
