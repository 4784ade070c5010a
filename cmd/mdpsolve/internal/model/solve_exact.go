package model

// Solving in fractions: --method exact, and the last resort of floating point.

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// methodExact solves in rational numbers.
const methodExact = "exact"

// solveExactly finds the answer in fractions. Exact arithmetic has nothing to
// show before its end, so where it ends early the bounds are those of a solve in
// floating point that ends at once.
func (s *solution) solveExactly(c *cli.Context, m ui.Method) error {
	table, err := s.model.GraphTable()
	if err == nil && !s.isByStep() {
		s.structure, err = structureOf(c.Context, table)
	}
	if err != nil {
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
	if s.model.IsUncertain() {
		err = s.playExactly(ctx, tolerance, begin)
		return ctx.Err() != nil, err
	}
	answer, err := s.exactAnswer(ctx, s.ordinary())
	if err != nil {
		return ctx.Err() != nil, err
	}
	return false, s.keepExact(answer, tolerance, time.Since(begin))
}

// exactAnswer answers the question about an ordinary model in fractions.
func (s *solution) exactAnswer(ctx context.Context, m *modelfile.Model) (*exact.Answer, error) {
	model, err := ui.Soon(ctx, 0, func() (*exact.Model, error) { return m.ExactAt(s.question.reward, s.question.rate) })
	if err != nil {
		return nil, err
	}
	q, err := s.question.inSteps(m)
	if err != nil {
		return nil, err
	}
	return ui.Soon(ctx, 0, func() (*exact.Answer, error) { return q.exactly(ctx, model, s.exactHorizon()) })
}

// errOpen says that fractions do not close an answer either.
var errOpen = errors.New("no proof in fractions")

// mostRounds is the number of nature's choices that are tried in fractions. Where gains differ
// they count as much as a number of steps of so many digits at first, and of more in each round.
const mostRounds, leastDigits = 20, 64

// playExactly goes on in fractions where floating point ended in a model with intervals: it
// solves the ordinary model of nature's choice for the values found, in turn, until they
// prove their bounds. A finite horizon is proved by an induction in fractions.
func (s *solution) playExactly(ctx context.Context, tolerance float64, begin time.Time) error {
	found, status := s.result, s.status
	for round := 0; round < mostRounds && found != nil; round++ {
		if found.Certificate != nil {
			fixed, err := certificate.ExactNature(s.model, s.result)
			if err != nil {
				break
			}
			answer, err := s.exactAnswer(ctx, fixed)
			if err != nil || s.keepExact(answer, tolerance, time.Since(begin)) != nil {
				break
			}
			if s.question.criterion == criterionAverage {
				s.result.Certificate = s.result.Certificate.Weighed(s.result, leastDigits<<min(round, 6))
			}
		}
		report, err := certificate.Check(ctx, s.model, s.result, certificate.Options{})
		if err != nil {
			break
		}
		if found.Certificate == nil && s.keepProved(report, tolerance, time.Since(begin)) || found.Certificate != nil && report.Verdict() == certificate.Holds {
			return nil
		}
	}
	s.result, s.status = found, status
	return errOpen
}

// keepProved moves bounds to those that a report proves, and says whether they have converged.
func (s *solution) keepProved(report *certificate.Report, tolerance float64, elapsed time.Duration) bool {
	r := *s.result
	r.Lower, r.Upper, r.Values = slices.Clone(r.Lower), slices.Clone(r.Upper), slices.Clone(r.Values)
	for state, best := range report.Optimum {
		own := report.Achieved[state]
		lower, upper := min(best.Lower, own.Lower), max(best.Upper, own.Upper)
		if !mdp.Within(lower, upper, 0, tolerance) {
			return false
		}
		r.Lower[state], r.Upper[state] = lower, upper
		r.Values[state] = min(max(r.Values[state], lower), upper)
	}
	s.status = mdp.Converged
	r.Status, r.Method, r.Seconds, r.Value = s.status.String(), methodExact, elapsed.Seconds(), r.Values[r.Initial]
	s.result = &r
	return true
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
	r.Tolerance = &tolerance
	s.keepPolicy(r, a.Policy)
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

// isUnproved reports whether the checker would leave an answer about a small model with
// intervals undecided: nature's choice, which follows from the values, may be another one.
func (s *solution) isUnproved(ctx context.Context) bool {
	if !s.model.IsUncertain() || s.model.NumTransitions() > resortTransitions || s.status != mdp.Converged || s.result.Certificate == nil {
		return false
	}
	report, err := certificate.Check(ctx, s.model, s.result, certificate.Options{})
	return err == nil && report.Verdict() != certificate.Holds
}

// resort solves once more in fractions where no method was asked for. Where it has no answer, it
// says why.
func (s *solution) resort(c *cli.Context, m ui.Method) error {
	if m.Name != ui.MethodAuto || !s.model.IsExact() && !s.model.IsUncertain() || s.model.NumTransitions() > resortTransitions {
		return errOpen
	}
	limit := resortTime
	if left := s.left(m.Settings.TimeLimit); left > 0 {
		limit = min(limit, left)
	}
	_, err := s.answerExactly(c.Context, limit, m.Settings.Tolerance)
	if err == nil {
		s.result.Choice = "float64 could not meet the tolerance"
	}
	return err
}
