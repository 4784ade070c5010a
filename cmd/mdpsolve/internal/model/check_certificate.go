package model

// How check judges claims: by the certificate of a result, or by one made for it.

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// check judges the claims by the certificate of the result. Where that leaves some
// undecided, or there is none, it makes one, and one in fractions where that does
// not do either: right answers of other programs may be closer to the optimum than
// floating point comes. The error is the end of the making, too, where there is a
// report without it.
func (k *checked) check(c *cli.Context) error {
	if len(k.missing) == 0 {
		if err := k.judge(c, certificate.Options{}); err != nil || !k.isUndecided() || k.result.Criterion == criterionFinite || k.result.Constraints != nil {
			return err
		}
	}
	err := k.judgeBy(c, ui.MethodAuto)
	isLeft := ui.IsUsage(err) || err == nil && k.isUndecided() // numbers may be beyond float64
	if !isLeft || !k.model.IsExact() || k.model.NumTransitions() > resortTransitions {
		return err
	}
	if limit := k.settings.TimeLimit; limit == 0 || limit > resortTime {
		k.settings.TimeLimit = resortTime
	}
	if k.judgeBy(c, methodExact) == nil {
		return nil
	}
	return cmp.Or(c.Err(), err)
}

// judgeBy has the claims judged by certificates that a method makes.
func (k *checked) judgeBy(c *cli.Context, name string) error {
	options, err := k.certify(c, name)
	if err != nil {
		return err
	}
	k.made = true
	return k.judge(c, options)
}

// judge has the claims judged.
func (k *checked) judge(c *cli.Context, options certificate.Options) error {
	ui.ProgressOf(c.Context).Phase("checking")
	options.Terminal = k.question.ending(k.model)
	report, err := ui.Soon(c.Context, 2*ui.Patience, func() (*certificate.Report, error) {
		return certificate.Check(c.Context, k.model, k.result, options)
	})
	if report == nil && c.Err() != nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted: no answer yet")
	}
	if report == nil {
		return fileFault(resultOperand, k.resultPath, err)
	}
	k.report = report
	return err
}

// isUndecided reports whether a claim that a certificate proves is undecided.
func (k *checked) isUndecided() bool {
	r := k.report
	return r.Bounds.Undecided+r.Values.Undecided+r.Policy.Undecided+r.Status.Undecided > 0
}

// certify makes certificates of the optimum, and of what the policy achieves, by a
// method. It completes a policy that has no action for some states.
func (k *checked) certify(c *cli.Context, by string) (certificate.Options, error) {
	var policy []int32 // that is claimed; nil for one that is none, which is refuted
	if k.result.Policy != nil {
		if _, err := k.model.Under(modelfile.NewPolicy(k.result.Policy)); err == nil {
			policy = k.result.Policy
		}
	}
	best, err := k.certificateFor(c, k.model, by, policy)
	if err != nil {
		return certificate.Options{}, err
	}
	for _, s := range k.missing {
		k.result.Policy[s] = best.Policy[s]
	}
	options := certificate.Options{Certificate: best.Certificate}
	if options.Certificate != nil {
		options.Certificate.Policy = best.Policy
	}
	if policy == nil || slices.Equal(policy, best.Policy) {
		return options, nil
	}
	chain, err := k.model.Under(modelfile.NewPolicy(policy)) // complete by now
	if err != nil {
		return options, err
	}
	own, err := k.certificateFor(c, chain, by, nil)
	if err != nil {
		return options, err
	}
	options.Achieved = own.Certificate
	return options, nil
}

// certificateFor makes a certificate for the answer about a model, by solving it from
// the values that are claimed and a policy, or none. It is that of the result, whose
// bounds it proves.
func (k *checked) certificateFor(c *cli.Context, model *modelfile.Model, by string, policy []int32) (*certificate.Result, error) {
	settings := k.settings
	settings.Tolerance = mdp.DefaultTolerance
	settings.Policy, settings.Values = policy, startValues(k.result)
	s := &solution{asked: asked{k.path, model, k.question}}
	if err := s.solve(c, ui.Method{Name: by, Settings: settings}); err != nil {
		return nil, err
	}
	if by == methodExact && s.result.Method != methodExact {
		return nil, context.DeadlineExceeded
	}
	return s.result, nil
}

// claimText says what is claimed of the initial state.
func (k *checked) claimText() string {
	r := k.result
	switch {
	case r.Constraints != nil:
		return fmt.Sprintf("%s from state %d, within %s: %s", ui.Interval(r.ValueBounds[0], r.ValueBounds[1]), r.Initial, ui.Count(len(r.Constraints), "limit"), r.Status)
	case r.Lower != nil:
		text := fmt.Sprintf("%s from state %d", ui.Interval(r.Lower[r.Initial], r.Upper[r.Initial]), r.Initial)
		if r.Status != "" {
			text += ": " + r.Status
		}
		return text
	case r.Values != nil:
		return fmt.Sprintf("%s from state %d", ui.ShortText(r.Value, -1), r.Initial)
	}
	return "the policy is optimal"
}
