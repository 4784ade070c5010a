package question

// This file holds the table of criteria: for each criterion, the words for it, the members that it
// uses, what it goes with, and how it is solved. CONTRIBUTING.md lists what else a new criterion needs.

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// The criteria. Timed and Compound occur only with a property: one with a time bound in a CTMC, and
// one whose value is computed from the answers to several questions.
const (
	Average    = "average"    // the long-run reward per step, or per unit of time
	Discounted = "discounted" // the discounted sum of the rewards of all steps
	Total      = "total"      // the sum of the rewards of all steps, or until a target
	Finite     = "finite"     // the sum of the rewards of a number of steps
	Timed      = "time"       // the sum of the rewards until a time
	Compound   = "compound"   // a value computed from the answers to several questions
)

// traits has all that depends on nothing but the criterion of a question.
type traits struct {
	name    string
	meaning string   // lines of a help page
	members []string // of Question that have a meaning, in JSON; flags have the same names
	goes    []string // what a question by the criterion may go with, see Question.Goes; nothing else

	hasGain  bool // values are per step or unit of time, and come with relative values
	hasSteps bool // policies and values depend on the step, and backward induction proves them

	// title returns what a value is, such as "long-run average of energy".
	title func(q *Question, of string) string
	// engine returns the criterion as package mdp takes it; nil for a criterion that occurs only with
	// a property.
	engine func(q *Asked) mdp.Criterion
	// stepFactor returns what a value of 1 after a step is worth before the step; nil where that is not
	// one number for all steps and states.
	stepFactor func(q *Asked) (*big.Rat, error)
	// exactly solves, in fractions, what engine describes; nil if that is not possible.
	exactly func(ctx context.Context, q *Asked, m *exact.Model, h exact.Horizon) (*exact.Answer, error)
}

// What a criterion may go with; the words are those of messages.
const (
	Limits         = "with limits or as a trade-off"
	Intervals      = "in a model with intervals"
	ContinuousTime = "in continuous time"
	Simulation     = "in a simulation"
	ActionValues   = "with values of actions"
)

// undiscounted is the stepFactor of sums and averages.
func undiscounted(*Asked) (*big.Rat, error) { return one, nil }

// stepDiscount is the stepFactor of discounted sums.
func (q *Asked) stepDiscount() (*big.Rat, error) {
	if rate := q.DiscountRate(); rate != nil {
		return q.Model.DiscountFactor(rate)
	}
	return q.DiscountFactor(), nil
}

var table = []traits{
	{
		name: Average, hasGain: true, goes: []string{Limits, Intervals, ContinuousTime, Simulation},
		meaning:    "the long-run reward per step, or in continuous time per unit of time",
		title:      func(_ *Question, of string) string { return "long-run average of " + of },
		engine:     func(q *Asked) mdp.Criterion { return mdp.LongRunAverage{Sense: q.EngineSense()} },
		stepFactor: undiscounted,
		exactly: func(ctx context.Context, q *Asked, m *exact.Model, _ exact.Horizon) (*exact.Answer, error) {
			return m.Average(ctx, q.EngineSense())
		},
	},
	{
		name: Discounted, members: []string{"discount", "rate"}, goes: []string{Limits, Intervals, ContinuousTime, Simulation, ActionValues},
		meaning: `the expected sum of all rewards, weighted by b^t after t steps, or in
              continuous time, with --rate a, by e^(-at) after time t`,
		title: func(q *Question, of string) string {
			if rate := q.DiscountRate(); rate != nil {
				return "discounted total of " + of + ", discounted at rate " + number.Short(rate) + " per unit of time"
			}
			return "discounted total of " + of + q.discountText()
		},
		engine: func(q *Asked) mdp.Criterion {
			factor, err := q.stepDiscount()
			if err != nil { // Table fails, too
				return mdp.Discounted{Sense: q.EngineSense()}
			}
			return mdp.Discounted{Discount: number.Nearest(factor), Complement: number.Nearest(new(big.Rat).Sub(one, factor)), Sense: q.EngineSense()}
		},
		stepFactor: (*Asked).stepDiscount,
		exactly: func(ctx context.Context, q *Asked, m *exact.Model, _ exact.Horizon) (*exact.Answer, error) {
			factor, err := q.stepDiscount()
			if err != nil {
				return nil, err
			}
			return m.Discounted(ctx, q.EngineSense(), factor)
		},
	},
	{
		name: Total, members: []string{"target"}, goes: []string{Limits, Intervals, ContinuousTime, Simulation, ActionValues},
		meaning: `the expected sum of the rewards of all steps: infinite for a policy that
              earns for ever; with --target, until a state with LABEL is reached:
              +Infinity for a policy that may never reach such a state`,
		title: func(q *Question, of string) string {
			if q.Target == "" {
				return "expected total of " + of
			}
			return "expected total of " + of + " until " + wording.Quote(q.Target)
		},
		engine:     func(q *Asked) mdp.Criterion { return mdp.TotalCost{Target: q.Ends, Sense: q.EngineSense()} },
		stepFactor: undiscounted,
		exactly: func(ctx context.Context, q *Asked, m *exact.Model, _ exact.Horizon) (*exact.Answer, error) {
			return m.Total(ctx, q.EngineSense(), q.Ends)
		},
	},
	{
		name: Finite, members: []string{"discount", "horizon", "terminal"}, hasSteps: true, goes: []string{Limits, Intervals, Simulation, ActionValues},
		meaning: `the expected sum of the rewards of n steps; --discount weighs a reward
              after t steps by b^t, --terminal adds rewards for the state at the end`,
		title: func(q *Question, of string) string {
			what := "expected total of " + of + " in " + wording.Count(q.Steps(), "step")
			if q.Terminal != "" {
				what += ", then " + wording.Quote(q.Terminal)
			}
			return what + q.discountText()
		},
		engine: func(q *Asked) mdp.Criterion {
			return mdp.FiniteHorizon{Steps: q.Steps(), Terminal: q.Ending.Float, Discount: valueOf(q.Discount), Sense: q.EngineSense()}
		},
		stepFactor: (*Asked).stepDiscount,
		exactly: func(ctx context.Context, q *Asked, m *exact.Model, h exact.Horizon) (*exact.Answer, error) {
			return m.Finite(ctx, q.EngineSense(), h)
		},
	},
	{name: Timed, goes: []string{Simulation}},
	{name: Compound},
}

