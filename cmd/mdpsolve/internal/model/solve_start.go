package model

import (
	"math"
	"os"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// readStart makes a solve begin with the policy and the values of the result that
// --checkpoint names, if that file exists, or --start.
func readStart(a *ui.Arguments, chosen *ui.Method, q question, m *mdpio.Model) {
	flag := "start"
	if info, err := os.Stat(chosen.Checkpoint); err == nil && info.Mode().IsRegular() {
		flag = "checkpoint"
	}
	if !a.CLI.IsSet(flag) {
		return
	}
	path := a.CLI.String(flag)
	r, err := interruptible(a.CLI.Context, func() (*mdpio.Result, error) { return mdpio.ReadResultFile(path) })
	switch {
	case err != nil:
		a.Fail(fileFault("--"+flag, path, err))
		return
	case r.Criterion != q.criterion:
		a.Fault(flag, "%q found, a result for criterion %s; one for %s is allowed", path, r.Criterion, q.criterion)
		return
	case len(r.Policy) != m.NumStates():
		a.Fault(flag, "%q found, a result of %d states; one of %d, as many as the model has, is allowed", path, len(r.Policy), m.NumStates())
		return
	}
	for s, action := range r.Policy {
		if actions := m.StateStart[s+1] - m.StateStart[s]; action >= actions {
			a.Fault(flag, "%q found, with action %d in state %d; one of the model, which has %d there, is allowed", path, action, s, actions)
			return
		}
	}
	chosen.Settings.Policy, chosen.Settings.Values = r.Policy, startValues(r)
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
