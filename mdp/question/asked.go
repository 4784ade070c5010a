package question

// This file holds questions about one model, whose names are looked up.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile/property"
)

// Asked is a question whose names are looked up in a model: see [Question.On] and [OfProperty]. The
// answer may come from a question about another model: for a property, the states that decide it are
// absorbing there; for limits within a finite horizon, each step has states of its own (see
// [modelfile.Model.Unrolled]). To ask that model again, use Question, not Given.
type Asked struct {
	// Question is what is solved: it is about Model. Its Sense and Reward are filled in.
	Question
	// Model is the model given, or the one that stands for it.
	Model *modelfile.Model
	// Given is the question about the model given, which results state.
	Given Question

	// Ends lists the states of the target, ascending; nil for none.
	Ends []int32
	// Ending holds the terminal rewards of a finite horizon, by state; empty for none.
	Ending modelfile.Numbers
	// Stated is the property as a question about Model; nil without a property, and for a property
	// whose criterion is Compound.
	Stated *property.Question
	// Parsed is the property as it was parsed; nil without one.
	Parsed *property.Property
}

// Error says why a question has no answer for a model, and what to use instead.
type Error struct {
	Member string   // the JSON member at fault; "" if the model is
	Reason string   // what is wrong and, without Words, what to use
	Words  []string // what to choose from for a missing member; nil if it is not missing
}

// Error returns the member, the reason, and what to use.
func (f *Error) Error() string {
	switch {
	case f.Words != nil:
		return fmt.Sprintf("question: %s is missing, and %s: use %s", f.Member, f.Reason, strings.Join(f.Words, " or "))
	case f.Member == "":
		return "question: " + f.Reason
	}
	return "question: " + f.Member + ": " + f.Reason
}

// On looks up the names of a question in a model, and fills in the sense of a chain and the only
// reward model. It does not repeat what [Question.Validate] checks. Errors are an [*Error], and
// for a property also a [*modelfile.SyntaxError].
func (q *Question) On(m *modelfile.Model) (*Asked, error) {
	if q.Property != "" {
		all, err := property.Parse(q.Property, "property")
		if err == nil && len(all) != 1 {
			err = &Error{Member: "property", Reason: fmt.Sprintf("found %d properties: use a question about one property", len(all))}
		}
		if err != nil {
			return nil, err
		}
		all[0].Uncertainty = q.Uncertainty
		return OfProperty(all[0], m)
	}
	asked := &Asked{Question: *q, Model: m}
	err := cmp.Or(asked.lookUp(), asked.fitKind())
	if err == nil && asked.Constraints != nil {
		err = asked.Goes(Limits)
	}
	if err != nil {
		return nil, err
	}
	asked.Given = asked.Question
	if asked.HasSteps() && asked.Constraints != nil {
		return asked.Unrolled()
	}
	return asked, nil
}

// Unrolled turns a question about a finite horizon into one about a total or, with a discount, a
// discounted total, in a model that has states for each step: see [modelfile.Model.Unrolled]. The
// error is an [*Error] for a model that cannot be unrolled.
func (q *Asked) Unrolled() (*Asked, error) {
	m, err := q.Model.Unrolled(q.Steps(), q.Reward, q.Ending)
	if err != nil {
		return nil, faultOf("horizon", err)
	}
	u := &Asked{Question: q.Question, Given: q.Given, Model: m, Ends: m.Labels[modelfile.EndLabel], Parsed: q.Parsed}
	u.Criterion, u.Target, u.Horizon, u.Terminal = Discounted, "", nil, ""
	if q.DiscountFactor().Cmp(one) == 0 {
		u.Criterion, u.Target, u.Discount, u.ExactDiscount = Total, modelfile.EndLabel, nil, nil
	}
	return u, nil
}

// OfProperty returns the question that a property asks about a model. If its criterion is Compound,
// its Model is m itself.
func OfProperty(p *property.Property, m *modelfile.Model) (*Asked, error) {
	switch count := p.Optimized(); {
	case count > 1:
		return nil, &Error{Member: "property", Reason: wording.Line(p.String()) + ": a trade-off has no single value: ask for it alone, or optimise one objective"}
	case count == 1:
		asked, _, err := OfObjectives(p, m)
		return asked, err
	case p.IsCompound():
		q := Question{Property: p.String(), Criterion: Compound, Sense: mdp.Minimize.String(), Uncertainty: p.Uncertainty}
		return &Asked{Question: q, Given: q, Model: m, Parsed: p}, nil
	}
	stated, err := p.On(m)
	if err != nil {
		return nil, err
	}
	return OfStated(stated, p), nil
}

