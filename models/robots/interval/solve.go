// This file finds the policy with the best worst case.

package interval

import (
	"context"
	"fmt"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Solution is an answer of [Solve].
type Solution struct {
	// Parameters are those that were solved, and Rates the ranges.
	Parameters robots.Parameters
	Rates      Rates

	// Gain is the least cost per unit of time in the worst case. Lower and Upper enclose
	// the exact one: there are rates against which no policy costs less than Lower, and
	// Policy costs at most Upper against every adversary. They hold for all
	// parameters and ends of ranges that round to those given.
	Gain, Lower, Upper float64

	// Status says whether the bounds are within the tolerance of each other, see
	// [mdp.Within], and otherwise why the solve ended.
	Status mdp.Status

	// Method is the name of the method that solves for the controller; Reason says why
	// it was chosen, where that was left open.
	Method, Reason string

	// Rounds counts the ordinary models that were solved, none if the method sweeps, and
	// Iterations the iterations of the method in all of them.
	Rounds, Iterations int

	// Elapsed is the time that solving took, measures not included.
	Elapsed time.Duration

	// Policy is the best policy found, and Adversary the worst rates found for it. After an
	// early end, other rates may prove Lower.
	// Policy has the Parameters.
	Policy    *robots.Policy
	Adversary *Adversary

	// Measures is the long-run behaviour of Policy against Adversary; nil if it cannot be
	// computed, or not soon after an interruption.
	Measures *robots.Measures
}

// Solve minimises the worst long-run cost per unit of time over all policies, where an
// adversary chooses the rates from the ranges anew in every state. The rates of p must
// lie in the ranges; they are the rates that [Solution.Compare] compares with, and have no
// effect on the answer. There must be one class of robots and exponential services;
// HoldingCost, RobotCost and ActivationCost may be set.
//
// It is solved by [mdp.SolveUncertain], in rounds against choices of the adversary unless
// the method sweeps. The adversary begins with both rates at their upper ends everywhere.
// Other choices that look bad, such as to fill long queues and empty short ones, make
// chains that leave some states so seldom that no evaluation tells it from never, where
// ranges are wide.
//
// Settings are those of mdp.Solve: MaxIterations counts the iterations of all rounds. So
// are the errors, beside a [*robots.ParameterError]: where the result of mdp.Solve would
// not be nil the solution is not, and holds the best answer so far.
func Solve(ctx context.Context, p robots.Parameters, rates Rates, settings mdp.Settings) (*Solution, error) {
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	g, err := newGame(p, rates)
	if err != nil {
		return nil, err
	}
	p.Service = nil // which is exponential
	for _, f := range []struct {
		name  string
		value float64
		Range
	}{{"ArrivalRate", p.ArrivalRate, rates.Arrival}, {"ServiceRate", p.ServiceRate, rates.Service}} {
		if !f.Contains(f.value) {
			return nil, &robots.ParameterError{Field: f.name, Value: f.value, Allowed: fmt.Sprintf("from %v to %v, the range", f.Low, f.High)}
		}
	}
	actions := make([][]int32, g.NumStates())
	for s := range actions {
		for a := range g.NumActions(s) {
			actions[s] = append(actions[s], int32(a))
		}
	}
	a, stop := g.solve(ctx, actions, settings)
	if a == nil {
		return nil, stop
	}
	policy, err := robots.NewPolicy(p, func(s robots.State) robots.Decisions {
		index := g.Index(s)
		return g.Decisions(index, int(a.actions[index]))
	})
	if err != nil {
		return nil, err
	}
	found := &Solution{
		Parameters: p, Rates: rates, Gain: a.Gain, Lower: a.Lower, Upper: a.Upper, Status: a.Status, Method: a.Method, Reason: a.Reason,
		Rounds: a.Rounds, Iterations: a.Iterations, Elapsed: a.Elapsed, Policy: policy, Adversary: a.adversary, Measures: a.measures,
	}
	if a.measures != nil {
		found.Gain = min(max(a.measures.Gain, a.Lower), a.Upper)
	}
	return found, stop
}
