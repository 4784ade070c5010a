package answer

// This file checks results, and makes certificates for those that have none.

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Claim is a result that is to be judged.
type Claim struct {
	Model    *modelfile.Model
	Result   *certificate.Result
	Policies []*modelfile.Policy // of which it has the value, if it does not have them itself
	Missing  []int32             // states for which the claimed policy has no action, which Judge completes
}

// Judge judges the claims by the certificate of the result: see [certificate.Check]. Where that
// leaves some undecided, or there is none, it makes one, and one in fractions where that does
// not do either: right answers of other programs may be closer to the optimum than
// floating point comes. It says whether the certificate was made. The error is the end of the
// making, too, where there is a report without it.
func Judge(ctx context.Context, c Claim, settings Settings) (report *certificate.Report, made bool, err error) {
	j := &judge{Claim: c, settings: settings}
	if j.asked, j.claimed, err = c.Result.About(c.Model, c.Policies); err != nil {
		return nil, false, err
	}
	err = j.judge(ctx)
	return j.report, j.made, err
}

// judge is one call of Judge.
type judge struct {
	Claim
	asked    *question.Asked     // in the model where the claims are about
	claimed  *certificate.Result // in its terms
	settings Settings
	report   *certificate.Report
	made     bool
}

func (j *judge) judge(ctx context.Context) error {
	if len(j.Missing) == 0 {
		if err := j.by(ctx, certificate.Options{}); err != nil || !j.isUndecided() || j.asked.Criterion == question.Finite || j.asked.Constraints != nil {
			return err
		}
	}
	err := j.bySolving(ctx)
	isLeft := err == nil && j.isUndecided() || err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) // numbers may be beyond float64
	if !isLeft || !j.asked.Model.IsExact() || j.asked.Model.NumTransitions() > resortTransitions {
		return err
	}
	j.settings.Exactly = true
	if limit := j.settings.TimeLimit; limit == 0 || limit > resortTime {
		j.settings.TimeLimit = resortTime
	}
	if j.bySolving(ctx) == nil {
		return nil
	}
	return cmp.Or(ctx.Err(), err)
}

// bySolving has the claims judged by certificates that a solve makes.
func (j *judge) bySolving(ctx context.Context) error {
	options, err := j.certify(ctx)
	if err != nil {
		return err
	}
	j.made = true
	return j.by(ctx, options)
}

// by has the claims judged.
func (j *judge) by(ctx context.Context, options certificate.Options) error {
	j.settings.phase("checking")
	options.Policies = j.Policies
	report, err := certificate.Check(ctx, j.Model, j.Result, options)
	if report != nil {
		j.report = report
	}
	return err
}

// isUndecided reports whether a claim that a certificate proves is undecided.
func (j *judge) isUndecided() bool {
	r := j.report
	return r.Bounds.Undecided+r.Values.Undecided+r.Policy.Undecided+r.Status.Undecided > 0
}

// certify makes certificates of the optimum, and of what the policy achieves. It completes a
// policy that has no action for some states.
func (j *judge) certify(ctx context.Context) (certificate.Options, error) {
	var policy []int32 // that is claimed; nil for one that is none, which is refuted
	if j.claimed.Policy != nil {
		if _, err := j.asked.Model.Under(modelfile.NewPolicy(j.claimed.Policy)); err == nil {
			policy = j.claimed.Policy
		}
	}
	best, err := j.certificateFor(ctx, j.asked.Model, policy)
	if err != nil {
		return certificate.Options{}, err
	}
	for _, s := range j.Missing {
		j.claimed.Policy[s] = best.Policy[s]
	}
	options := certificate.Options{Certificate: best.Certificate}
	if options.Certificate != nil {
		options.Certificate.Policy = best.Policy
	}
	if policy == nil || slices.Equal(policy, best.Policy) {
		return options, nil
	}
	chain, err := j.asked.Model.Under(modelfile.NewPolicy(policy)) // complete by now
	if err != nil {
		return options, err
	}
	own, err := j.certificateFor(ctx, chain, nil)
	if err != nil {
		return options, err
	}
	options.Achieved = own.Certificate
	return options, nil
}

// certificateFor makes a certificate for the answer about a model, by solving it from
// the values that are claimed and a policy, or none. It is that of the result, whose
// bounds it proves.
func (j *judge) certificateFor(ctx context.Context, model *modelfile.Model, policy []int32) (*certificate.Result, error) {
	settings := j.settings
	settings.Tolerance = mdp.DefaultTolerance
	settings.Policy, settings.Values = policy, StartValues(j.claimed)
	found, err := Solve(ctx, j.asked.In(model), settings)
	if err != nil {
		return nil, err
	}
	if settings.Exactly && found.Result.Method != exactly {
		return nil, context.DeadlineExceeded
	}
	return found.Result, nil
}

// StartValues returns the values of a result that a solve can begin with, relative
// ones for an average; nil where one is infinite.
func StartValues(r *certificate.Result) []float64 {
	values := r.Values
	if r.Criterion == question.Average {
		values = r.Relative
	}
	if slices.ContainsFunc(values, func(x float64) bool { return math.IsInf(x, 0) }) {
		return nil
	}
	return values
}
