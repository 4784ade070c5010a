package answer

// This file solves in fractions: where that is asked for, and as the last resort of floating
// point.

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// solveExactly finds the answer in fractions. A solve in fractions has no bounds before it ends. So if
// time runs out, the bounds are those of a solve in floating point that stops at once.
func (a *Answer) solveExactly(ctx context.Context) error {
	graph, err := a.Model.GraphTable()
	if err != nil {
		return &ModelError{err}
	}
	if err := a.classify(ctx, graph); err != nil {
		return err
	}
	late, err := a.inFractions(ctx, a.left(a.settings.TimeLimit))
	if late {
		a.settings.TimeLimit = 1
		return a.solveNumerically(ctx)
	}
	return err
}

// inFractions solves in fractions, within a time limit; 0 stands for none. late says whether the
// limit or the context ended the solve.
func (a *Answer) inFractions(ctx context.Context, limit time.Duration) (late bool, err error) {
	begin := time.Now()
	ctx, stop := soon.Within(ctx, limit)
	defer stop()
	a.settings.phase("solving in fractions")
	if a.Model.IsUncertain() {
		err = a.playExactly(ctx, begin)
		return ctx.Err() != nil, err
	}
	found, err := a.exactAnswer(ctx, a.Model)
	if err != nil {
		return ctx.Err() != nil, err
	}
	return false, a.keepExact(found, time.Since(begin))
}

// exactAnswer answers the question about an ordinary model in fractions.
func (a *Answer) exactAnswer(ctx context.Context, m *modelfile.Model) (*exact.Answer, error) {
	return soon.Do(ctx, 0, func() (*exact.Answer, error) {
		model, err := m.ExactAt(a.Reward, a.DiscountRate())
		if err != nil {
			return nil, &ModelError{err}
		}
		return a.In(m).Exactly(ctx, model, a.exactHorizon())
	})
}

// exactly is the word for solutions in fractions.
const exactly = "exact"

// errOpen says that fractions prove no answer, either.
var errOpen = errors.New("no proof in fractions")

// mostRounds bounds how many of nature's choices are tried in fractions. leastDigits is the number of
// binary digits by which gains outweigh relative values in the first round (see
// [certificate.Certificate.Weighed]); this number doubles in each of the next six rounds.
const mostRounds, leastDigits = 20, 64

// playExactly goes on in fractions where floating point ended in a model with intervals. In each
// round it fixes nature's choice for the present values and solves the ordinary model that results,
// until a check proves the bounds. For a finite horizon, the backward induction of the check gives
// the bounds.
func (a *Answer) playExactly(ctx context.Context, begin time.Time) error {
	found, status := a.Result, a.Status
	for round := 0; round < mostRounds && found != nil; round++ {
		if found.Certificate != nil {
			fixed, err := certificate.ExactNature(a.Model, a.Result)
			if err != nil {
				break
			}
			answer, err := a.exactAnswer(ctx, fixed)
			if err != nil || a.keepExact(answer, time.Since(begin)) != nil {
				break
			}
			if a.HasGain() {
				a.Result.Certificate = a.Result.Certificate.Weighed(a.Result, leastDigits<<min(round, 6))
			}
		}
		report, err := certificate.Check(ctx, a.Model, a.Result, certificate.Options{})
		if err != nil {
			break
		}
		if found.Certificate == nil && a.keepProved(report, time.Since(begin)) || found.Certificate != nil && report.Verdict() == certificate.Holds {
			return nil
		}
	}
	a.Result, a.Status = found, status
	return errOpen
}

// keepProved moves bounds to those that a report proves, and says whether they have converged.
func (a *Answer) keepProved(report *certificate.Report, elapsed time.Duration) bool {
	r := *a.Result
	r.Lower, r.Upper, r.Values = slices.Clone(r.Lower), slices.Clone(r.Upper), slices.Clone(r.Values)
	for state, best := range report.Optimum {
		own := report.Achieved[state]
		lower, upper := min(best.Lower, own.Lower), max(best.Upper, own.Upper)
		if !mdp.Within(lower, upper, 0, a.settings.Tolerance) {
			return false
		}
		r.Lower[state], r.Upper[state] = lower, upper
		r.Values[state] = min(max(r.Values[state], lower), upper)
	}
	a.Result = &r
	a.end(mdp.Converged)
	r.Method, r.Seconds, r.Value = exactly, elapsed.Seconds(), r.Values[r.Initial]
	return true
}

// keepExact turns an exact answer into a result. It fails if a value is beyond the range of float64.
// The bounds are the float64 numbers next to each value. They may be farther apart than the tolerance:
// if the tolerance is less than the rounding, or if the value is tiny.
func (a *Answer) keepExact(found *exact.Answer, elapsed time.Duration) error {
	for _, x := range found.Values {
		if x.Infinity() == 0 && math.IsInf(x.Float64(), 0) {
			return mdp.ErrOverflow
		}
	}
	r := a.blank()
	proof := certificate.CertificateOfExact(found)
	values := proof.Lower.Value
	if a.HasGain() {
		values = proof.Lower.Gain
	}
	status := mdp.Converged
	r.Values, r.Exact = values.High, values.Exact
	for state, x := range found.Values {
		r.Lower[state], r.Upper[state] = x.Bounds()
		if !mdp.Within(r.Lower[state], r.Upper[state], 0, a.settings.Tolerance) {
			status = mdp.PrecisionLimit
		}
	}
	r.Method, r.Iterations, r.Seconds, r.Tolerance = exactly, found.Iterations, elapsed.Seconds(), &a.settings.Tolerance
	if !a.HasSteps() {
		r.Certificate = proof
	}
	var relative []float64
	for _, x := range found.Relative {
		relative = append(relative, x.Float64())
	}
	r.Relative = a.relativeValues(relative)
	r.Value = r.Values[r.Initial]
	a.Result, a.numeric, a.fractions = r, nil, found
	a.end(status)
	a.keepPolicy(found.Policy)
	return nil
}

// Where float64 is not precise enough, a model of at most resortTransitions transitions is solved in
// fractions, for at most resortTime.
const (
	resortTransitions = 4096
	resortTime        = 5 * time.Second
)

// isUnproved reports whether the checker would not confirm an answer about a small model with
// intervals. The checker derives nature's choice from the rounded values, so this choice may differ
// from the solver's.
func (a *Answer) isUnproved(ctx context.Context) bool {
	if !a.Model.IsUncertain() || a.Model.NumTransitions() > resortTransitions || a.Status != mdp.Converged || a.Result.Certificate == nil {
		return false
	}
	report, err := certificate.Check(ctx, a.Model, a.Result, certificate.Options{})
	return err == nil && report.Verdict() != certificate.Holds
}

// resort solves a small model once more, in fractions, unless a method was asked for. The error
// says why there is no answer.
func (a *Answer) resort(ctx context.Context) error {
	if a.settings.Exactly || a.settings.Method != 0 || !a.Model.HasAllDigits() && !a.Model.IsUncertain() || a.Model.NumTransitions() > resortTransitions {
		return errOpen
	}
	limit := resortTime
	if left := a.left(a.settings.TimeLimit); left > 0 {
		limit = min(limit, left)
	}
	_, err := a.inFractions(ctx, limit)
	if err == nil {
		a.Result.Choice = "float64 could not meet the tolerance"
	}
	return err
}
