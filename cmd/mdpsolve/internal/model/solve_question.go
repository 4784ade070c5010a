package main

import (
	"math"
	"math/big"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

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
		valueFlag("criterion", "`C`: "+enumerate(criteria), ""),
		valueFlag("discount", "discount factor `b`, from 0 and below 1", ""),
		valueFlag("target", "`LABEL` of the states at which a total ends", ""),
		valueFlag("horizon", "number `n` of steps", ""),
		switchFlag("minimize", "look for the least value"),
		switchFlag("maximize", "look for the greatest value"),
		valueFlag("reward", "reward model `NAME` (default: the only one)", ""),
	}
}

// question reads what is asked.
func (a *arguments) question() question {
	q := a.questionOfAnyHorizon()
	a.onlyWith("horizon", "criterion finite", q.criterion == criterionFinite)
	return q
}

// questionOfAnyHorizon is for a verb that knows more of --horizon.
func (a *arguments) questionOfAnyHorizon() question {
	c := a.context
	q := question{criterion: a.choice("criterion", criteria...), reward: c.String("reward")}
	if a.err == nil { // without a criterion all its flags would be too many
		a.onlyWith("discount", "criterion discounted", q.criterion == criterionDiscounted)
		a.onlyWith("target", "criterion total", q.criterion == criterionTotal)
	}
	switch q.criterion {
	case criterionDiscounted:
		q.discount, q.exactDiscount = a.discount()
	case criterionTotal:
		q.target = a.text("target", "the label of the states at which the total ends")
	case criterionFinite:
		q.horizon = int(a.wholeWithin("horizon", 0, math.MaxInt32))
	}
	minimize, maximize := c.Bool("minimize"), c.Bool("maximize")
	if minimize && maximize {
		a.fault("maximize", "found with --minimize; one of them is allowed")
	}
	q.hasSense = minimize || maximize
	if maximize {
		q.sense = mdp.Maximize
	}
	return q
}

// discount reads a discount factor, and what it was before it was rounded.
func (a *arguments) discount() (rounded float64, exactly *big.Rat) {
	const allowed = "a number from 0 and below 1"
	text := a.text("discount", allowed)
	rounded = a.parse("discount", text, allowed, func(x float64) bool { return x >= 0 && x <= 1 })
	if a.err != nil {
		return 0, nil
	}
	exactly = fraction(text)
	switch {
	case exactly.Cmp(big.NewRat(1, 1)) >= 0:
		a.fault("discount", "%s found; %s is allowed", text, allowed)
	case rounded == 1:
		a.fault("discount", "%q found, which is so close to 1 that it is rounded to 1; one up to 0.9999999999999999 is allowed", text)
	}
	return rounded, exactly
}

// ask looks whether a question has an answer for a model, and names the reward
// model where there is only one.
func (a *arguments) ask(q *question, m *mdpio.Model) {
	if a.err != nil {
		return
	}
	if !q.hasSense && m.NumChoices() > m.NumStates() {
		a.fault("minimize", "missing, and --maximize too; one of them is needed for a model with choices")
	}
	if len(m.Rewards) == 0 && a.err == nil {
		a.err = usageErrorf("%s: a model without a reward model found; one with at least one is allowed", modelOperand)
	}
	reward, err := m.Reward(q.reward)
	if err == nil {
		q.reward = reward.Name
	}
	a.nameFault("reward", err)
	if q.criterion == criterionTotal {
		states, err := m.Labelled(q.target)
		a.nameFault("target", err)
		if err == nil && len(states) == 0 {
			a.fault("target", "%q found, which holds at no state; a label that holds somewhere is allowed", q.target)
		}
	}
	if m.Kind != mdpio.CTMC {
		return
	}
	const instead = "%s, give every state a transition of rate α to a new state, the only one with a new label, and ask for the total until that label"
	switch q.criterion {
	case criterionDiscounted:
		a.fault("criterion", "discounted found with a CTMC, whose time has no steps; average or total is allowed: "+instead, "to discount at rate α")
	case criterionFinite:
		a.fault("criterion", "finite found with a CTMC, whose time has no steps; average or total is allowed: "+instead, "for a horizon that is exponential, of mean 1/α")
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
func (a *arguments) resultName(flag string) string {
	if a.err != nil || !a.context.IsSet(flag) {
		return ""
	}
	name := a.context.String(flag)
	if !strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".json") {
		a.fault(flag, "%q found; a name that ends in .json or .json.gz is allowed", name)
	}
	for _, read := range []string{a.context.Args().First(), a.context.String("policy")} {
		if isSameFile(name, read) {
			a.fault(flag, "%q found, which would be written over what is read; another name is allowed", name)
		}
	}
	a.canWrite(flag, name)
	return name
}

// isSameFile reports whether two names stand for one file that exists.
func isSameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, other)
}
