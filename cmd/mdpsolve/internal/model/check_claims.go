package model

import (
	"errors"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// readClaims reads what is claimed, and of which model: that in the file or, with
// --policy, the chain of a policy.
func readClaims(a *ui.Arguments, made *maker) {
	k := made.checked
	answer := readAnswer(a, k.resultPath, k.model)
	var given *mdpio.Policy
	if path := a.CLI.String("policy"); a.CLI.IsSet("policy") {
		given = readPolicy(a, path, k.model)
		if given.NumRandomized() > 0 && !k.model.IsExact() {
			k.model = readModel(a, true)
		}
		k.model = chainUnder(a, path, given, k.model)
	}
	if answer.Result != nil {
		readOwnClaims(a, made, answer.Result, given != nil)
		return
	}
	readForeignClaims(a, made, answer, given != nil)
}

// readAnswer reads what is to be judged.
func readAnswer(a *ui.Arguments, path string, m *mdpio.Model) *mdpio.Answer {
	answer, err := interruptible(a.CLI.Context, func() (*mdpio.Answer, error) { return mdpio.ReadAnswerFile(path, m) })
	if err != nil {
		a.Fail(answerFault(resultOperand, path, err))
	}
	return answer
}

// answerFault words what keeps an answer from being read.
func answerFault(operand, path string, err error) error {
	if errors.Is(err, mdpio.ErrFormat) {
		return ui.UsageErrorf("%s: %q found; a name that ends in .json, .csv, .json.gz or .csv.gz is allowed", operand, path)
	}
	return fileFault(operand, path, err)
}

// readOwnClaims takes the claims of a result, which says its question itself.
func readOwnClaims(a *ui.Arguments, made *maker, r *mdpio.Result, evaluated bool) {
	for _, flag := range append(questionFlags(), ui.ValueFlag("tolerance", "", "")) {
		if name := flag.Names()[0]; a.CLI.IsSet(name) {
			a.Fault(name, "found with a result, which says its question itself; it is allowed with CSV files and schedulers")
		}
	}
	if r.Values == nil && r.Lower == nil && r.Policy == nil {
		a.Fail(ui.UsageErrorf("%s: %q found, which claims nothing; a result with values, with lower and upper, or with a policy is allowed", resultOperand, made.resultPath))
		return
	}
	if evaluated {
		only := *r // of the actions that the chain has
		only.Policy = make([]int32, made.model.NumStates())
		r = &only
	}
	made.result, made.question = r, questionOf(r, made.model)
}

// questionOf returns what a result answers.
func questionOf(r *mdpio.Result, m *mdpio.Model) question {
	q := question{
		criterion: r.Criterion, discount: r.Discount, exactDiscount: r.ExactDiscount,
		target: r.Target, horizon: r.Horizon, reward: r.Reward,
	}
	if q.exactDiscount == nil {
		q.exactDiscount = fraction(ui.ExactText(r.Discount))
	}
	if r.Sense == mdp.Maximize.String() {
		q.sense = mdp.Maximize
	}
	if reward, err := m.Reward(r.Reward); err == nil {
		q.reward = reward.Name
	}
	return q
}

// readForeignClaims makes claims of a policy, or of values, to the question that the
// flags ask.
func readForeignClaims(a *ui.Arguments, made *maker, answer *mdpio.Answer, evaluated bool) {
	q := readQuestion(a)
	checkQuestion(a, &q, made.model)
	tolerance := claimTolerance(a)
	if evaluated && answer.Values == nil {
		a.Fault("policy", "found with a RESULT without values; one with values, which are those of the policy, is allowed")
		return
	}
	r := &mdpio.Result{
		Criterion: q.criterion, Sense: q.sense.String(), Reward: q.reward, Target: q.target,
		Discount: q.discount, ExactDiscount: q.writtenDiscount(), Horizon: q.horizon,
		Tolerance: tolerance, ZeroTolerance: tolerance == 0,
		Initial: int(made.model.Initial[0]), Values: answer.Values,
	}
	if r.Values != nil {
		r.Value = r.Values[r.Initial]
	}
	made.result, made.question = r, q
	if answer.Policy == nil || evaluated {
		return
	}
	made.missing = answer.Policy.Missing
	checkClaimCoverage(a, made, answer.Policy, q)
	if answer.Policy.NumRandomized() > 0 && !made.model.IsExact() {
		made.model = readModel(a, true)
	}
	more, actions, err := made.model.With(answer.Policy)
	if err != nil {
		a.Fail(fileFault(resultOperand, made.resultPath, err))
		return
	}
	made.model, r.Policy = more, actions
	if len(made.missing) > 0 {
		a.Warn("%s: no action for %s that the policy does not come to, such as state %s: the best is taken",
			wording.Short(made.resultPath), ui.Count(len(made.missing), "state"), stateName(more, int(made.missing[0])))
	}
}

// checkClaimCoverage refuses a policy that does not say what to do in a state that it
// comes to; for a finite horizon it is that of the first step.
func checkClaimCoverage(a *ui.Arguments, made *maker, p *mdpio.Policy, q question) {
	if len(p.Missing) == 0 {
		return
	}
	chain, err := made.model.Under(p)
	if err != nil {
		a.Fail(fileFault(resultOperand, made.resultPath, err))
		return
	}
	target := q.targetOf(chain)
	ends := target
	if q.criterion == criterionFinite {
		ends = chain.Initial
	}
	if s := missed(chain, p, ends, target); s >= 0 {
		a.Fail(ui.UsageErrorf("%s: %q found, without an action for state %s, which it comes to; an action there is allowed",
			resultOperand, made.resultPath, stateName(chain, s)))
	}
}

// claimTolerance reads how close to the best values and policies are claimed to
// be.
func claimTolerance(a *ui.Arguments) float64 {
	const allowed = "a number from 0 and below 1"
	return a.Parse("tolerance", a.Text("tolerance", allowed), allowed, func(x float64) bool { return x >= 0 && x < 1 })
}
