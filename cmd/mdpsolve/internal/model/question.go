package model

// Questions about a model: their flags, the words for them in answers for people, and their members
// in answers for programs. A new flag of a question is declared, read and printed here.

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// asked is a question about a model from a file.
type asked struct {
	path string
	*question.Asked
	given    *modelfile.Model // the model of the file; a property is solved on a model derived from it
	ofPolicy bool             // about one given policy, even if the model has choices
}

// questionFlags returns the flags that state a question. sense is the first word in the usage
// of --minimize and --maximize.
func questionFlags(sense string) []cli.Flag {
	return []cli.Flag{
		ui.NewChoiceFlag("criterion", "optimality criterion `C`", "", question.Criteria...),
		ui.ValueFlag("discount", "discount factor `b` < 1 (≤ 1 for a finite horizon)", ""),
		ui.ValueFlag("rate", "in continuous time, discount time t by e^(-`A`t)", ""),
		ui.ValueFlag("target", "end a total in states with `LABEL` (default: never)", ""),
		ui.ValueFlag("horizon", "number `n` of steps of a finite horizon", ""),
		ui.ValueFlag("terminal", "after a finite horizon, earn the state rewards of the reward model `NAME`", ""),
		ui.SwitchFlag("minimize", sense+" the least value", "minimise"),
		ui.SwitchFlag("maximize", sense+" the greatest value", "maximise"),
		ui.ValueFlag("reward", "use the reward model `NAME` (default: the only one)", ""),
		ui.NewChoiceFlag(uncertaintyFlag, "nature chooses within intervals, `HOW` for you", "", mdp.Robust.String(), mdp.Optimistic.String()),
	}
}

// stated is what a command line asks about one model: a property or, where that is nil, a question.
type stated struct {
	property *property.Property
	question question.Question
}

// on applies the question to a model.
func (s stated) on(m *modelfile.Model) (*question.Asked, error) {
	if s.property != nil {
		return question.OfProperty(s.property, m)
	}
	return s.question.On(m)
}

// readStated reads a property, or the flags of a question. beside names flags that mean something else in
// a verb, and so are valid with a property and with every criterion.
func readStated(a *ui.Arguments, beside ...string) stated {
	if a.CLI.IsSet(propertyFlag) {
		return stated{property: readProperty(a, beside...)}
	}
	if a.CLI.IsSet(constFlag) {
		a.Fault(constFlag, "not valid here: use it with --%s", propertyFlag)
	}
	return stated{question: readQuestion(a, slices.Contains(beside, "horizon"))}
}

// readQuestion reads the flags of a question. anyHorizon is for a verb in which --horizon is
// valid with every criterion.
func readQuestion(a *ui.Arguments, anyHorizon bool) question.Question {
	c := a.CLI
	q := question.Question{Criterion: a.Choice("criterion"), Reward: c.String("reward"), Constraints: readConstraints(a)}
	for _, member := range question.Members {
		a.OnlyWith(member, "criterion "+wording.Alternatives(question.WithMember(member)), q.Takes(member) || anyHorizon && member == "horizon")
	}
	if q.Takes("horizon") {
		q.Horizon = new(int(a.WholeWithin("horizon", 0, math.MaxInt32)))
	}
	switch {
	case c.IsSet("rate"):
		q.SetRate(readRate(a))
	case q.Takes("rate"):
		q.SetDiscount(readDiscount(a, 0, 0x1.fffffffffffffp-1, "a number from 0 and below 1"))
	case c.IsSet("discount"):
		q.SetDiscount(readDiscount(a, leastDiscount, 1, "a number above 0, up to 1"))
	}
	if c.IsSet("terminal") {
		q.Terminal = a.Text("terminal", "the name of a reward model")
	}
	ofAll := c.IsSet(constraintFlag) || c.IsSet(paretoFlag)
	if c.IsSet("target") || q.Takes("target") && (ofAll || c.IsSet(distributionFlag)) {
		ends := "the label of the states where the total ends"
		if ofAll {
			ends = "the label of the states where the totals of all rewards end"
		}
		if q.Target = a.Text("target", ends); q.Target == "" {
			a.Fault("target", "the label is empty: use the label of some states, or leave --target out for the total of all steps")
		}
	}
	if c.IsSet(uncertaintyFlag) {
		q.Uncertainty = a.Choice(uncertaintyFlag)
	}
	for _, sense := range question.Senses {
		if c.Bool(sense) && q.Sense != "" {
			a.Fault(sense, "not valid with --%s: use one of the two", q.Sense)
		} else if c.Bool(sense) {
			q.Sense = sense
		}
	}
	return q
}

