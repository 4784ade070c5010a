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

// Claim is a result to be judged.
type Claim struct {
	Model   *modelfile.Model
	Result  *certificate.Result
	Policy  *mdp.Policy // whose value Result claims; nil if Result holds this policy, or claims the optimum
	Missing []int32     // states without a claimed action: Judge fills in an optimal one
}

// Judge judges the claims of a result by its certificate: see [certificate.Check]. If that leaves
// claims undecided, Judge solves the model to make a certificate; made reports that it did. If claims
// are still undecided and the model is small and exact, it solves in fractions: a correct value from
// another program may be closer to the optimum than bounds in floating point. If making a certificate
// fails or ends early, the error comes with the report made without it; nil if there is no such report.
func Judge(ctx context.Context, c Claim, settings Settings) (report *certificate.Report, made bool, err error) {
	j := &judge{Claim: c, settings: settings}
	if j.asked, j.claimed, err = c.Result.About(c.Model, c.Policy); err != nil {
		return nil, false, err
	}
	err = j.judge(ctx)
	return j.report, j.made, err
}

// judge is one call of Judge.
type judge struct {
	Claim
	asked    *question.Asked     // about the model that the claims are about
	claimed  *certificate.Result // Result, restated for that model
	settings Settings
	report   *certificate.Report
	made     bool
}

func (j *judge) judge(ctx context.Context) error {
	if len(j.Missing) == 0 {
		if err := j.by(ctx, certificate.Options{}); err != nil || !j.isUndecided() || j.asked.HasSteps() || j.asked.Constraints != nil {
			return err
		}
	}
	err := j.bySolving(ctx)
	isLeft := err == nil && j.isUndecided() || err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) // numbers may be beyond float64
	if !isLeft || !j.asked.Model.HasAllDigits() || j.asked.Model.NumTransitions() > resortTransitions {
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

// bySolving judges the claims by certificates that it makes by solving.
func (j *judge) bySolving(ctx context.Context) error {
	options, err := j.certify(ctx)
	if err != nil {
		return err
	}
	j.made = true
	return j.by(ctx, options)
}

// by judges the claims.
func (j *judge) by(ctx context.Context, options certificate.Options) error {
	j.settings.phase("checking")
	options.Policy = j.Policy
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

// certify makes certificates of the optimum, and of the value of the claimed policy. It fills in
// the missing actions of that policy.
func (j *judge) certify(ctx context.Context) (certificate.Options, error) {
	var policy []int32 // the claimed one; nil if it does not fit the model, which refutes it
	if j.claimed.Policy != nil {
		if _, err := j.asked.Model.Under(mdp.Policy{Actions: j.claimed.Policy}); err == nil {
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
	chain, err := j.asked.Model.Under(mdp.Policy{Actions: policy}) // complete by now
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

// certificateFor solves a model, starting from the claimed values and from a policy, if any. The
// result has a certificate of its bounds.
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

// StartValues returns the values with which a solve can start from a result: for an average the
// relative values, otherwise Values. It is nil if one is infinite, or the result has none.
func StartValues(r *certificate.Result) []float64 {
	values := r.Values
	if r.HasGain() {
		values = r.Relative
	}
	if slices.ContainsFunc(values, func(x float64) bool { return math.IsInf(x, 0) }) {
		return nil
	}
	return values
}
