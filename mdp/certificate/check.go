package certificate

// This file holds the check of a result as a whole.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Options are what [Check] uses beside the result. The zero value is useful.
type Options struct {
	// Certificate is taken in place of that of the result.
	Certificate *Certificate

	// Achieved is a certificate for the chain of Result.Policy. It is needed where the other
	// certificate follows another policy.
	Achieved *Certificate

	// Policy is the policy whose value the result claims; nil stands for the one in the result, if any.
	Policy *mdp.Policy
}

// Check says which claims of a result hold for a model, from the model and a
// certificate alone: see the documentation of the package.
//
// It is an error if the result does not answer a question about the model: if it has another number
// of states, an unknown reward model or label, or members that contradict its property, or if it is
// the value of a policy that neither the result nor the options have. An invalid model, result or
// certificate is an error, too. If the context ends first, its cause comes with the report, in which
// all that was not proved by then is [Undecided]. Check panics if the model or the result is nil.
func Check(ctx context.Context, model *modelfile.Model, result *Result, options Options) (*Report, error) {
	if model == nil || result == nil {
		panic("certificate: Check without a model or a result")
	}
	if err := cmp.Or(model.Validate(), result.Validate()); err != nil {
		return nil, err
	}
	if result.Constraints != nil {
		return checkConstrained(ctx, model, result)
	}
	asked, result, err := result.About(model, options.Policy)
	if err != nil {
		return nil, err
	}
	q, err := newProblem(ctx, asked, nil, result)
	if err != nil {
		return nil, err
	}
	certificate, n := cmp.Or(options.Certificate, result.Certificate), model.NumStates()
	if err := cmp.Or(certificate.Validate(n), options.Achieved.Validate(n)); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	c := &check{problem: q, report: &Report{}, certificate: certificate}
	policy, complete := q.rows.choicesOf(result.Policy)
	switch lacks := c.lacksActions(); {
	case lacks && result.Evaluated:
		return nil, errors.New("certificate: a policy of a step has an action that the model has not")
	case complete && !lacks:
		c.policy = policy
	}
	c.writeClassification()
	if result.HasSteps() {
		c.proveFinite()
	} else {
		c.prove(options.Achieved)
	}
	c.write()
	if c.report.Verdict() == Holds {
		return c.report, nil
	}
	c.report.Reason = cmp.Or(context.Cause(ctx), c.reason)
	return c.report, context.Cause(ctx)
}

// The criteria, as results name them.
const average, discounted, total, finite, timed = question.Average, question.Discounted, question.Total, question.Finite, question.Timed

// problem is the question of a result, with the rows of the model that it is about.
type problem struct {
	ctx     context.Context
	rows    *rows
	result  *Result
	sense   int        // −1 where rewards are maximised, otherwise 1
	nature  int        // −1 where nature minimises rewards, 1 where it maximises them, 0 without intervals
	target  []bool     // by state, for a total
	endless bool       // a total of all steps: no state is a target
	ending  []*big.Rat // terminal rewards; nil for none
	factors *factors   // of a discounted total
	shrink  *big.Rat   // β of a finite horizon; nil for none
	reason  error      // the first reason why something is not proved
}

// newProblem returns the problem of a result, or an error if there is no way to check it. nil
// rewards stand for those that the result names.
func newProblem(ctx context.Context, asked *question.Asked, rewards *modelfile.RewardModel, r *Result) (*problem, error) {
	m := asked.Model
	if m.IsUncertain() {
		m = m.Rounded()
	}
	if rewards == nil {
		var err error
		if rewards, err = m.Reward(asked.Reward); err != nil {
			return nil, err
		}
	}
	q := &problem{ctx: ctx, rows: newRows(m, rewards), result: r, sense: 1}
	if r.IsMaximized() {
		q.sense = -1
	}
	q.nature = natureOf(r)
	if asked.Ending.Len() > 0 {
		q.ending = asked.Ending.Rationals()
	}
	rest := big.NewRat(1, 1)
	switch rest.Sub(rest, r.DiscountFactor()); {
	case r.Criterion == finite && r.Steps() > mdp.DefaultMaxIterations:
		return nil, fmt.Errorf("certificate: a horizon of %d steps is too long to go through: use at most %d", r.Steps(), mdp.DefaultMaxIterations)
	case r.Criterion == timed:
		return nil, errors.New("certificate: criterion time has bounds, but no certificate: solve it again")
	case r.Criterion == total:
		q.endless, q.target = r.Target == "", make([]bool, m.NumStates())
		for _, s := range asked.Ends {
			q.target[s] = true
		}
	case r.Rate != nil:
		q.factors = newFactors(one, r.DiscountRate())
	case r.Criterion == discounted && rest.Sign() <= 0:
		return nil, fmt.Errorf("certificate: discount %v is not valid: use a number from 0 to below 1", *r.Discount)
	case r.Criterion == discounted:
		q.factors = newFactors(r.DiscountFactor(), rest)
	case r.Criterion == finite:
		if rest.Sign() > 0 {
			q.shrink = r.DiscountFactor()
		}
	case r.Criterion != average:
		return nil, fmt.Errorf("certificate: criterion %s has no proof", r.Criterion)
	}
	return q, nil
}