// readRate reads a rate of discounting.
func readRate(a *ui.Arguments) *big.Rat {
	if a.CLI.IsSet("discount") {
		a.Fault("rate", "not valid with --discount: use one of the two")
	}
	a.Positive("rate")
	exactly, _, err := number.ParseExact(a.CLI.String("rate"))
	if err != nil {
		a.Fault("rate", "%v", err)
	}
	return exactly
}

// leastDiscount is the least discount factor of a finite horizon. Below it, float64 loses
// digits.
const leastDiscount = 1e-300

// readDiscount reads a discount factor within limits. It refuses a factor below 1 that float64
// rounds to 1.
func readDiscount(a *ui.Arguments, least, most float64, allowed string) *big.Rat {
	text := a.Text("discount", allowed)
	rounded := a.Parse("discount", text, allowed, func(x float64) bool { return x >= 0 && x <= 1 })
	exactly, _, err := number.ParseExact(text)
	switch {
	case err != nil:
		a.Fault("discount", "%v", err)
	case exactly.Cmp(big.NewRat(1, 1)) > 0 || exactly.IsInt() && rounded > most || exactly.Sign() == 0 && least > 0:
		a.Fault("discount", "%s is not valid: use %s", text, allowed)
	case rounded < least:
		a.Fault("discount", "%q is too small: use at least %v", text, least)
	case rounded == 1 && !exactly.IsInt():
		a.Fault("discount", "%q is rounded to 1: use at most 0.9999999999999999", text)
	}
	return exactly
}

// ask asks about a model. It reads the model again, with exact numbers, if rewards may cancel.
func ask(a *ui.Arguments, of stated, m *modelfile.Model) (asked, error) {
	checkUncertainty(a, m)
	q, err := of.on(m)
	if err == nil && q.NeedsDigits() {
		m = readModel(a, true)
		q, err = of.on(m)
	}
	return asked{path: a.CLI.Args().First(), Asked: q, given: m}, questionFault(err)
}

// questionFault returns the error for a question that has no answer. It names the flags that
// are missing or wrong.
func questionFault(err error) error {
	fault, ok := errors.AsType[*question.Error](err)
	switch {
	case !ok && err == nil:
		return nil
	case !ok:
		return ui.UsageErrorf("%s", plainError(err))
	case fault.Member == "":
		return ui.UsageErrorf("%s: %s", modelOperand, fault.Reason)
	case fault.Words == nil:
		return ui.UsageErrorf("--%s: %s", fault.Member, fault.Reason)
	}
	flag := "--"
	if fault.Member != "sense" {
		flag += fault.Member + " "
	}
	return ui.UsageErrorf("%s: give %s%s", fault.Reason, flag, strings.Join(fault.Words, " or "+flag))
}

// title returns "Least long-run average of energy".
func (q asked) title() string {
	if p := q.Parsed; p != nil {
		return wording.Line(p.String())
	}
	g := &q.Given
	what := g.Title()
	how := g.Uncertainty
	if how != "" {
		what += ", in the " + how + " case"
	}
	switch {
	case (!q.HasChoices() || q.ofPolicy) && how == "":
		return strings.ToUpper(what[:1]) + what[1:]
	case q.IsMaximized():
		return "Greatest " + what
	}
	return "Least " + what
}

// resultName returns the file that a flag names for a result; "" for none.
func resultName(a *ui.Arguments, flag string) string {
	out := a.OutFile(flag, ".json", ".json.gz", ".npz")
	if out == nil || out.Name == ui.HandoverOf(a.CLI.Context).Returned {
		return a.CLI.String(flag)
	}
	for _, read := range []string{a.CLI.Args().First(), a.CLI.String("policy")} {
		if wholefile.Same(out.Name, read) {
			a.Fault(flag, "%q is also read: use another name", out.Name)
		}
	}
	return out.Name
}
