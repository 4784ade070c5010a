package model

// The start of a solve: --start-from.

import (
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// readStart makes a solve begin with the policy and the values of the result that
// --start-from names.
func readStart(a *ui.Arguments, chosen *ui.Method, q asked) {
	const flag = "start-from"
	if !a.CLI.IsSet(flag) {
		return
	}
	path := a.CLI.String(flag)
	if strings.HasSuffix(strings.ToLower(path), ".csv") {
		chosen.Settings.Policy = startPolicy(a, path, q)
		return
	}
	r := load(a, "--"+flag, path, func() (*certificate.Result, error) { return certificate.ReadFile(path) })
	switch {
	case r.Property != q.Property:
		a.Fault(flag, "%q is a result about another question: use a result about the same property, or about none if --property is not set", path)
	case r.Criterion != q.Criterion:
		a.Fault(flag, "%q is a result for criterion %s: use one for %s", path, r.Criterion, q.Criterion)
	case r.HasSteps():
		a.Fault(flag, "not valid for a finite horizon: backward induction begins at the end, and takes no start")
	case r.Policy == nil:
		a.Fault(flag, "%q has no policy to start from: use a result with a policy", path)
	case len(r.Policy) != q.Model.NumStates():
		a.Fault(flag, "%q is a result of %d states, and the model has %d: use a result of this model", path, len(r.Policy), q.Model.NumStates())
	}
	m := q.Model
	for s, action := range r.Policy {
		if actions := m.StateStart[s+1] - m.StateStart[s]; action >= actions {
			a.Fault(flag, "%q has action %d in state %d, and the model has %d actions there: use a result of this model", path, action, s, actions)
		}
	}
	chosen.Settings.Policy, chosen.Settings.Values = r.Policy, answer.StartValues(r)
}

// startPolicy reads the actions of a policy that is no result.
func startPolicy(a *ui.Arguments, path string, q asked) []int32 {
	const flag = "start-from"
	if q.HasSteps() {
		a.Fault(flag, "not valid for a finite horizon: backward induction begins at the end, and takes no start")
	}
	actions := load(a, "--"+flag, path, func() ([]int32, error) {
		policy, _, err := certificate.ReadPolicyFile(path, q.given)
		return slices.Clone(policy.Deterministic()), err
	})
	if actions == nil {
		a.Fault(flag, "%q has policies of several steps, or several actions in a state: use a policy with one action in each state", path)
	}
	if q.Stated != nil {
		for _, s := range q.Stated.Decided {
			actions[s] = 0
		}
	}
	return actions
}
