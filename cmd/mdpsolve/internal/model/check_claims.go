package model

// What check judges: the claims of a result, or of a policy or values from elsewhere.

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// readClaims reads what is claimed, and of which model: that in the file or, with
// --policy, the chain of a policy.
func readClaims(a *ui.Arguments, k *checked) {
	found := load(a, resultOperand, k.resultPath, func() (*certificate.Answer, error) { return certificate.ReadAnswerFile(k.resultPath, k.claim.Model) })
	var given *readPolicy
	if path := a.CLI.String("policy"); a.CLI.IsSet("policy") {
		given, k.claim.Model = readGiven(a, path, k.claim.Model)
		k.claim.Policy = &given.policy
	}
	if found.Result != nil {
		readOwnClaims(a, k, found.Result, given)
	} else {
		readForeignClaims(a, k, found, given)
	}
}

// readOwnClaims takes the claims of a result, which says its question itself.
func readOwnClaims(a *ui.Arguments, k *checked, r *certificate.Result, given *readPolicy) {
	for _, flag := range append(questionFlags(""), ui.ValueFlag("tolerance", "", "")) {
		if name := flag.Names()[0]; a.CLI.IsSet(name) {
			a.Fault(name, "not valid with a result, because a result states its own question: use it with CSV files and schedulers")
		}
	}
	k.claim.Result = r
	switch {
	case r.Constraints != nil && k.claim.Policy != nil:
		a.Fault("policy", "not valid with a result within limits, which has its own policies: leave it out")
	case r.Constraints != nil && !k.claim.Model.IsExact():
		k.claim.Model = readModel(a, true)
	case r.Values == nil && r.Lower == nil && r.Policy == nil && r.Constraints == nil:
		a.Fail(ui.UsageErrorf("%s: %q claims nothing: use a result with values, with lower and upper, or with a policy", resultOperand, k.resultPath))
	case r.Evaluated && k.claim.Policy == nil && r.Policy == nil:
		a.Fail(ui.UsageErrorf("%s: %q has the value of a randomised policy, but not the policy: give its file with --policy", resultOperand, k.resultPath))
	}
	if given != nil {
		given.checkSteps(a, k.claim.Model, r.Question)
	}
	k.about(a)
	if r.Property != "" && k.NeedsDigits() {
		k.claim.Model = readModel(a, true)
		k.about(a)
	}
}

// about finds the question, and the model that the claims are about.
func (k *checked) about(a *ui.Arguments) {
	found, r, err := k.claim.Result.About(k.claim.Model, k.claim.Policy)
	a.Fail(fileFault(resultOperand, k.resultPath, err))
	k.asked, k.result = asked{path: k.path, Asked: found, ofPolicy: r.Evaluated}, r
}

// readForeignClaims takes a policy, or values, from another program as claims. The flags state
// the question that they answer. given is the policy of --policy, nil for none.
func readForeignClaims(a *ui.Arguments, k *checked, found *certificate.Answer, given *readPolicy) {
	q := readQuestion(a, false)
	if given != nil {
		if given.checkSteps(a, k.claim.Model, q); given.policy.Steps == nil { // the claim is about its chain
			k.claim.Model, k.claim.Policy = under(a, given.path, given.policy, k.claim.Model), nil
		}
	}
	checkUncertainty(a, k.claim.Model)
	now, err := q.On(k.claim.Model)
	a.Fail(questionFault(err))
	tolerance := claimTolerance(a)
	if given != nil && found.Values == nil {
		a.Fault("policy", "not valid here, because RESULT has no values: use a RESULT with the values of the policy")
	}
	if found.FirstStep && !q.HasSteps() {
		a.Fail(ui.UsageErrorf("%s: %q is about the first step of a finite horizon: use --criterion %s", resultOperand, k.resultPath, question.Finite))
	}
	r := &certificate.Result{Question: now.Question, Initial: int(k.claim.Model.Initial[0]), Tolerance: &tolerance, Values: found.Values}
	if r.Values != nil {
		r.Value = r.Values[r.Initial]
	}
	k.claim.Result = r
	if found.Policy != nil {
		claimed := &readPolicy{resultOperand, k.resultPath, *found.Policy, found.Missing}
		claimed.checkSteps(a, k.claim.Model, q)
		if given == nil {
			k.claimPolicy(a, claimed, now)
		}
	}
	k.about(a)
}

// claimPolicy makes the claim that a policy is optimal. The policy need not have actions for
// states that it never reaches.
func (k *checked) claimPolicy(a *ui.Arguments, claimed *readPolicy, now *question.Asked) {
	if k.claim.Missing = claimed.missing; len(claimed.missing) > 0 {
		chain, err := k.claim.Model.Under(claimed.policy)
		a.Fail(claimed.fault(err))
		ends := now.Ends
		if now.HasSteps() { // the policy is that of the first step
			ends = chain.Initial
		}
		a.Fail(claimed.fault(answer.Covers(claimed.missing, chain, ends, now.Ends)))
		claimed.warnMissing(a, chain, "best")
	}
	if claimed.policy.NumRandomized() > 0 && !k.claim.Model.IsExact() {
		k.claim.Model = readModel(a, true)
	}
	more, own, err := k.claim.Model.With(claimed.policy)
	a.Fail(claimed.fault(err))
	k.claim.Model = more
	k.claim.Result.KeepPolicy(own)
}

// claimTolerance reads --tolerance: how far values or a policy may be from the optimum.
func claimTolerance(a *ui.Arguments) float64 {
	const allowed = "a number from 0 and below 1"
	return a.Parse("tolerance", a.Text("tolerance", allowed), allowed, func(x float64) bool { return x >= 0 && x < 1 })
}

// judge has the claims judged.
func (k *checked) judge(c *cli.Context, settings answer.Settings) error {
	type judged struct {
		report *certificate.Report
		made   bool
	}
	found, err := soon.Do(c.Context, 2*ui.Patience, func() (j judged, err error) {
		j.report, j.made, err = answer.Judge(c.Context, k.claim, settings)
		return j, err
	})
	if k.report, k.made = found.report, found.made; k.report != nil {
		return err
	}
	if c.Err() != nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted: no answer yet")
	}
	return fileFault(resultOperand, k.resultPath, err)
}

// claimText says what is claimed of the initial state.
func (k *checked) claimText() string {
	r := k.result
	switch {
	case r.Constraints != nil:
		return fmt.Sprintf("%s from state %d, within %s: %s", ui.Interval(r.ValueBounds[0], r.ValueBounds[1]), r.Initial, wording.Count(len(r.Constraints), "limit"), r.Status)
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
