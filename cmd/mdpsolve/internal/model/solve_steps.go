package model

// Policies of each step of a finite horizon.

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// mostKept is how many actions of all states and steps are kept and written.
const mostKept = 100_000_000

// keepSteps has the policies of all steps kept where they are to be written.
func (s *solution) keepSteps(a *ui.Arguments, out string) {
	if s.question.criterion != criterionFinite || !s.hasChoices() || out == "" && a.Format == ui.FormatText {
		return
	}
	if s.allSteps = s.question.horizon <= mostKept/s.model.NumStates(); !s.allSteps {
		a.Warn("the policies of %s of %s are more than %d actions: only that of the first step is written",
			ui.Count(s.question.horizon, "step"), ui.Count(s.model.NumStates(), "state"), mostKept)
	}
}

// noted returns the criterion, which notes the policy of each step if these are wanted.
func (s *solution) noted() mdp.Criterion {
	criterion := s.question.of(s.model)
	f, ok := criterion.(mdp.FiniteHorizon)
	if !ok || !s.allSteps {
		return criterion
	}
	note := s.note()
	f.Stage = func(step int, _ []float64, policy []int32) error {
		note(step, policy)
		return nil
	}
	return f
}

// note returns what notes the policy of a step, in a list of its own.
func (s *solution) note() func(step int, policy []int32) {
	steps := make([][]int32, s.question.horizon)
	s.steps = steps
	return func(step int, policy []int32) { steps[step] = append(steps[step][:0], policy...) }
}

// keepPolicy gives a result its policy, and those of all steps if they are known.
func (s *solution) keepPolicy(r *certificate.Result, first []int32) {
	r.Policy = first
	if isUnknown := func(policy []int32) bool { return policy == nil }; len(s.steps) > 0 && !slices.ContainsFunc(s.steps, isUnknown) {
		r.Policy, r.Policies = s.steps[0], s.steps
	}
}

// exactHorizon returns the policies of a finite horizon that a solve in fractions keeps to, or notes.
func (s *solution) exactHorizon() (h exact.Horizon) {
	if ending := s.question.ending(s.model); ending.Len() > 0 {
		h.Terminal = ending.Rationals()
	}
	if s.isByStep() {
		h.Policies = s.of.actions()
	}
	if s.allSteps {
		h.Stage = s.note()
	}
	return h
}

// isByStep reports whether the solution is the value of a policy that changes from step to step.
func (s *solution) isByStep() bool { return s.of != nil && s.of.steps != nil }

// ordinary returns the model that is solved: with all its actions under a policy that changes
// from step to step.
func (s *solution) ordinary() *modelfile.Model {
	if s.isByStep() {
		return s.of.whole
	}
	return s.model
}

// actions returns the policies of steps.
func (f *followed) actions() [][]int32 { return actionsOf(f.steps) }

func actionsOf(steps []*modelfile.Policy) (actions [][]int32) {
	for _, p := range steps {
		actions = append(actions, p.Actions)
	}
	return actions
}

// policyBySteps returns the policy for the engine.
func (f *followed) policyBySteps() (all mdp.Policy) {
	for _, p := range f.steps {
		all.Steps = append(all.Steps, mdp.Policy{Actions: p.Actions})
	}
	return all
}

// checkSteps refuses policies of several steps for another question than that of as many, and
// where one lacks an action.
func checkSteps(a *ui.Arguments, operand, path string, steps []*modelfile.Policy, m *modelfile.Model, criterion string, horizon int) {
	if len(steps) < 2 {
		return
	}
	if n := len(steps); criterion != criterionFinite || horizon != n {
		a.Fail(ui.UsageErrorf("%s: %q has a policy for each of %d steps: use --criterion finite --horizon %d", operand, path, n, n))
	}
	for i, p := range steps {
		if len(p.Missing) > 0 {
			a.Fail(ui.UsageErrorf("%s: %q has no action for state %s in step %d: give one", operand, path, stateName(m, int(p.Missing[0])), i+1))
		}
	}
}
