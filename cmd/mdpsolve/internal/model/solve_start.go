package model

// The start of a solve: --start-from.

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// readStart makes a solve begin with the policy and the values of the result that
// --start-from names.
func readStart(a *ui.Arguments, chosen *ui.Method, q question.Question, m *modelfile.Model) {
	const flag = "start-from"
	if !a.CLI.IsSet(flag) {
		return
	}
	path := a.CLI.String(flag)
	r := load(a, "--"+flag, path, func() (*certificate.Result, error) { return certificate.ReadFile(path) })
	switch {
	case r.Criterion != q.Criterion:
		a.Fault(flag, "%q is a result for criterion %s: use one for %s", path, r.Criterion, q.Criterion)
	case len(r.Policy) != m.NumStates():
		a.Fault(flag, "%q is a result of %d states, and the model has %d: use a result of this model", path, len(r.Policy), m.NumStates())
	}
	for s, action := range r.Policy {
		if actions := m.StateStart[s+1] - m.StateStart[s]; action >= actions {
			a.Fault(flag, "%q has action %d in state %d, and the model has %d actions there: use a result of this model", path, action, s, actions)
		}
	}
	chosen.Settings.Policy, chosen.Settings.Values = r.Policy, answer.StartValues(r)
}
