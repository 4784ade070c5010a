package model

// Policies of each step of a finite horizon.

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// mostKept is how many actions of all states and steps are kept and written.
const mostKept = 100_000_000

// keepSteps has the policies of all steps kept where they are to be written.
func (s *solution) keepSteps(a *ui.Arguments, out string) {
	if s.Criterion != question.Finite || !s.HasChoices() || out == "" && s.policy == nil && a.Format == ui.FormatText {
		return
	}
	if s.allSteps = s.Steps() <= mostKept/s.Model.NumStates(); !s.allSteps {
		a.Warn("the policies of %s of %s are more than %d actions: only that of the first step is written",
			ui.Count(s.Steps(), "step"), ui.Count(s.Model.NumStates(), "state"), mostKept)
	}
}
