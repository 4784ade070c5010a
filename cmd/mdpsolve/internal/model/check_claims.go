package model

// What check judges: the claims of a result, or of a policy or values from elsewhere.

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

// readClaims reads what is claimed, and of which model: that in the file or, with
// --policy, the chain of a policy.
func readClaims(a *ui.Arguments, k *checked) {
	answer := load(a, resultOperand, k.resultPath, func() (*certificate.Answer, error) { return certificate.ReadAnswerFile(k.resultPath, k.model) })
	evaluated, r := a.CLI.IsSet("policy"), answer.Result
	switch {
	case evaluated:
		steps, whole, chain := readUnder(a, a.CLI.String("policy"), k.model)
		if k.model = chain; len(steps) > 1 {
			k.model, k.steps = whole, steps
		}
	case r != nil && r.Evaluated && r.Policies != nil: // about the whole model
	case r != nil && r.Evaluated && r.Policy == nil:
		a.Fail(ui.UsageErrorf("%s: %q has the value of a randomised policy, but not the policy: give its file with --policy", resultOperand, k.resultPath))
	case r != nil && r.Evaluated:
		evaluated = true
		k.model = load(a, resultOperand, k.resultPath, func() (*modelfile.Model, error) { return k.model.Under(modelfile.NewPolicy(r.Policy)) })
	}
	if r != nil {
		readOwnClaims(a, k, r, evaluated)
	} else {
		readForeignClaims(a, k, answer, evaluated)
	}
}

// readOwnClaims takes the claims of a result, which says its question itself. That of an
// evaluated policy is about its chain, which has one action in each state.
func readOwnClaims(a *ui.Arguments, k *checked, r *certificate.Result, evaluated bool) {
	for _, flag := range append(questionFlags(""), ui.ValueFlag("tolerance", "", "")) {
		if name := flag.Names()[0]; a.CLI.IsSet(name) {
			a.Fault(name, "not valid with a result, because a result states its own question: use it with CSV files and schedulers")
		}
	}
	if r.Constraints != nil && !k.model.IsExact() {
		k.model = readModel(a, true)
	}
	if r.Values == nil && r.Lower == nil && r.Policy == nil && r.Constraints == nil {
		a.Fail(ui.UsageErrorf("%s: %q claims nothing: use a result with values, with lower and upper, or with a policy", resultOperand, k.resultPath))
	}
	checkSteps(a, "--policy", a.CLI.String("policy"), k.steps, k.model, r.Criterion, r.Steps())
	if evaluated {
		only := *r
		only.Policy, only.Policies = k.evaluated()
		only.Evaluated = only.Evaluated || only.Policies != nil
		r = &only
	}
	if k.result = r; r.Property != "" {
		readProperty(a, k)
	} else {
		k.question = questionOf(r, k.model)
	}
}

// evaluated returns the policies of an evaluated result: those of steps about the whole model, or
// the only policy of the chain.
func (k *checked) evaluated() (first []int32, steps [][]int32) {
	if k.steps != nil {
		return k.steps[0].Actions, actionsOf(k.steps)
	}
	return make([]int32, k.model.NumStates()), nil
}

// readProperty takes the question from the property of a result, which then is about the
// model that the property makes. Its other members have to say the same.
func readProperty(a *ui.Arguments, k *checked) {
	r := k.result
	refuse := func(why string) {
		a.Fail(ui.UsageErrorf("%s: %q: %s", resultOperand, k.resultPath, why))
	}
	all, err := property.Parse(r.Property, k.resultPath+": property")
	switch {
	case err != nil:
		refuse(err.Error())
	case len(all) != 1 || r.Evaluated:
		refuse("use a result of solve about one property")
	}
	k.asked = ask(a, all[0], k.model)
	q := k.question.result(k.model)
	if r.Criterion != q.Criterion || r.Sense != q.Sense || r.Reward != q.Reward || r.Target != q.Target || r.Steps() != q.Steps() ||
		r.Terminal != "" || r.Discount != nil || r.ExactDiscount != nil || r.Rate != nil {
		refuse("its criterion, sense, reward, target, horizon, discount or terminal are not those of its property: use the file that solve wrote")
	}
	if r.Answer != "" && (!all[0].HasThreshold() || r.Lower == nil || r.Answer != verdict(k.question.stated, r, k.model)) {
		refuse("its answer does not follow from its bounds: use the file that solve wrote")
	}
}

// questionOf returns what a result answers.
func questionOf(r *certificate.Result, m *modelfile.Model) question {
	q := question{
		ofPolicy: r.Evaluated, criterion: r.Criterion, target: r.Target, horizon: r.Steps(), reward: r.Reward, terminal: r.Terminal, uncertainty: r.Uncertainty,
	}
	q.rate = r.DiscountRate()
	if r.Discount != nil {
		q.exactDiscount = r.DiscountFactor()
		q.discount, _ = q.exactDiscount.Float64()
	}
	if r.Sense == mdp.Maximize.String() {
		q.sense = mdp.Maximize
	}
	_, _ = resolve(&q, m) // what is not known is refuted
	return q
}

// readForeignClaims makes claims of a policy, or of values, to the question that the
// flags ask.
func readForeignClaims(a *ui.Arguments, k *checked, answer *certificate.Answer, evaluated bool) {
	q := readQuestion(a, false)
	checkQuestion(a, &q, k.model)
	tolerance := claimTolerance(a)
	if evaluated && answer.Values == nil {
		a.Fault("policy", "not valid here, because RESULT has no values: use a RESULT with the values of the policy")
	}
	if answer.FirstStep && q.criterion != criterionFinite {
		a.Fail(ui.UsageErrorf("%s: %q is about the first step of a finite horizon: use --criterion %s", resultOperand, k.resultPath, criterionFinite))
	}
	r := q.result(k.model)
	r.Tolerance, r.Values = &tolerance, answer.Values
	if r.Values != nil {
		r.Value = r.Values[r.Initial]
	}
	q.ofPolicy = k.steps != nil
	k.result, k.question = r, q
	checkSteps(a, "--policy", a.CLI.String("policy"), k.steps, k.model, q.criterion, q.horizon)
	checkSteps(a, resultOperand, k.resultPath, answer.Policies, k.model, q.criterion, q.horizon)
	policy := answer.Policy
	switch {
	case k.steps != nil:
		r.Evaluated = true
		r.Policy, r.Policies = k.evaluated()
		return
	case policy == nil || evaluated:
		return
	case answer.Policies != nil:
		r.Policies = actionsOf(answer.Policies)
	}
	k.missing = policy.Missing
	if len(k.missing) > 0 {
		chain, err := k.model.Under(policy)
		a.Fail(fileFault(resultOperand, k.resultPath, err))
		ends := q.ends
		if q.criterion == criterionFinite { // the policy is that of the first step
			ends = chain.Initial
		}
		checkCoverage(a, resultOperand, k.resultPath, policy, chain, ends, q.ends, "best")
	}
	if policy.NumRandomized() > 0 && !k.model.IsExact() {
		k.model = readModel(a, true)
	}
	var err error
	k.model, r.Policy, err = k.model.With(policy)
	a.Fail(fileFault(resultOperand, k.resultPath, err))
}

// claimTolerance reads how close to the best values and policies are claimed to
// be.
func claimTolerance(a *ui.Arguments) float64 {
	const allowed = "a number from 0 and below 1"
	return a.Parse("tolerance", a.Text("tolerance", allowed), allowed, func(x float64) bool { return x >= 0 && x < 1 })
}