// OfObjectives returns the question about the first of several objectives of a property, under the limits
// of the others. It also returns all objectives, those with min=? or max=? first. If no objective has
// these, the question optimises the first one, in the direction of its limit. The error is a
// [*modelfile.SyntaxError] or an [*Error].
func OfObjectives(p *property.Property, m *modelfile.Model) (*Asked, []property.Objective, error) {
	o, err := p.Objectives(m)
	if err != nil {
		return nil, nil, err
	}
	first := o.All[0]
	q := Question{Criterion: o.Criterion, Sense: mdp.Minimize.String(), Reward: first.Reward, Target: o.Target}
	if first.Maximize {
		q.Sense = mdp.Maximize.String()
	}
	if o.Criterion == Finite {
		q.Horizon = &o.Steps
	}
	for _, x := range o.All[1:] {
		if x.Relation != "" {
			q.Constraints = append(q.Constraints, Constraint{Reward: x.Reward, Sense: x.Relation, Bound: x.Limit})
		}
	}
	asked := &Asked{Question: q, Given: q, Model: o.Model, Ends: o.Model.Labels[o.Target], Parsed: p}
	asked.Given.Property = p.String()
	if o.Criterion == Finite && q.Constraints != nil {
		asked, err = asked.Unrolled()
	}
	return asked, o.All, err
}

// OfStated returns the question as which a property, or one of the operators in it, has been stated.
func OfStated(stated *property.Question, p *property.Property) *Asked {
	asked := &Asked{
		Question: Question{Reward: stated.Reward, Target: stated.Target, Property: p.String(), Criterion: Timed, Sense: mdp.Minimize.String()},
		Model:    stated.Model, Ending: stated.Terminal, Stated: stated, Parsed: p,
	}
	switch c := stated.Criterion.(type) {
	case mdp.LongRunAverage:
		asked.Criterion, asked.Sense = Average, c.Sense.String()
	case mdp.TotalCost:
		asked.Criterion, asked.Sense, asked.Ends = Total, c.Sense.String(), c.Target
	case mdp.FiniteHorizon:
		asked.Criterion, asked.Sense, asked.Horizon = Finite, c.Sense.String(), &c.Steps
	case mdp.Discounted:
		asked.Criterion, asked.Sense = Discounted, c.Sense.String()
	}
	if stated.Discount != nil {
		asked.SetDiscount(stated.Discount)
	}
	if stated.Model.IsUncertain() {
		asked.Uncertainty = stated.Nature.String()
	}
	asked.Given = asked.Question
	return asked
}

// In returns the question about another model with the same states and rewards, such as the chain
// of a policy.
func (q *Asked) In(m *modelfile.Model) *Asked {
	other := *q
	other.Model = m
	return &other
}

// Decisive lists the states, ascending, from which actions play no role: the target of a total or,
// for a probability of paths, the states where it is decided.
func (q *Asked) Decisive() []int32 {
	if q.Stated != nil && q.Stated.Final != nil {
		return q.Stated.Final
	}
	return q.Ends
}

// HasChoices reports whether a state of the model has several actions.
func (q *Asked) HasChoices() bool { return q.Model.NumChoices() > q.Model.NumStates() }

// lookUp checks the members that name something in the model or depend on its choices.
func (q *Asked) lookUp() error {
	m := q.Model
	if err := q.fitNature(); err != nil {
		return err
	}
	switch {
	case q.Sense == "" && q.HasChoices():
		return &Error{Member: "sense", Reason: "the model has choices", Words: Senses}
	case q.Sense == "":
		q.Sense = mdp.Minimize.String()
	}
	if len(m.Rewards)+len(m.Unread) == 0 {
		return &Error{Reason: "the model has no reward model: add one"}
	}
	reward, err := m.Reward(q.Reward)
	if err != nil {
		return faultOf("reward", err)
	}
	q.Reward = reward.Name
	for _, x := range q.Constraints {
		if _, err := m.Reward(x.Reward); err != nil {
			return faultOf("constraint", err)
		}
	}
	if q.Terminal != "" {
		ending, err := m.Reward(q.Terminal)
		if err != nil {
			return faultOf("terminal", err)
		}
		if ending.State.Len() == 0 && ending.Action.Len()+ending.Transition.Len() > 0 {
			return &Error{Member: "terminal", Reason: fmt.Sprintf("reward model %q has no rewards of states, but of actions or transitions: use one with rewards of states", q.Terminal)}
		}
		q.Ending = ending.State
	}
	if q.Target == "" {
		return nil
	}
	if q.Ends, err = m.Labelled(q.Target); err != nil {
		return faultOf("target", err)
	}
	if len(q.Ends) == 0 {
		return &Error{Member: "target", Reason: fmt.Sprintf("no state has the label %q: use a label that some state has", q.Target)}
	}
	return nil
}

