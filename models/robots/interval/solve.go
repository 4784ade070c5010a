// This file finds the policy with the best worst case.

package interval

import (
	"context"
	"fmt"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Solution is an answer of [Solve] or [EvaluateWorst].
type Solution struct {
	// Parameters are those that were solved, and Rates the ranges.
	Parameters robots.Parameters
	Rates      Rates

	// Gain is the least cost per unit of time in the worst case. Lower and Upper enclose
	// the exact one: there are rates against which no policy costs less than Lower, and
	// Policy costs at most Upper against everything that nature may choose. They hold for all
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

	// Policy is the best policy found, and Nature the worst rates found for it. After an
	// early end, other rates may prove Lower.
	// Policy has the Parameters.
	Policy *robots.Policy
	Nature *Nature

	// Measures is the long-run behaviour of Policy against Nature, from an empty queue with one
	// active robot, on the class that costs most; nil if it cannot be computed, or after an
	// interruption or a time limit.
	Measures *robots.Measures
}

// Solve minimises the worst long-run cost per unit of time over all policies, where
// nature chooses the rates from the ranges anew in every state. The rates of p must
// lie in the ranges; they are the rates that [Solution.Compare] compares with, and have no
// effect on the answer. There must be one class of robots and exponential services;
// HoldingCost, RobotCost and ActivationCost may be set.
//
// It is solved by [mdp.Solve], in rounds against choices of nature unless
// the method sweeps. Nature begins with both rates at their upper ends everywhere.
// A start from other choices that look bad for the controller, such as to fill long queues and
// empty short ones, would be worse: where ranges are wide, it makes chains that leave some states
// so seldom that no evaluation can tell it from never.
//
// Settings are those of mdp.Solve: MaxIterations counts the iterations of all rounds. So
// are the errors, beside a [*robots.ParameterError]: where the result of mdp.Solve would
// not be nil the solution is not, and holds the best answer so far.
func Solve(ctx context.Context, p robots.Parameters, rates Rates, settings mdp.Settings) (*Solution, error) {
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	g, err := newProcess(p, rates)
	if err != nil {
		return nil, err
	}
	p.Service = nil // which is exponential
	for _, f := range []struct {
		name  string
		value float64
		Range
	}{{"ArrivalRate", p.ArrivalRate, rates.Arrival}, {"ServiceRate", p.ServiceRate, rates.Service}} {
		if !(f.Low <= f.value && f.value <= f.High) {
			return nil, &robots.ParameterError{Field: f.name, Value: f.value, Allowed: fmt.Sprintf("from %v to %v, the range", f.Low, f.High)}
		}
	}
	actions := make([][]int32, g.NumStates())
	for s := range actions {
		for a := range g.NumActions(s) {
			actions[s] = append(actions[s], int32(a))
		}
	}
	return g.solve(ctx, p, actions, settings)
}

// solve solves against the worst rates with the actions that are listed for each state, and
// measures the policy with these rates.
func (g *process) solve(ctx context.Context, p robots.Parameters, actions [][]int32, settings mdp.Settings) (*Solution, error) {
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
	result, stop := mdp.Solve(ctx, u.Rounded(relativeError), mdp.LongRunAverage{}, settings)
	if result == nil {
		return nil, stop
	}
	start := g.Index(robots.State{Active: []int{1}})
	found := &Solution{
		Parameters: p, Rates: g.rates, Gain: result.Optimum(start), Status: result.Status, Method: result.Method, Reason: result.Reason,
		Rounds: result.Nature.Rounds, Iterations: result.Iterations, Elapsed: result.Elapsed, Nature: g.nature(u, result),
	}
	found.Lower, found.Upper = result.Bounds(start)
	if found.Policy, err = robots.NewPolicy(p, func(s robots.State) robots.Decisions {
		index := g.Index(s)
		return g.Decisions(index, int(actions[index][result.Policy[index]]))
	}); err != nil {
		return nil, err
	}
	if result.Status == mdp.Interrupted || result.Status == mdp.TimeLimit {
		return found, stop
	}
	evaluation, err := mdp.LongRun(ctx, result.Nature.Model(), mdp.Policy{Actions: result.Policy})
	switch {
	case ctx.Err() != nil:
		found.Status, stop = mdp.Interrupted, fmt.Errorf("interval: measuring the policy: %w", context.Cause(ctx))
	case err == nil:
		for _, i := range evaluation.Reachable(start) {
			m := g.MeasureClass(found.Policy, evaluation.Classes[i], func(index int) (arrival, service float64) {
				return found.Nature.rates[index][0], found.Nature.rates[index][1]
			})
			if found.Measures == nil || m.Gain > found.Measures.Gain {
				found.Measures = &m
			}
		}
		found.Gain = min(max(found.Measures.Gain, found.Lower), found.Upper)
	}
	return found, stop
}

// nature returns the rates that nature chooses for the policy of a result.
func (g *process) nature(u *mdp.Uncertain, result *mdp.Result) *Nature {
	found := &Nature{g.Parameters().Robots, make([][2]float64, u.NumStates())}
	var row []mdp.Interval
	for s, a := range result.Policy {
		row, _ = u.AppendRow(row[:0], s, int(a))
		chosen, at := result.Nature.Probabilities(s, int(a)), 0
		end := func(isPossible bool, r Range) float64 { // of the next event; the last takes the rest, which is rounded
			if !isPossible {
				return r.Low
			}
			if at++; chosen[at-1] > row[at-1].Low/2+row[at-1].High/2 {
				return r.High
			}
			return r.Low
		}
		found.rates[s][1] = end(g.State(s).Queue > 0, g.rates.Service)
		found.rates[s][0] = end(g.State(s).Active[0] > 0, g.rates.Arrival)
	}
	return found
}
