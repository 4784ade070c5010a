package answer

// This file keeps the policies of each step of a finite horizon.

import (
	"context"
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// recordingCriterion returns the criterion. If the policies of all steps are asked for, a solve by
// this criterion records them in a.steps.
func (a *Answer) recordingCriterion() mdp.Criterion {
	criterion := a.EngineCriterion()
	f, ok := criterion.(mdp.FiniteHorizon)
	if !ok || !a.settings.Steps {
		return criterion
	}
	record := a.recorder()
	f.Stage = func(step int, _ []float64, policy []int32) error {
		record(step, policy)
		return nil
	}
	return f
}

// recorder makes the list a.steps, and returns a function that records the policy of a step there.
func (a *Answer) recorder() func(step int, policy []int32) {
	steps := make([][]int32, a.Steps())
	a.steps = steps
	return func(step int, policy []int32) { steps[step] = append(steps[step][:0], policy...) }
}

// keepPolicy gives the result its policy, and those of all steps if they are known.
func (a *Answer) keepPolicy(first []int32) {
	a.Result.Policy = first
	if isUnknown := func(policy []int32) bool { return policy == nil }; len(a.steps) > 0 && !slices.ContainsFunc(a.steps, isUnknown) {
		a.Result.Policy, a.Result.Policies = a.steps[0], a.steps
	}
}

// exactHorizon returns the horizon for a solve in fractions.
func (a *Answer) exactHorizon() exact.Horizon {
	h := exact.Horizon{Steps: a.Steps()}
	if a.Discount != nil {
		h.Discount = a.DiscountFactor()
	}
	if a.Ending.Len() > 0 {
		h.Terminal = a.Ending.Rationals()
	}
	if a.isByStep() {
		h.Policy = mdp.Policy{Steps: a.followed.steps}
	}
	if a.settings.Steps {
		h.Stage = a.recorder()
	}
	return h
}

// KeepStepValues sets Result.StepValues: for each step of a finite horizon, the optimal total from
// that step to the end, discounted to that step. It solves [question.Asked.Unrolled]. The error wraps
// [mdp.ErrUnsupported] for other criteria, for a model with intervals, and for a policy that depends
// on the step; other errors are those of [Solve].
func (a *Answer) KeepStepValues(ctx context.Context) error {
	if !a.HasSteps() || a.Model.IsUncertain() || a.isByStep() {
		return fmt.Errorf("answer: %w: values of steps are those of the best policy of a finite horizon, in an ordinary model", mdp.ErrUnsupported)
	}
	unrolled, err := a.Unrolled()
	if err != nil {
		return err
	}
	settings := a.settings
	settings.TimeLimit = a.left(settings.TimeLimit)
	settings.Steps, settings.Policy, settings.Values, settings.Record = false, nil, nil, nil
	found, err := Solve(ctx, unrolled, settings)
	if err != nil {
		return err
	}
	kept, n := &certificate.StepValues{}, a.Model.NumStates()
	for step := range a.Steps() {
		lo, hi := step*n, (step+1)*n
		kept.Values = append(kept.Values, found.Result.Values[lo:hi])
		kept.Lower, kept.Upper = append(kept.Lower, found.Result.Lower[lo:hi]), append(kept.Upper, found.Result.Upper[lo:hi])
	}
	a.Result.StepValues = kept
	return nil
}
