// This file proves values that a program has found by an iteration of its own.

package mdp

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// Certify proves bounds by values that were found elsewhere, such as by an iteration of your own. It
// does not improve the values: one fresh sweep over them gives the bounds, their [Result.Proof], the
// policy that attains the sweep, and the status. The status is [Converged] if the bounds are within
// the tolerance, as in [Solve]. If they are wider, it is [Stopped], which is no error: iterate on,
// and ask again.
//
// Values are one finite number for each state. For [LongRunAverage] they are relative values, like
// Result.Bias, to which a constant may be added; for other criteria they are like Result.Value. With
// T the Bellman operator of the costs that are minimised, the bounds are
//
//	LongRunAverage  min_s (T v − v)(s) and max_s (T v − v)(s) in each maximal end component of a
//	                Table (Odoni 1969), after which the best choice between components is solved
//	                for; over all states of any other model
//	Discounted      v(s) + min (T v − v)/(1−β) and v(s) + max (T v − v)/(1−β) (MacQueen 1966)
//	TotalCost       from above the exact total of the policy that attains T v; from below the same
//	                if no other action improves that total, and otherwise a multiple x of v with
//	                x ≤ T x
//
// The sweep alone does not bound a total, since the number of its steps is not known. The states
// are taken one strongly connected component after another. If the policy that attains T v does not
// reach the target, another policy takes its place. Where costs of both signs allow no multiple, the
// bound from below is −Inf. States whose total is infinite, and those to which the process cannot
// return, have the bounds that Solve gives them.
//
// Of the settings, Certify uses Tolerance, TimeLimit, Workers and Policy: among actions that attain
// the sweep up to rounding, it prefers those of Policy. Errors are those of Solve, [ErrMissing] for
// nil values, and [ErrUnsupported] for an [Uncertain] model, and for a horizon, where Solve has no
// iteration to replace.
func Certify(ctx context.Context, model Model, criterion Criterion, values []float64, settings Settings) (*Result, error) {
	switch criterion.(type) {
	case FiniteHorizon, TimeHorizon:
		return nil, fmt.Errorf("mdp: Certify: %w: criterion %s has a horizon, which Solve solves outright", limit.ErrUnsupported, criterion.name())
	}
	if _, ok := model.(*Uncertain); ok {
		return nil, fmt.Errorf("mdp: Certify: %w: an uncertain model, whose values do not say what nature chooses", limit.ErrUnsupported)
	}
	if values == nil {
		return nil, fmt.Errorf("mdp: %w: the values are nil: use one for each state", ErrMissing)
	}
	result, err := Solve(ctx, model, criterion, Settings{
		Tolerance: settings.Tolerance, TimeLimit: settings.TimeLimit, Workers: settings.Workers, Policy: settings.Policy,
		Values: values, isGiven: true,
	})
	if result == nil {
		return nil, err
	}
	result.Method, result.Reason = "given values", ""
	if errors.Is(err, ErrPrecisionLimit) {
		result.Status, err = Stopped, nil
	}
	return result, err
}
