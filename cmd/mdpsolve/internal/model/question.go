package model

// What is asked about a model: the flags of a question, and the criteria they stand for.

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

// The values of --criterion.
const (
	criterionAverage    = "average"
	criterionDiscounted = "discounted"
	criterionTotal      = "total"
	criterionFinite     = "finite"
)

// criterionTime is that of properties with a time in a CTMC.
const criterionTime = "time"

var criteria = []string{criterionAverage, criterionDiscounted, criterionTotal, criterionFinite}

// question is what is asked about a model.
type question struct {
	criterion string
	sense     mdp.Sense
	hasSense  bool
	discount  float64 // 0 where there is none
	// exactDiscount is the discount factor before it was rounded.
	exactDiscount *big.Rat
	rate          *big.Rat // of discounting in continuous time; nil for none
	target        string   // a label; "" for none, as for the total of all steps
	ends          []int32  // the states of the label, once it is asked; nil for none
	horizon       int      // 0 where there is none
	terminal      string   // a reward model, earned after a finite horizon; "" for none
	reward        string   // a reward model; "" for the only one, until it is asked
	uncertainty   string   // "worst" or "best" in a model with intervals

	ofPolicy bool // about one policy, whatever actions the model has

	ofTime bool // in continuous time, the reward is the time

	// property is what the question comes from, and stated the question about the model that
	// it makes; nil for a question of flags.
	property *property.Property
	stated   *property.Question
}

// asked is a question about a model from a file.
type asked struct {
	path     string
	model    *modelfile.Model
	question question
}

// questionFlags are those that say what is asked; sense begins the usage of the flags of
// the sense.
func questionFlags(sense string) []cli.Flag {
	return []cli.Flag{
		ui.NewChoiceFlag("criterion", "optimality criterion `C`", "", criteria...),
		ui.ValueFlag("discount", "discount factor `b` < 1 (≤ 1 for a finite horizon)", ""),
		ui.ValueFlag("rate", "in continuous time, discount time t by e^(-`A`t)", ""),
		ui.ValueFlag("target", "end a total in states with `LABEL` (default: never)", ""),
		ui.ValueFlag("horizon", "number `n` of steps of a finite horizon", ""),
		ui.ValueFlag("terminal", "after a finite horizon, earn the state rewards of the reward model `NAME`", ""),
		ui.SwitchFlag("minimize", sense+" the least value", "minimise"),
		ui.SwitchFlag("maximize", sense+" the greatest value", "maximise"),
		ui.ValueFlag("reward", "use the reward model `NAME` (default: the only one)", ""),
		ui.NewChoiceFlag(uncertaintyFlag, "what nature chooses in intervals is `HOW` for you", "", mdp.Worst.String(), mdp.Best.String()),
	}
}