func faultOf(member string, err error) error {
	return &Error{Member: member, Reason: strings.TrimPrefix(err.Error(), "modelfile: ")}
}

// fitNature checks that the question says how nature chooses if, and only if, the model has
// intervals.
func (q *Asked) fitNature() error {
	const has = "the model has intervals"
	switch {
	case q.Model.ZeroWidth: // nature has no choice
		q.Uncertainty = ""
	case !q.Model.IsUncertain() && q.Uncertainty != "":
		return &Error{Member: "uncertainty", Reason: "not valid here, because the model has no intervals: leave it out"}
	case !q.Model.IsUncertain():
	case q.Goes(Intervals) != nil:
		return q.Goes(Intervals)
	case q.Uncertainty == "":
		return &Error{Member: "uncertainty", Reason: has, Words: uncertainties}
	case q.Sense == "":
		return &Error{Member: "sense", Reason: has, Words: Senses}
	case q.Criterion == Total && q.Target == "":
		return &Error{Member: "target", Reason: "missing: a total in a model with intervals needs the label of the states where it ends"}
	}
	return nil
}

// article returns the article before the name of a kind.
func article(kind modelfile.Kind) string {
	if kind == modelfile.SMDP {
		return "an "
	}
	return "a "
}

// fitKind refuses criteria that are not for continuous time, and discount rates in discrete time.
func (q *Asked) fitKind() error {
	m, none := q.Model, " is not valid for "+article(q.Model.Kind)+q.Model.Kind.String()+", which has no steps: "
	switch isContinuous := m.Kind.IsContinuous(); {
	case q.Rate != nil && !isContinuous:
		return &Error{Member: "rate", Reason: fmt.Sprintf("not valid for a model of kind %v, which is not in continuous time: use --discount", m.Kind)}
	case q.Criterion == Discounted && m.Kind == modelfile.SMDP:
		return &Error{Member: "criterion", Reason: Discounted + " is not valid for an SMDP, of which only the mean sojourn times are known: discounted rewards depend on their distributions " +
			`(for exponential ones, use kind "ctmdp" with rates probability/duration)`}
	case q.Rate != nil && m.IsUncertain():
		return &Error{Member: "rate", Reason: "not valid for a model with intervals: to discount at rate α, give every state a transition of rate α to a new state, " +
			"the only one with a new label, and ask for the total until that label"}
	case q.Criterion == Discounted && isContinuous && q.Rate == nil:
		return &Error{Member: "discount", Reason: "a discount factor" + none + "use --rate"}
	case q.HasSteps() && m.Kind == modelfile.CTMC:
		return &Error{Member: "criterion", Reason: q.Criterion + none + "for the total until time T, use solve --property 'R=? [C<=T]'"}
	case isContinuous:
		return q.Goes(ContinuousTime)
	}
	return nil
}

// Table returns the table that is solved, with the rewards as costs.
func (q *Asked) Table() (*mdp.Table, error) {
	arrays, err := q.Model.TableArraysAt(q.Reward, q.DiscountRate())
	if err != nil {
		return nil, err
	}
	return mdp.NewTable(arrays)
}

// NeedsDigits reports whether the model lacks digits that the question needs: if it was rounded to
// float64, and a choice has rewards of both signs, in the reward model of the question or in one that
// is limited or named in others. These may cancel, so that their sum has a large relative error although
// each is rounded by little. Such a model should be read exactly ([modelfile.Options]), so that the sum
// is made before rounding.
func (q *Asked) NeedsDigits(others ...string) bool {
	if q.Model.HasAllDigits() {
		return false
	}
	for _, x := range q.Constraints {
		others = append(others, x.Reward)
	}
	return mixesSigns(q.Model, q.Reward) || slices.ContainsFunc(others, func(reward string) bool { return mixesSigns(q.Model, reward) })
}

// HasNegatives reports whether a reward of the question is below 0, or not known.
func (q *Asked) HasNegatives() bool {
	r, err := q.Model.Reward(q.Reward)
	isNegative := func(x float64) bool { return x < 0 }
	return err != nil || slices.ContainsFunc(r.State.Float, isNegative) || slices.ContainsFunc(r.Action.Float, isNegative) ||
		slices.ContainsFunc(r.Transition.Float, isNegative)
}

// mixesSigns reports whether a choice has rewards of both signs in a reward model.
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

// part returns the numbers from … to−1 of a list; nil for an empty list, which stands for zeros.
func part(numbers modelfile.Numbers, from, to int32) []float64 {
	if numbers.Len() == 0 {
		return nil
	}
	return numbers.Float[from:to]
}