// Criteria are the criteria of questions without a property.
var Criteria = names(func(t *traits) bool { return t.engine != nil })

// Members are the members of questions that have a meaning with some criteria only.
var Members = members()

func members() (list []string) {
	for i := range table {
		for _, member := range table[i].members {
			if !slices.Contains(list, member) {
				list = append(list, member)
			}
		}
	}
	return list
}

// Takes reports whether a member has a meaning in a question: see [WithMember].
func (q *Question) Takes(member string) bool {
	return slices.Contains(traitsOf(q.Criterion).members, member)
}

// WithMember returns the criteria of questions in which one of [Members] has a meaning.
func WithMember(member string) []string {
	return names(func(t *traits) bool { return slices.Contains(t.members, member) })
}

func names(are func(*traits) bool) (list []string) {
	for i := range table {
		if are(&table[i]) {
			list = append(list, table[i].name)
		}
	}
	return list
}

// CriteriaText returns what the criteria mean, in lines for help pages.
func CriteriaText() string {
	var lines []string
	for _, name := range Criteria {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", name, traitsOf(name).meaning))
	}
	return strings.Join(lines, "\n")
}

// traitsOf returns the row of a criterion. For an unknown one, which Validate refuses, it has no traits.
func traitsOf(criterion string) *traits {
	if i := slices.IndexFunc(table, func(t traits) bool { return t.name == criterion }); i >= 0 {
		return &table[i]
	}
	return &traits{}
}

// Goes returns an [*Error] unless the row of the criterion says that it goes with something:
// [Limits], [Intervals], [ContinuousTime], [Simulation] or [ActionValues].
func (q *Question) Goes(with string) error {
	does := func(t *traits) bool { return slices.Contains(t.goes, with) }
	if does(traitsOf(q.Criterion)) {
		return nil
	}
	others := names(func(t *traits) bool { return t.engine != nil && does(t) })
	return &Error{Member: "criterion", Reason: fmt.Sprintf("%s is not valid %s: use %s", q.Criterion, with, wording.Alternatives(others))}
}

// HasGain reports whether values are per step or unit of time: long-run averages, called gains, which
// come with relative values and depend on the structure of the model.
func (q *Question) HasGain() bool { return traitsOf(q.Criterion).hasGain }

// HasSteps reports whether policies and values depend on the step. Backward induction then proves a
// result, which has no certificate.
func (q *Question) HasSteps() bool { return traitsOf(q.Criterion).hasSteps }

// Title returns what the value of a question without a property is, such as "long-run average of
// "energy"".
func (q *Question) Title() string { return traitsOf(q.Criterion).title(q, wording.Quote(q.Reward)) }

func (q *Question) discountText() string {
	if q.Discount == nil {
		return ""
	}
	return ", discount factor " + strconv.FormatFloat(*q.Discount, 'g', -1, 64)
}

// EngineCriterion returns the criterion as package mdp takes it, for the table of [Asked.Table]; nil
// where the answer is computed from the answers to other questions.
func (q *Asked) EngineCriterion() mdp.Criterion {
	if q.Stated != nil {
		return q.Stated.Criterion
	}
	if engine := traitsOf(q.Criterion).engine; engine != nil {
		return engine(q)
	}
	return nil
}

// StepFactor returns what a value of 1 after a step is worth before the step: 1, or the discount
// factor, in continuous time that of a step of the uniformized model. Errors are those of
// [modelfile.Model.DiscountFactor], and [mdp.ErrUnsupported] for a criterion that has no such factor.
func (q *Asked) StepFactor() (*big.Rat, error) {
	factor := traitsOf(q.Criterion).stepFactor
	if factor == nil {
		return nil, fmt.Errorf("question: %w: criterion %s has no factor that is the same for all steps and states", mdp.ErrUnsupported, q.Criterion)
	}
	return factor(q)
}

// Exactly answers a question about an ordinary model in fractions. m is that model, with its rewards as
// costs, and h describes a horizon, if there is one. The error is that of the method of m or of
// [Asked.StepFactor]; it wraps [mdp.ErrUnsupported] for a criterion that has no solution in fractions.
func (q *Asked) Exactly(ctx context.Context, m *exact.Model, h exact.Horizon) (*exact.Answer, error) {
	exactly := traitsOf(q.Criterion).exactly
	if exactly == nil {
		return nil, fmt.Errorf("question: %w: no value of the criterion %s is a fraction", mdp.ErrUnsupported, q.Criterion)
	}
	return exactly(ctx, q, m, h)
}
