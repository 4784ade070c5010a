package model

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// readStart makes a solve begin with the policy and the values of the result that
// --start names.
func readStart(a *ui.Arguments, settings *mdp.Settings, q question, m *mdpio.Model) {
	if a.Err != nil || !a.CLI.IsSet("start") {
		return
	}
	path := a.CLI.String("start")
	r, err := interruptible(a.CLI.Context, func() (*mdpio.Result, error) { return mdpio.ReadResultFile(path) })
	switch {
	case err != nil:
		a.Err = fileFault("--start", path, err)
		return
	case r.Criterion != q.criterion:
		a.Fault("start", "%q found, a result for criterion %s; one for %s is allowed", path, r.Criterion, q.criterion)
		return
	case len(r.Policy) != m.NumStates():
		a.Fault("start", "%q found, a result of %d states; one of %d, as many as the model has, is allowed", path, len(r.Policy), m.NumStates())
		return
	}
	for s, action := range r.Policy {
		if actions := m.StateStart[s+1] - m.StateStart[s]; action >= actions {
			a.Fault("start", "%q found, with action %d in state %d; one of the model, which has %d there, is allowed", path, action, s, actions)
			return
		}
	}
	settings.Policy, settings.Values = r.Policy, startValues(r)
}

// startValues returns the values of a result that a solve can begin with, relative
// ones for an average; nil where one is infinite.
func startValues(r *mdpio.Result) []float64 {
	values := r.Values
	if r.Criterion == criterionAverage {
		values = r.Relative
	}
	if slices.ContainsFunc(values, func(x float64) bool { return math.IsInf(x, 0) }) {
		return nil
	}
	return values
}
