package model

// What a solve begins with: --start and --checkpoint.

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
	"github.com/mdpsolve/mdpsolve/mdp/results"
)

// readStart makes a solve begin with the policy and the values of the result that
// --checkpoint names, if that file exists, or --start.
func readStart(a *ui.Arguments, chosen *ui.Method, q question, m *mdpio.Model) {
	flag := "start"
	if _, err := os.Stat(chosen.Checkpoint); err == nil {
		flag = "checkpoint"
	}
	if !a.CLI.IsSet(flag) {
		return
	}
	path := a.CLI.String(flag)
	r := load(a, "--"+flag, path, func() (*results.Result, error) { return results.ReadFile(path) })
	switch {
	case flag == "checkpoint" && r.Status == mdp.Converged.String(): // no checkpoint has: it would be removed in the end
		a.Fault(flag, "%q is a result that has converged: use it with --start, or another file", path)
	case r.Criterion != q.criterion:
		a.Fault(flag, "%q is a result for criterion %s: use one for %s", path, r.Criterion, q.criterion)
	case len(r.Policy) != m.NumStates():
		a.Fault(flag, "%q is a result of %d states: use one of %d, as many as the model has", path, len(r.Policy), m.NumStates())
	}
	for s, action := range r.Policy {
		if actions := m.StateStart[s+1] - m.StateStart[s]; action >= actions {
			a.Fault(flag, "%q has action %d in state %d: use a result of the model, which has %d actions there", path, action, s, actions)
		}
	}
	chosen.Settings.Policy, chosen.Settings.Values = r.Policy, startValues(r)
}

// startValues returns the values of a result that a solve can begin with, relative
// ones for an average; nil where one is infinite.
func startValues(r *results.Result) []float64 {
	values := r.Values
	if r.Criterion == criterionAverage {
		values = r.Relative
	}
	if slices.ContainsFunc(values, func(x float64) bool { return math.IsInf(x, 0) }) {
		return nil
	}
	return values
}

// A solve with --checkpoint FILE is done in slices of time. The result of each slice
// is written to FILE, and the next slice begins with its policy and values, as a solve
// with --start does. So does a solve that finds FILE.

// firstSlice is the length of the first slice. A slice that brings the bounds of the
// initial state hardly closer, for lack of time to do anything, is followed by one that
// is twice as long.
const firstSlice = time.Minute

// closerBy is the factor by which a slice must bring bounds closer.
const closerBy = 0.9

// solveInSlices solves until the tolerance or a limit is reached.
func (s *solution) solveInSlices(m ui.Method, slice time.Duration, solve func(mdp.Settings) error) error {
	begin := time.Now()
	for iterations := 0; ; {
		settings := m.Settings
		settings.TimeLimit = slice
		if limit := m.Settings.TimeLimit; limit > 0 {
			settings.TimeLimit = max(1, min(slice, limit-time.Since(begin)))
		}
		if m.Settings.MaxIterations > 0 {
			settings.MaxIterations = m.Settings.MaxIterations - iterations
		}
		settings.Record = func(p mdp.Progress) error {
			p.Iteration += iterations
			return m.Settings.Record(p)
		}
		before := s.result
		if err := solve(settings); err != nil {
			return err
		}
		iterations += s.result.Iterations
		s.result.Iterations, s.result.Seconds = iterations, time.Since(begin).Seconds()
		limit, most := m.Settings.TimeLimit, m.Settings.MaxIterations
		if s.status != mdp.TimeLimit || limit > 0 && time.Since(begin) >= limit || most > 0 && iterations >= most {
			return nil
		}
		if before != nil && !(initialGap(s.result) < closerBy*initialGap(before)) {
			slice *= 2
		}
		if err := s.keepCheckpoint(m.Checkpoint); err != nil {
			return err
		}
		m.Settings.Policy, m.Settings.Values = s.result.Policy, startValues(s.result)
	}
}

// initialGap returns how far the bounds of the initial state are apart.
func initialGap(r *results.Result) float64 { return r.Upper[r.Initial] - r.Lower[r.Initial] }

// keepCheckpoint writes the result so far to a file, if one is named, or removes it
// where the result has converged.
func (s *solution) keepCheckpoint(path string) error {
	var err error
	switch {
	case path == "":
	case s.status == mdp.Converged:
		if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	default:
		err = results.WriteFile(path, s.result)
	}
	if err != nil {
		return fmt.Errorf("--checkpoint: %w", err)
	}
	return nil
}