// check is one call of Check.
type check struct {
	*problem
	report            *Report
	certificate       *Certificate // nil: none
	policy            []bool       // the choices of Result.Policy; nil if it is missing or not valid
	followed          *restricted  // the model with the choices of the certificate's policy alone
	other             bool         // the certificate's policy is not Result.Policy
	optimum, achieved []proof      // by state; achieved is nil without a policy
	scales            *scaleBounds // made when needed
}

// prove sets optimum and achieved by the certificates.
func (c *check) prove(achieved *Certificate) {
	if c.certificate == nil {
		c.reason = errors.New("there is no certificate")
	}
	policy, _ := c.rows.choicesOf(c.result.Policy)
	if c.certificate != nil && c.certificate.Policy != nil {
		policy, _ = c.rows.choicesOf(c.certificate.Policy)
	}
	c.followed = restrict(c.problem, policy, c.certificate.cycle())
	c.optimum = restrict(c.problem, slices.Repeat([]bool{true}, c.rows.NumChoices()), c.certificate.cycle()).prove(c.certificate, c.followed)
	own := c.followed
	c.other = c.policy != nil && !slices.Equal(policy, c.policy)
	switch {
	case c.policy == nil:
		return
	case c.other:
		own = restrict(c.problem, c.policy, cmp.Or(achieved, c.certificate).cycle())
	case achieved == nil && c.target == nil: // the bounds on the optimum bound this policy's value, too
		c.achieved = c.optimum
		return
	}
	c.achieved = own.prove(cmp.Or(achieved, c.certificate), own)
	for s, best := range c.optimum { // no policy is better than the optimum
		if own := c.achieved[s]; c.sense > 0 {
			c.achieved[s], c.optimum[s] = own.and(proof{best.lower, nothingAbove}), best.and(proof{nothingBelow, own.upper})
		} else {
			c.achieved[s], c.optimum[s] = own.and(proof{nothingBelow, best.upper}), best.and(proof{own.lower, nothingAbove})
		}
	}
}

// proveFinite sets optimum and achieved by backward induction.
func (c *check) proveFinite() {
	if c.optimum = c.induce(false, c.sense, c.open); c.policy != nil {
		c.achieved = c.optimum
		if !c.result.Evaluated {
			c.achieved = c.induce(false, c.sense, c.followedIn)
		}
	}
}

// lacksActions reports whether a policy of a step has an action that its state has not.
func (c *check) lacksActions() bool {
	return slices.ContainsFunc(c.result.Policies, func(policy []int32) bool {
		_, complete := c.rows.choicesOf(policy)
		return !complete
	})
}

// followedIn returns the choices of the policy in a step, counted from 0. It is nil, for all
// choices, after the first step if the later policies are not known.
func (c *check) followedIn(step int) []bool {
	switch {
	case c.result.Policies != nil:
		policy, _ := c.rows.choicesOf(c.result.Policies[step])
		return policy
	case step == 0:
		return c.policy
	}
	return nil
}

// open returns the choices over which the optimum is taken in a step; nil for all.
func (c *check) open(step int) []bool {
	if c.result.Evaluated && c.result.Policies != nil {
		return c.followedIn(step)
	}
	return nil
}
