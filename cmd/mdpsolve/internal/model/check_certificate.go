package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
	"github.com/mdpsolve/mdpsolve/mdp/verify"
)

// maker checks an answer, and makes the certificate that it lacks.
type maker struct {
	*checked
	question question
	missing  []int32      // states of which the policy says nothing
	settings mdp.Settings // to make a certificate with
}

// check judges the claims by the certificate of the result. Where that leaves some
// undecided, or there is none, it makes one, and one in fractions where that does
// not do either: right answers of other programs may be closer to the optimum than
// floating point comes. The error is the end of the making, too, where there is a
// report without it.
func (m *maker) check(c *cli.Context) error {
	if len(m.missing) == 0 {
		if err := m.judge(c, verify.Options{}); err != nil || !m.isUndecided() || m.result.Criterion == criterionFinite {
			return err
		}
	}
	err := m.judgeBy(c, ui.MethodAuto)
	isLeft := ui.IsUsage(err) || err == nil && m.isUndecided() // numbers may be beyond float64
	if !isLeft || !m.model.IsExact() || m.model.NumTransitions() > resortTransitions {
		return err
	}
	if limit := m.settings.TimeLimit; limit == 0 || limit > resortTime {
		m.settings.TimeLimit = resortTime
	}
	if m.judgeBy(c, methodExact) == nil {
		return nil
	}
	return cmp.Or(c.Err(), err)
}

// judgeBy has the claims judged by certificates that a method makes.
func (m *maker) judgeBy(c *cli.Context, name string) error {
	options, err := m.certify(c, name)
	if err != nil {
		return err
	}
	m.made = true
	return m.judge(c, options)
}

// judge has the claims judged.
func (m *maker) judge(c *cli.Context, options verify.Options) error {
	report, err := verify.Check(c.Context, m.model, m.result, options)
	if report == nil {
		return fileFault(resultOperand, m.resultPath, err)
	}
	m.report = report
	return err
}

// isUndecided reports whether a claim that a certificate proves is undecided.
func (m *maker) isUndecided() bool {
	r := m.report
	return r.Bounds.Undecided+r.Values.Undecided+r.Policy.Undecided+r.Status.Undecided > 0
}

// certify makes certificates of the optimum, and of what the policy achieves, by a
// method. It completes a policy that says nothing of some states.
func (m *maker) certify(c *cli.Context, by string) (verify.Options, error) {
	first := start{values: startValues(m.result)}
	if m.result.Policy != nil {
		if _, err := m.model.Under(mdpio.NewPolicy(m.result.Policy)); err == nil {
			first.policy = m.result.Policy
		}
	}
	best, err := m.certificateFor(c, m.model, by, first)
	if err != nil {
		return verify.Options{}, err
	}
	for _, s := range m.missing {
		m.result.Policy[s] = best.Policy[s]
	}
	options := verify.Options{Certificate: best.Certificate}
	if options.Certificate != nil {
		options.Certificate.Policy = best.Policy
	}
	if first.policy == nil || slices.Equal(first.policy, best.Policy) { // a policy that is none is refuted
		return options, nil
	}
	chain, err := m.model.Under(mdpio.NewPolicy(first.policy))
	if err != nil {
		return options, err
	}
	own, err := m.certificateFor(c, chain, by, start{values: startValues(m.result)})
	if err != nil {
		return options, err
	}
	options.Achieved = own.Certificate
	return options, nil
}

// start is what a solve begins with; nil for nothing.
type start struct {
	policy []int32
	values []float64
}

// certificateFor makes a certificate for the answer about a model, by solving it. It
// is that of the result, whose bounds it proves.
func (m *maker) certificateFor(c *cli.Context, model *mdpio.Model, by string, from start) (*mdpio.Result, error) {
	settings := m.settings
	settings.Tolerance = mdp.DefaultTolerance
	settings.Policy, settings.Values = from.policy, from.values
	s := &solution{path: m.path, model: model, question: m.question}
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
	case r.Lower != nil:
		text := fmt.Sprintf("between %s and %s from state %d", exactOrInfinite(r.Lower[r.Initial]), exactOrInfinite(r.Upper[r.Initial]), r.Initial)
		if r.Status != "" {
			text += ": " + r.Status
		}
		return text
	case r.Values != nil:
		return fmt.Sprintf("%s from state %d", exactOrInfinite(r.Value), r.Initial)
	}
	return "a policy that none is better than"
}
