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

// Worst is the worst case of a policy, from an empty queue with one active robot on.
type Worst struct {
	// Gain is the greatest cost per unit of time that the adversary can cause. Lower and Upper
	// enclose it.
	Gain, Lower, Upper float64

	// Status says whether the bounds are within the tolerance of each other.
	Status mdp.Status

	// Adversary are the rates of the worst case, and Measures the behaviour of the policy
	// under them; nil as in [Solution].
	Adversary *Adversary
	Measures  *robots.Measures
}

// EvaluateWorst finds the rates from the ranges, chosen anew in every state, under which
// a policy costs most. The policy's own rates need not be in the ranges; it must not
// randomise a decision. Settings and errors are those of [Solve], without a choice of the
// method.
func EvaluateWorst(ctx context.Context, policy *robots.Policy, rates Rates, settings mdp.Settings) (*Worst, error) {
	if _, random := policy.Chance(); random {
		return nil, errors.New("interval: the worst case of a randomised policy cannot be computed")
	}
	g, err := newGame(policy.Parameters(), rates)
	if err != nil {
		return nil, err
	}
	var actions [][]int32
	for action := range slices.Chunk(policy.Actions(g.Model), 1) {
		actions = append(actions, action)
	}
	settings.Method, settings.Values, settings.Policy = 0, nil, nil
	a, err := g.solve(ctx, actions, settings)
	if a == nil {
		return nil, err
	}
	found := &Worst{Gain: a.Optimum(g.start()), Status: a.Status, Adversary: a.adversary, Measures: a.measures}
	found.Lower, found.Upper = a.Bounds(g.start())
	return found, err
}

// Comparison is the price of not knowing the rates.
type Comparison struct {
	// Cost is the cost of the solution's policy at the rates of the Parameters, and Optimum the
	// least possible there. The difference is the price of planning for the worst case.
	Cost    float64
	Optimum *robots.Solution

	// Worst is the worst case of the policy of Optimum. Its Gain minus that of the solution is
	// the price of not planning for the worst case.
	Worst *Worst
}

// Compare compares the solution with the policy that is optimal at the rates of its
// Parameters. Settings and errors are those of [robots.Solve] and [EvaluateWorst]. If they
// stop at a limit other than the time limit, the comparison beside the error has the best
// answers so far. A time limit is for each of the two.
func (s *Solution) Compare(ctx context.Context, settings mdp.Settings) (*Comparison, error) {
	measures, err := robots.Measure(ctx, s.Policy)
	if err != nil {
		return nil, err
	}
	settings.Values, settings.Policy = nil, nil
	optimum, stop := robots.Solve(ctx, s.Parameters, settings)
	if optimum == nil || isPressed(optimum.Status) {
		return nil, stop
	}
	worst, err := EvaluateWorst(ctx, optimum.Policy, s.Rates, settings)
	if worst == nil || isPressed(worst.Status) {
		return nil, err
	}
	return &Comparison{Cost: measures.Gain, Optimum: optimum, Worst: worst}, cmp.Or(stop, err)
}
