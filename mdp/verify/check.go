package verify

import (
	"context"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// DefaultWork is the work that Options stand for by default: some minutes.
const DefaultWork = 1 << 38

// Options say how far to go. The zero value is useful.
type Options struct {
	// Work bounds the work, in transitions looked at; 0 stands for DefaultWork.
	// What cannot be proved with it is Undecided.
	Work int64
}

// Check says which claims of a result hold for a model, from the model alone:
// see the documentation of the package for what is proved and how.
//
// A result that is no answer to a question about the model is an error: one
// about another number of states, with an unknown reward model or label, without
// the discount, horizon or target that its criterion needs, or that contradicts
// itself ([mdpio.Result.Validate]). So is a model that is not in order.
//
// If the context ends before the check does, the report, in which what was not
// proved by then is Undecided, comes with the cause as an error.
func Check(ctx context.Context, model *mdpio.Model, result *mdpio.Result, options Options) (*Report, error) {
	if model == nil || result == nil {
		panic("verify: Check without a model or a result")
	}
	if options.Work < 0 {
		panic("verify: Options.Work is negative")
	}
	if options.Work == 0 {
		options.Work = DefaultWork
	}
	q, err := newQuestion(model, result, false)
	if err != nil {
		return nil, err
	}
	c := &check{question: q, model: model, report: &Report{}}
	c.writeStatus()
	c.writeClassification()
	c.prove(newBudget(ctx, options.Work))
	if c.isUndecided() && (result.Exact != nil || len(q.rows.columns) <= exactEntries) {
		c.proveExactly(newBudget(ctx, options.Work/exactShare))
	}
	if !c.isUndecided() {
		c.report.Reason = nil
		return c.report, nil
	}
	return c.report, context.Cause(ctx)
}

const (
	// exactEntries is the largest number of transitions with which exact
	// numbers are tried where the result has none.
	exactEntries = 1 << 14
	// exactShare bounds the work on them, as a share of all.
	exactShare = 1 << 12
)

// check is one call of Check.
type check struct {
	*question
	model             *mdpio.Model
	report            *Report
	optimum, achieved []proof
	meant             []proof // of the optimum, with the discount factor that may have been meant
	best              []bool  // by choice: of the best policy found
}

// isUndecided reports whether a claim about numbers is undecided.
func (c *check) isUndecided() bool {
	return c.report.Bounds.Undecided+c.report.Values.Undecided+c.report.Policy.Undecided > 0
}

// prove proves what balls can.
func (c *check) prove(b *budget) {
	best := solverOf[ball](c.question, rounded{c.rows, b}, b)
	c.optimum = proofs(optimum(c.question, best), c.maximize)
	c.best, c.report.Reason = best.preferred, best.reason
	switch {
	case c.policy == nil:
	case !slices.Contains(c.policy, false): // there is nothing to choose
		c.achieved = c.optimum
	default:
		own := solverOf[ball](c.question, rounded{c.rows, b}, b)
		c.achieved = proofs(achieved(c.question, own), c.maximize)
		if c.report.Reason == nil {
			c.report.Reason = own.reason
		}
	}
	if c.report.Reason == nil {
		c.report.Reason = b.err
	}
	c.write()
}

// proveExactly proves what rationals can.
func (c *check) proveExactly(b *budget) {
	list, err := exactly(c.question, c.best, b, optimum[*big.Rat])
	if err != nil {
		return
	}
	c.optimum = list
	if c.policy != nil {
		if list, err = exactly(c.question, c.policy, b, achieved[*big.Rat]); err == nil {
			c.achieved = list
		}
	}
	if c.result.Exact != nil && c.result.Criterion == "discounted" {
		meant, err := newQuestion(c.model, c.result, true)
		if err == nil {
			c.meant, _ = exactly(meant, c.best, b, optimum[*big.Rat])
		}
	}
	c.write()
}

// exactly returns what rationals prove, beginning with a preferred policy.
func exactly(q *question, preferred []bool, b *budget, find func(*question, *solver[*big.Rat]) outcome[*big.Rat]) ([]proof, error) {
	x := &exact{rows: q.rows, budget: b, claimed: q.claimed()}
	s := solverOf[*big.Rat](q, x, b)
	copy(s.preferred, preferred)
	found := find(q, s)
	switch {
	case x.err != nil:
		return nil, x.err
	case s.reason != nil:
		return nil, s.reason
	}
	return exactProofs(found, q.maximize), nil
}
