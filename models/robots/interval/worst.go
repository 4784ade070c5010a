// This file finds the worst case of a given policy, and compares policies by it.

package interval

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// EvaluateWorst finds the rates from the ranges, chosen anew in every state, under which
// a policy costs most, from an empty queue with one active robot. The policy's own rates need
// not be in the ranges; it must not randomise a decision. Settings and errors are those of
// [Solve], without a choice of the method.
func EvaluateWorst(ctx context.Context, policy *robots.Policy, rates Rates, settings mdp.Settings) (*Solution, error) {
	if _, random := policy.Chance(); random {
		return nil, errors.New("interval: the worst case of a randomised policy cannot be computed")
	}
	p := policy.Parameters()
	g, err := newProcess(p, rates)
	if err != nil {
		return nil, err
	}
	p.Service = nil // which is exponential
	settings.Method, settings.Values, settings.Policy = 0, nil, nil
	return g.solve(ctx, p, slices.Collect(slices.Chunk(policy.Actions(g.Model), 1)), settings)
}

// Comparison is the price of not knowing the rates.
type Comparison struct {
	// Cost is the cost of the solution's policy at the rates of the Parameters, and Optimum the
	// least possible there. The difference is the price of planning for the worst case.
	Cost    float64
	Optimum *robots.Solution

	// Worst is the worst case of the policy of Optimum. Its Gain minus that of the solution is
	// the price of not planning for the worst case.
	Worst *Solution
}

// Compare compares the solution with the policy that is optimal at the rates of its
// Parameters. Settings and errors are those of [robots.Solve] and [EvaluateWorst]: where
// their answers are not nil the comparison is not. A time limit is for each of the two.
func (s *Solution) Compare(ctx context.Context, settings mdp.Settings) (*Comparison, error) {
	measures, err := robots.Measure(ctx, s.Policy)
	if err != nil {
		return nil, err
	}
	settings.Values, settings.Policy = nil, nil
	optimum, stop := robots.Solve(ctx, s.Parameters, settings)
	if optimum == nil {
		return nil, stop
	}
	worst, err := EvaluateWorst(ctx, optimum.Policy, s.Rates, settings)
	if worst == nil {
		return nil, err
	}
	return &Comparison{Cost: measures.Gain, Optimum: optimum, Worst: worst}, cmp.Or(stop, err)
}
