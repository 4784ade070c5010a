package model

import (
	"math"
	"math/big"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// The values of --criterion.
const (
	criterionAverage    = "average"
	criterionDiscounted = "discounted"
	criterionTotal      = "total"
	criterionFinite     = "finite"
)

var criteria = []string{criterionAverage, criterionDiscounted, criterionTotal, criterionFinite}

// question is what is asked about a model.
type question struct {
	criterion string
	sense     mdp.Sense
	hasSense  bool
	discount  float64 // 0 where there is none
	// exactDiscount is the discount factor before it was rounded.
	exactDiscount *big.Rat
	target        string // a label; "" for none
	horizon       int    // 0 where there is none
	reward        string // a reward model; "" for the only one, until it is asked
}

// questionFlags are those that say what is asked.
func questionFlags() []cli.Flag {
	return []cli.Flag{
		ui.ValueFlag("criterion", "`C`: "+ui.Enumerate(criteria), ""),
		ui.ValueFlag("discount", "discount factor `b`, from 0 and below 1", ""),
		ui.ValueFlag("target", "`LABEL` of the states at which a total ends", ""),
		ui.ValueFlag("horizon", "number `n` of steps", ""),
		ui.SwitchFlag("minimize", "look for the least value"),
		ui.SwitchFlag("maximize", "look for the greatest value"),
		ui.ValueFlag("reward", "reward model `NAME` (default: the only one)", ""),
	}
}

// readQuestion reads what is asked.
func readQuestion(a *ui.Arguments) question {
	q := readQuestionOfAnyHorizon(a)
	a.OnlyWith("horizon", "criterion finite", q.criterion == criterionFinite)
	return q
}

// readQuestionOfAnyHorizon is for a verb that knows more of --horizon.
func readQuestionOfAnyHorizon(a *ui.Arguments) question {
	c := a.CLI
	q := question{criterion: a.Choice("criterion", criteria...), reward: c.String("reward")}
	a.OnlyWith("discount", "criterion discounted", q.criterion == criterionDiscounted)
	a.OnlyWith("target", "criterion total", q.criterion == criterionTotal)
	switch q.criterion {
	case criterionDiscounted:
		q.discount, q.exactDiscount = readDiscount(a)
	case criterionTotal:
		q.target = a.Text("target", "the label of the states at which the total ends")
	case criterionFinite:
		q.horizon = int(a.WholeWithin("horizon", 0, math.MaxInt32))
	}
	minimize, maximize := c.Bool("minimize"), c.Bool("maximize")
	if minimize && maximize {
		a.Fault("maximize", "found with --minimize; one of them is allowed")
	}
	q.hasSense = minimize || maximize
	if maximize {
		q.sense = mdp.Maximize
	}
	return q
}

// readDiscount reads a discount factor, and what it was before it was rounded.
func readDiscount(a *ui.Arguments) (rounded float64, exactly *big.Rat) {
	const allowed = "a number from 0 and below 1"
	text := a.Text("discount", allowed)
	rounded = a.Parse("discount", text, allowed, func(x float64) bool { return x >= 0 && x <= 1 })
	exactly = fraction(text)
	switch {
	case exactly.Cmp(big.NewRat(1, 1)) >= 0:
		a.Fault("discount", "%s found; %s is allowed", text, allowed)
	case rounded == 1:
		a.Fault("discount", "%q found, which is so close to 1 that it is rounded to 1; one up to 0.9999999999999999 is allowed", text)
	}
	return rounded, exactly
}

// checkQuestion looks whether a question has an answer for a model, and names the reward
// model where there is only one.
func checkQuestion(a *ui.Arguments, q *question, m *mdpio.Model) {
	if !q.hasSense && m.NumChoices() > m.NumStates() {
		a.Fault("minimize", "missing, and --maximize too; one of them is needed for a model with choices")
	}
	if len(m.Rewards) == 0 {
		a.Fail(ui.UsageErrorf("%s: a model without a reward model found; one with at least one is allowed", modelOperand))
	}
	reward, err := m.Reward(q.reward)
	if err == nil {
		q.reward = reward.Name
	}
	nameFault(a, "reward", err)
	if q.criterion == criterionTotal {
		states, err := m.Labelled(q.target)
		nameFault(a, "target", err)
		if err == nil && len(states) == 0 {
			a.Fault("target", "%q found, which holds at no state; a label that holds somewhere is allowed", q.target)
		}
	}
	if m.Kind != mdpio.CTMC {
		return
	}
	const instead = "%s, give every state a transition of rate α to a new state, the only one with a new label, and ask for the total until that label"
	switch q.criterion {
	case criterionDiscounted:
		a.Fault("criterion", "discounted found with a CTMC, whose time has no steps; average or total is allowed: "+instead, "to discount at rate α")
	case criterionFinite:
		a.Fault("criterion", "finite found with a CTMC, whose time has no steps; average or total is allowed: "+instead, "for a horizon that is exponential, of mean 1/α")
	}
}

// of returns the criterion for a model.
func (q question) of(m *mdpio.Model) mdp.Criterion {
	switch q.criterion {
	case criterionDiscounted:
		return mdp.Discounted{Discount: q.discount, Complement: q.complement(), Sense: q.sense}
	case criterionTotal:
		target, _ := m.Labelled(q.target) // has been looked at
		return mdp.TotalCost{Target: target, Sense: q.sense}
	case criterionFinite:
		return mdp.FiniteHorizon{Steps: q.horizon, Sense: q.sense}
	}
	return mdp.LongRunAverage{Sense: q.sense}
}

// resultName returns the file that a flag names for a result; "" for none.
func resultName(a *ui.Arguments, flag string) string {
	if !a.CLI.IsSet(flag) {
		return ""
	}
	name := a.CLI.String(flag)
	if !strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".json") {
		a.Fault(flag, "%q found; a name that ends in .json or .json.gz is allowed", name)
	}
	for _, read := range []string{a.CLI.Args().First(), a.CLI.String("policy")} {
		if isSameFile(name, read) {
			a.Fault(flag, "%q found, which would be written over what is read; another name is allowed", name)
		}
	}
	a.CanWrite(flag, name)
	return name
}

// isSameFile reports whether two names stand for one file that exists.
func isSameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, other)
}
