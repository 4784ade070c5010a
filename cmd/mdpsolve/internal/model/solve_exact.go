package model

// Solving in fractions: --method exact, and the last resort of floating point.

import (
	"context"
	"math"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// methodExact solves in rational numbers.
const methodExact = "exact"

// solveExactly finds the answer in fractions. Exact arithmetic has nothing to
// show before its end, so where it ends early the bounds are those of a solve in
// floating point that ends at once.
func (s *solution) solveExactly(c *cli.Context, m ui.Method) error {
	table, err := s.model.GraphTable()
	if err != nil {
		return fileFault(modelOperand, s.path, err)
	}
	if s.structure, err = structureOf(c.Context, table); err != nil {
		return fileFault(modelOperand, s.path, err)
	}
	late, err := s.answerExactly(c.Context, s.left(m.Settings.TimeLimit), m.Settings.Tolerance)
	switch {
	case late:
		m.Settings.TimeLimit = 1
		return s.solveNumerically(c, m)
	case err != nil:
		return s.solveFault(m, err)
	}
	return nil
}

// answerExactly solves in fractions, within a time; 0 is without limit. It says whether
// the time, or the context, was over before.
func (s *solution) answerExactly(ctx context.Context, limit time.Duration, tolerance float64) (late bool, err error) {
	begin := time.Now()
	ctx, stop := ui.WithTimeLimit(ctx, limit)
	defer stop()
	ui.ProgressOf(ctx).Phase("solving in fractions")
	model, err := ui.Soon(ctx, 0, func() (*exact.Model, error) { return s.model.Exact(s.question.reward) })
	if err != nil {
		return ctx.Err() != nil, err
	}
	answer, err := ui.Soon(ctx, 0, func() (*exact.Answer, error) { return s.question.exactly(ctx, model) })
	if err != nil {
		return ctx.Err() != nil, err
	}
	return false, s.keepExact(answer, tolerance, time.Since(begin))
}

// keepExact turns an exact answer into a result, unless a value is beyond the range
// of float64. Bounds are the float64 next to each value, which are not within the
// tolerance of each other where it is as small as rounding, or the value is.
func (s *solution) keepExact(a *exact.Answer, tolerance float64, elapsed time.Duration) error {
	for _, x := range a.Values {
		if x.Infinity() == 0 && math.IsInf(x.Float64(), 0) {
			return mdp.ErrOverflow
		}
	}
	s.status = mdp.Converged
	r := s.newResult()
	proof := certificate.CertificateOfExact(a)
	values := proof.Lower.Value
	if s.question.criterion == criterionAverage {
		values = proof.Lower.Gain
	}
	r.Values, r.Exact = values.High, values.Exact
	for state, x := range a.Values {
		r.Lower[state], r.Upper[state] = x.Bounds()
		if !mdp.Within(r.Lower[state], r.Upper[state], 0, tolerance) {
			s.status = mdp.PrecisionLimit
		}
	}
	r.Status, r.Method, r.Iterations, r.Seconds = s.status.String(), methodExact, a.Iterations, elapsed.Seconds()
	r.Policy, r.Tolerance = a.Policy, &tolerance
	if s.question.criterion != criterionFinite {
		r.Certificate = proof
	}
	for _, x := range a.Relative {
		r.Relative = append(r.Relative, x.Float64())
	}
	r.Relative = relativeValues(r.Relative)
	r.Value = r.Values[r.Initial]
	s.result = r
	return nil
}

// Where floating point comes to its limit on a small model, fractions are the last
// resort: up to so many transitions, and for so long.
const (
	resortTransitions = 4096
	resortTime        = 5 * time.Second

	// tinyBytes is the size of files up to which the numbers of a model are kept
	// exactly for that.
	tinyBytes = 1 << 18
)

// isTiny reports whether the numbers of a model are kept exactly for every method.
func isTiny(a *ui.Arguments, path string) bool { return isNoLarger(a, path, tinyBytes) }

// resort solves once more in fractions where no method was asked for, and reports
// whether it has an answer.
func (s *solution) resort(c *cli.Context, m ui.Method) bool {
	if m.Name != ui.MethodAuto || !s.model.IsExact() || s.model.NumTransitions() > resortTransitions {
		return false
	}
	limit := resortTime
	if left := s.left(m.Settings.TimeLimit); left > 0 {
		limit = min(limit, left)
	}
	if _, err := s.answerExactly(c.Context, limit, m.Settings.Tolerance); err != nil {
		return false
	}
	s.result.Choice = "float64 could not meet the tolerance"
	return true
}
