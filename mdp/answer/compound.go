package answer

// This file answers properties that are computed from the answers to several questions.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// severalQuestions is the name of the method of a compound property.
const severalQuestions = "several questions"

// combine answers a property of the criterion Compound. Its status is that of the first question
// that has not converged.
func (a *Answer) combine(ctx context.Context) error {
	if a.settings.Method != 0 {
		return fmt.Errorf("answer: %w: the property is answered by several questions, each by a method of its own", mdp.ErrUnsupported)
	}
	found, err := a.evaluate(ctx, a.settings)
	_, isOpen := errors.AsType[*property.UndecidedError](err)
	isOpen = isOpen || err == nil && found.IsOpen
	if isOpen && !a.settings.Exactly && a.Model.IsExact() && a.Model.NumTransitions() <= resortTransitions {
		settings := a.settings
		settings.Exactly = true
		if limit := a.left(settings.TimeLimit); limit == 0 || limit > resortTime {
			settings.TimeLimit = resortTime
		}
		if again, late := a.evaluate(ctx, settings); late == nil {
			found, err = again, nil
		}
	}
	if err != nil {
		return err
	}
	r := a.blank()
	a.Result, a.Status = r, found.status
	for s := range r.Values {
		lower, upper := found.Lower[s]+0, found.Upper[s]+0 // not −0
		r.Lower[s], r.Upper[s] = lower, upper
		switch middle := lower + (upper-lower)/2; {
		case found.IsRange, math.IsInf(lower, 0), math.IsInf(upper, 0), lower == upper:
			r.Values[s] = lower
		default:
			r.Values[s] = min(max(middle, lower), upper)
		}
	}
	if a.settings.Exactly && found.Exact != nil {
		r.Exact = found.Exact
		for s, x := range r.Exact {
			if x != nil {
				r.Values[s], _ = x.Float64()
			}
		}
	}
	if found.IsTruth {
		r.Answer = "yes"
		for _, s := range a.Model.Initial {
			switch {
			case r.Upper[s] == 0:
				r.Answer = "no"
			case r.Lower[s] == 0 && r.Answer == "yes":
				r.Answer = property.Undecided
			}
		}
	}
	r.Questions, r.Method, r.Iterations = found.Questions, severalQuestions, found.iterations
	r.Status, r.Seconds, r.Tolerance = found.status.String(), time.Since(a.begin).Seconds(), &a.settings.Tolerance
	r.Value = r.Values[r.Initial]
	return nil
}

// evaluated are the values of a compound property, and how its questions were answered.
type evaluated struct {
	*property.Values
	status     mdp.Status
	iterations int
}

// evaluate evaluates a compound property.
func (a *Answer) evaluate(ctx context.Context, settings Settings) (*evaluated, error) {
	settings.Steps, settings.Policy, settings.Values = false, nil, nil
	e := &evaluated{status: mdp.Converged}
	begun := *a // the time limit is for all questions together
	begun.begin = time.Now()
	ask := func(q *property.Question) (lower, upper []float64, exact []*big.Rat, err error) {
		own := settings
		own.Tolerance = max(settings.Tolerance/2, 1e-15) // an interval of time has two stages, whose errors add up
		own.TimeLimit = begun.left(settings.TimeLimit)
		inner := begin(question.OfStated(q, a.Parsed), own)
		if err := inner.find(ctx); err != nil {
			return nil, nil, nil, err
		}
		decides := func() bool { return q.Decides(inner.Result.Lower, inner.Result.Upper, inner.Result.Exact) }
		if q.HasThreshold() && !decides() {
			_ = inner.resort(ctx) // if it fails, the bounds remain
		}
		r := inner.Result
		if e.iterations += r.Iterations; e.status == mdp.Converged && !decides() {
			e.status = inner.Status
		}
		return r.Lower, r.Upper, r.Exact, nil
	}
	var err error
	e.Values, err = a.Parsed.Evaluate(a.Model, ask)
	return e, err
}
