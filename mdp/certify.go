// This file proves values that a program has found by an iteration of its own.

package mdp

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// Certify proves how good values are that were found elsewhere, such as by an iteration of your
// own. It does not improve them: one fresh sweep over them gives the bounds, their
// [Result.Proof], the policy that attains the sweep, and the status. That is [Converged] if the
// bounds are within the tolerance, as in [Solve], and [Stopped] if they are wider, which is no
// error: iterate on, and ask again.
//
// Values are one finite number for each state, in the units of Result.Bias for [LongRunAverage],
// where a constant added to all changes nothing, and of Result.Value for other criteria. With T
// the Bellman operator of the costs that are minimised, the bounds are
//
//	LongRunAverage  min_s (T v − v)(s) and max_s (T v − v)(s) in each maximal end component of a
//	                Table (Odoni 1969), or of the whole of another model; where to stay is then
//	                solved
//	Discounted      v(s) + min (T v − v)/(1−β) and v(s) + max (T v − v)/(1−β) (MacQueen 1966)
//	TotalCost       from above the exact total of the policy that attains T v; from below the same
//	                if no other action is better for it, and otherwise a multiple x of v with
//	                x ≤ T x
//
// A total differs in that the sweep alone does not bound it: the length of the sum is not known.
// The states are taken one strongly connected component after another. If the policy that attains
// T v does not reach the target, another one takes its place. Where costs of both signs leave no
// multiple, the bound from below is −Inf. States whose total is infinite, and those that the
// process cannot return to, have the bounds that Solve gives them.
//
// Of the settings, Certify uses Tolerance, TimeLimit and Workers, and Policy, if given: of the
// actions that attain the sweep up to rounding it prefers those. Errors are those of Solve.
// Criteria with a horizon are [ErrUnsupported]: Solve has no iteration there that could end
// early.
func Certify(ctx context.Context, model Model, criterion Criterion, values []float64, settings Settings) (*Result, error) {
	switch criterion.(type) {
	case FiniteHorizon, TimeHorizon:
		return nil, fmt.Errorf("mdp: Certify: %w: criterion %s has a horizon, which Solve solves outright", limit.ErrUnsupported, criterion.name())
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
