package model

// Policies of each step of a finite horizon.

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// mostKept is the greatest number of actions, one for each state and step, that is kept and
// written.
const mostKept = 100_000_000

// stepValues is the flag for the values of all steps.
const stepValues = "step-values"

// keepStepValues reads --step-values, and refuses it where it is not valid.
func (s *solution) keepStepValues(a *ui.Arguments, out string) {
	if s.stepValues = a.CLI.Bool(stepValues); !s.stepValues {
		return
	}
	if !s.HasSteps() || s.Model.IsUncertain() {
		a.Fault(stepValues, "not valid here: use it with a finite horizon, in a model without intervals")
	}
	if err := s.Model.FitsSteps(s.Steps()); err != nil {
		a.Fault("horizon", "%s", plainError(err))
	}
	if a.Format == ui.FormatText && out == "" {
		a.Fault(stepValues, "the values of all steps are a long table: use --output csv or json")
	}
}

// keepSteps decides whether the policies of all steps are kept: if they are written somewhere,
// and are not too many.
func (s *solution) keepSteps(a *ui.Arguments, out string) {
	if !s.HasSteps() || !s.HasChoices() || out == "" && s.policy == nil && a.Format == ui.FormatText {
		return
	}
	if s.allSteps = s.Steps() <= mostKept/s.Model.NumStates(); !s.allSteps {
		a.Warn("the policies of %s of %s are more than %d actions: only that of the first step is written",
			wording.Count(s.Steps(), "step"), wording.Count(s.Model.NumStates(), "state"), mostKept)
	}
}