// readQuestion reads what is asked; anyHorizon is for a verb that knows more of
// --horizon.
func readQuestion(a *ui.Arguments, anyHorizon bool) question {
	c := a.CLI
	q := question{criterion: a.Choice("criterion"), reward: c.String("reward")}
	a.OnlyWith("discount", "criterion discounted or finite", q.criterion == criterionDiscounted || q.criterion == criterionFinite)
	a.OnlyWith("rate", "criterion discounted", q.criterion == criterionDiscounted)
	a.OnlyWith("terminal", "criterion finite", q.criterion == criterionFinite)
	a.OnlyWith("target", "criterion total", q.criterion == criterionTotal)
	a.OnlyWith("horizon", "criterion finite", anyHorizon || q.criterion == criterionFinite)
	switch q.criterion {
	case criterionDiscounted:
		if c.IsSet("rate") {
			q.rate = readRate(a)
			break
		}
		q.discount, q.exactDiscount = readDiscount(a, 0, 0x1.fffffffffffffp-1, "a number from 0 and below 1")
	case criterionTotal:
		if c.IsSet("target") || c.IsSet(constraintFlag) || c.IsSet(paretoFlag) || c.IsSet(distributionFlag) {
			if q.target = a.Text("target", "the label of the states where the total ends"); q.target == "" {
				a.Fault("target", "the label is empty: use the label of some states, or leave --target out for the total of all steps")
			}
		}
	case criterionFinite:
		q.horizon = int(a.WholeWithin("horizon", 0, math.MaxInt32))
		if c.IsSet("discount") {
			q.discount, q.exactDiscount = readDiscount(a, leastDiscount, 1, "a number above 0, up to 1")
		}
		if c.IsSet("terminal") {
			q.terminal = a.Text("terminal", "the name of a reward model")
		}
	}
	if c.IsSet(uncertaintyFlag) {
		q.uncertainty = a.Choice(uncertaintyFlag)
	}
	minimize, maximize := c.Bool("minimize"), c.Bool("maximize")
	if minimize && maximize {
		a.Fault("maximize", "not valid with --minimize: use one of the two")
	}
	q.hasSense = minimize || maximize
	if maximize {
		q.sense = mdp.Maximize
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

// leastDiscount is that of a finite horizon: below, float64 loses digits.
const leastDiscount = 1e-300

// readDiscount reads a discount factor within limits, and what it was before it was rounded. Only
// 1 may be rounded to 1.
func readDiscount(a *ui.Arguments, least, most float64, allowed string) (rounded float64, exactly *big.Rat) {
	text := a.Text("discount", allowed)
	rounded = a.Parse("discount", text, allowed, func(x float64) bool { return x >= 0 && x <= 1 })
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
	return rounded, exactly
}

// checkQuestion looks whether a question has an answer for a model, and names the
// reward model where there is only one.
func checkQuestion(a *ui.Arguments, q *question, m *modelfile.Model) {
	if q.checkUncertainty(a, m); m.ZeroWidth {
		q.uncertainty = ""
	}
	if !q.hasSense && m.NumChoices() > m.NumStates() {
		a.Fail(ui.UsageErrorf("the model has choices: give --minimize or --maximize"))
	}
	if len(m.Rewards)+len(m.Unread) == 0 {
		a.Fail(ui.UsageErrorf("%s: the model has no reward model: add one", modelOperand))
	}
	if flag, err := resolve(q, m); err != nil {
		a.Fault(flag, "%s", plainError(err))
	}
	if q.target != "" && len(q.ends) == 0 {
		a.Fault("target", "no state has the label %q: use a label that some state has", q.target)
	}
	const none = "%s is not valid for a %v, which has no steps: "
	switch isContinuous := m.Kind.IsContinuous(); {
	case q.rate != nil && !isContinuous:
		a.Fault("rate", "not valid for a model of kind %v, which is not in continuous time: use --discount", m.Kind)
	case q.criterion == criterionDiscounted && m.Kind == modelfile.SMDP:
		a.Fault("criterion", "%s is not valid for an SMDP, of which only the mean sojourn times are known: discounted rewards depend on their distributions "+
			"(for exponential ones, use kind \"ctmdp\" with rates probability/duration)", q.criterion)
	case q.rate != nil && m.IsUncertain():
		a.Fault("rate", "not valid for a model with intervals: to discount at rate α, give every state a transition of rate α to a new state, "+
			"the only one with a new label, and ask for the total until that label")
	case q.criterion == criterionDiscounted && isContinuous && q.rate == nil:
		a.Fault("discount", none+"use --rate", "a discount factor", m.Kind)
	case q.criterion == criterionFinite && m.Kind == modelfile.CTMC:
		a.Fault("criterion", none+"for the total until time T, use solve --property 'R=? [C<=T]'", q.criterion, m.Kind)
	case q.criterion == criterionFinite && isContinuous:
		a.Fault("criterion", none+"use average, total or, for a CTMDP, discounted", q.criterion, m.Kind)
	}
}

// resolve looks up the names in a question. Where one is not known, it returns its
// flag.
func resolve(q *question, m *modelfile.Model) (flag string, err error) {
	reward, err := m.Reward(q.reward)
	if err != nil {
		return "reward", err
	}
	q.reward = reward.Name
	if q.terminal != "" {
		ending, err := m.Reward(q.terminal)
		if err == nil && ending.State.Len() == 0 && ending.Action.Len()+ending.Transition.Len() > 0 {
			err = fmt.Errorf("reward model %q has no rewards of states, but of actions or transitions: use one with rewards of states", q.terminal)
		}
		if err != nil {
			return "terminal", err
		}
	}
	if q.target != "" {
		q.ends, err = m.Labelled(q.target)
	}
	return "target", err
}

// result returns a result without an answer.
func (q question) result(m *modelfile.Model) *certificate.Result {
	r := &certificate.Result{
		Criterion: q.criterion, Sense: q.sense.String(), Reward: q.reward, Target: q.target, Terminal: q.terminal, Uncertainty: q.uncertainty, Initial: int(m.Initial[0]),
	}
	if len(m.Initial) > 1 {
		r.InitialStates = m.Initial
	}
	if q.property != nil {
		r.Property = q.property.String()
	}
	if q.exactDiscount != nil && (q.criterion == criterionDiscounted || q.criterion == criterionFinite) {
		r.Discount, r.ExactDiscount = &q.discount, q.writtenDiscount()
	}
	if q.rate != nil {
		x, _ := q.rate.Float64()
		r.Rate = &x
		if shortest(x).Cmp(q.rate) != 0 {
			r.ExactRate = q.rate
		}
	}
	if q.criterion == criterionFinite {
		r.Horizon = &q.horizon
	}
	return r
}

// inSteps returns the question about the steps of a model in continuous time, where rewards are
// discounted at a rate; any other is that itself.
func (q question) inSteps(m *modelfile.Model) (question, error) {
	if q.rate == nil {
		return q, nil
	}
	var err error
	if q.exactDiscount, err = m.DiscountFactor(q.rate); err == nil {
		q.discount, _ = q.exactDiscount.Float64()
	}
	return q, err
}

// of returns the criterion for a model, whose steps have a discount factor that float64 can hold.
func (q question) of(m *modelfile.Model) mdp.Criterion {
	if q.stated != nil {
		return q.stated.Criterion
	}
	q, _ = q.inSteps(m) // an error of the table, too
	switch q.criterion {
	case criterionDiscounted:
		return mdp.Discounted{Discount: q.discount, Complement: q.complement(), Sense: q.sense}
	case criterionTotal:
		return mdp.TotalCost{Target: q.ends, Sense: q.sense}
	case criterionFinite:
		return mdp.FiniteHorizon{Steps: q.horizon, Terminal: q.ending(m).Float, Discount: q.discount, Sense: q.sense}
	}
	return mdp.LongRunAverage{Sense: q.sense}
}

// exactly answers a question about a model in rational numbers; a finite one has the policies
// of its horizon.
func (q question) exactly(ctx context.Context, model *exact.Model, h exact.Horizon) (*exact.Answer, error) {
	switch q.criterion {
	case criterionDiscounted:
		return model.Discounted(ctx, q.sense, q.exactDiscount)
	case criterionTotal:
		return model.Total(ctx, q.sense, q.ends)
	case criterionFinite:
		h.Steps, h.Discount = q.horizon, q.exactDiscount
		return model.Finite(ctx, q.sense, h)
	case criterionTime:
		return nil, fmt.Errorf("no value at a time is a fraction: %w", mdp.ErrUnsupported)
	}
	return model.Average(ctx, q.sense)
}

// ending returns the terminal rewards for a model, whose names are known; empty for none.
func (q question) ending(m *modelfile.Model) modelfile.Numbers {
	if q.stated != nil {
		return q.stated.Terminal
	}
	if q.terminal != "" {
		if r, err := m.Reward(q.terminal); err == nil {
			return r.State
		}
	}
	return modelfile.Numbers{}
}

// writtenDiscount returns the discount factor as a result keeps it: nil where that
// is the shortest decimal of its float64.
func (q question) writtenDiscount() *big.Rat {
	if q.exactDiscount == nil || q.exactDiscount.Cmp(shortest(q.discount)) == 0 {
		return nil
	}
	return q.exactDiscount
}

// shortest returns the shortest decimal that reads back as x, exactly.
func shortest(x float64) *big.Rat { return fraction(strconv.FormatFloat(x, 'g', -1, 64)) }

// complement returns 1−β of the discount factor as it was given, rounded.
func (q question) complement() float64 {
	rest := new(big.Rat).SetInt64(1)
	x, _ := rest.Sub(rest, q.exactDiscount).Float64()
	return x
}

// fraction returns exactly what a number says that has been parsed before.
func fraction(text string) *big.Rat {
	x, _, err := number.ParseExact(text)
	if err != nil {
		panic("model: " + err.Error())
	}
	return x
}

// mixesSigns reports whether rewards of opposite sign meet in a choice. Their sum
// may cancel, and be far from that of the numbers in the file although each of
// them is rounded by little; such sums have to be made before rounding.
func mixesSigns(m *modelfile.Model, reward string) bool {
	r, err := m.Reward(reward)
	if err != nil {
		return false
	}
	for s := range m.NumStates() {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			positive, negative := false, false
			for _, list := range [][]float64{
				part(r.State, int32(s), int32(s+1)), part(r.Action, k, k+1), part(r.Transition, m.RowStart[k], m.RowStart[k+1]),
			} {
				for _, x := range list {
					positive, negative = positive || x > 0, negative || x < 0
				}
			}
			if positive && negative {
				return true
			}
		}
	}
	return false
}

// part returns some numbers of a list; an empty list consists of zeros.
func part(numbers modelfile.Numbers, from, to int32) []float64 {
	if numbers.Len() == 0 {
		return nil
	}
	return numbers.Float[from:to]
}

// hasNegatives reports whether a reward is below 0.
func hasNegatives(m *modelfile.Model, reward string) bool {
	r, err := m.Reward(reward)
	isNegative := func(x float64) bool { return x < 0 }
	return err != nil || slices.ContainsFunc(r.State.Float, isNegative) || slices.ContainsFunc(r.Action.Float, isNegative) ||
		slices.ContainsFunc(r.Transition.Float, isNegative)
}

// resultName returns the file that a flag names for a result; "" for none.
func resultName(a *ui.Arguments, flag string) string {
	out := a.OutFile(flag, ".json", ".json.gz", ".npz")
	if out == nil {
		return ""
	}
	for _, read := range []string{a.CLI.Args().First(), a.CLI.String("policy")} {
		if wholefile.Same(out.Name, read) {
			a.Fault(flag, "%q is also read: use another name", out.Name)
		}
	}
	return out.Name
}
