package certificate

// This file holds the question that a result answers, and its check as a whole.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Options add certificates to a result. The zero value is useful.
type Options struct {
	// Certificate is taken in place of that of the result.
	Certificate *Certificate

	// Achieved is a certificate for the model that has the choices of Result.Policy
	// alone: it is needed where the other certificate follows another policy.
	Achieved *Certificate

	// Terminal holds the rewards of ending in each state, for a finite horizon; none if empty.
	Terminal modelfile.Numbers
}

// Check says which claims of a result hold for a model, from the model and a
// certificate alone: see the documentation of the package.
//
// A result that is no answer to a question about the model is an error: one
// about another number of states, with an unknown reward model or label, or without
// the target that a total needs, or one about a policy (Result.Evaluated) where the
// model is not the chain of that policy ([modelfile.Model.Under]). So is a model, a result or a certificate that is not
// in order. If the context ends before the check does, the report, in which what was
// not proved by then is Undecided, comes with the cause as an error.
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
	q, err := newQuestion(ctx, model, nil, result, options.Terminal)
	if err != nil {
		return nil, err
	}
	certificate, n := cmp.Or(options.Certificate, result.Certificate), model.NumStates()
	if err := cmp.Or(certificate.Validate(n), options.Achieved.Validate(n)); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	c := &check{question: q, report: &Report{}, certificate: certificate}
	policy, complete := q.rows.choicesOf(result.Policy)
	switch lacks := c.lacksActions(); {
	case lacks && result.Evaluated:
		return nil, errors.New("certificate: a policy of a step has an action that the model has not")
	case complete && !lacks:
		c.policy = policy
	}
	c.writeClassification()
	if result.Criterion == finite {
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
const average, discounted, total, finite, timed = "average", "discounted", "total", "finite", "time"

// question is what a result answers, and about what.
type question struct {
	ctx     context.Context
	rows    *rows
	result  *Result
	sense   int        // −1 where rewards are maximised, otherwise 1
	nature  int        // −1 where nature minimises rewards, 1 where it maximises them, 0 without intervals
	target  []bool     // by state, for a total
	endless bool       // a total of all steps: no state is a target
	ending  []*big.Rat // terminal rewards; nil for none
	factor  *numbers   // β and 1−β, with a discount for ever; 1 and the rate in continuous time
	shrink  *big.Rat   // β of a finite horizon; nil for none
	reason  error      // why something is not proved
}

// newQuestion returns the question of a result, or what it lacks to be one. Rewards that are
// nil are those that the result names.
func newQuestion(ctx context.Context, m *modelfile.Model, rewards *modelfile.RewardModel, r *Result, terminal modelfile.Numbers) (*question, error) {
	if n, length := m.NumStates(), max(len(r.Values), len(r.Lower), len(r.Policy)); length != 0 && length != n {
		return nil, fmt.Errorf("certificate: a result about %d states does not fit the model, which has %d", length, n)
	}
	if r.Evaluated && r.Policies == nil && m.NumChoices() > m.NumStates() {
		return nil, errors.New("certificate: a result about one policy needs the chain of that policy, and the model has choices")
	}
	if m.IsUncertain() {
		m = m.Rounded()
	}
	if rewards == nil && r.Reward == "" && len(m.Rewards) == 0 {
		rewards = &modelfile.RewardModel{}
	}
	if rewards == nil {
		var err error
		if rewards, err = m.Reward(r.Reward); err != nil {
			return nil, err
		}
	}
	rows := newRows(m, rewards)
	q := &question{ctx: ctx, rows: rows, result: r, sense: map[string]int{"minimize": 1, "maximize": -1}[r.Sense]}
	if err := q.setNature(); err != nil {
		return nil, err
	}
	if r.Terminal != "" {
		ending, err := m.Reward(r.Terminal)
		if err != nil {
			return nil, err
		}
		terminal = ending.State
	}
	if n := terminal.Len(); n > 0 && n != m.NumStates() {
		return nil, fmt.Errorf("certificate: %d terminal rewards do not fit %d states", n, m.NumStates())
	} else if n > 0 {
		q.ending = terminal.Rationals()
	}
	rest := big.NewRat(1, 1)
	switch rest.Sub(rest, r.DiscountFactor()); {
	case r.Criterion == timed:
		return nil, errors.New("certificate: criterion time has bounds, but no certificate: solve it again")
	case rows.continuous && (r.Criterion == discounted && r.Rate == nil || r.Criterion == finite):
		return nil, fmt.Errorf("certificate: criterion %s is not valid for a %v, which has no steps", r.Criterion, m.Kind)
	case r.Rate != nil && (!rows.continuous || m.Kind == modelfile.SMDP || q.nature != 0):
		return nil, errors.New("certificate: a rate of discounting is valid in a CTMC or CTMDP without intervals only")
	case r.Rate != nil:
		q.factor = fromRationals(one, r.DiscountRate())
	case r.Criterion == total && r.Target == "" && q.nature != 0:
		return nil, errors.New("certificate: a total in a model with intervals needs a target: use the name of a label")
	case r.Criterion == total && r.Target == "":
		q.endless, q.target = true, make([]bool, m.NumStates())
	case r.Criterion == total:
		states, err := m.Labelled(r.Target)
		if err != nil {
			return nil, err
		}
		q.target = make([]bool, m.NumStates())
		for _, s := range states {
			q.target[s] = true
		}
	case r.Criterion == discounted && rest.Sign() <= 0:
		return nil, fmt.Errorf("certificate: discount %v is not valid: use a number from 0 to below 1", *r.Discount)
	case r.Criterion == discounted:
		q.factor = fromRationals(r.DiscountFactor(), rest)
	case r.Criterion == finite && rest.Sign() > 0:
		q.shrink = r.DiscountFactor()
	}
	return q, nil
}

// check is one call of Check.
type check struct {
	*question
	report            *Report
	certificate       *Certificate // nil: none
	policy            []bool       // the choices of Result.Policy; nil where that is none
	followed          *game        // that of the policy that the certificate follows
	other             bool         // that is another one than Result.Policy
	optimum, achieved []proof      // by state; achieved is nil without a policy
	scales            *scaleBounds // made when needed
}

// prove goes through the certificates.
func (c *check) prove(achieved *Certificate) {
	if c.certificate == nil {
		c.reason = errors.New("there is no certificate")
	}
	policy, _ := c.rows.choicesOf(c.result.Policy)
	if c.certificate != nil && c.certificate.Policy != nil {
		policy, _ = c.rows.choicesOf(c.certificate.Policy)
	}
	c.followed = newGame(c.question, policy, c.certificate.cycle())
	c.optimum = newGame(c.question, slices.Repeat([]bool{true}, c.rows.NumChoices()), c.certificate.cycle()).prove(c.certificate, c.followed)
	own := c.followed
	c.other = c.policy != nil && !slices.Equal(policy, c.policy)
	switch {
	case c.policy == nil:
		return
	case c.other:
		own = newGame(c.question, c.policy, cmp.Or(achieved, c.certificate).cycle())
	case achieved == nil && c.target == nil: // one side says it all
		c.achieved = c.optimum
		return
	}
	c.achieved = own.prove(cmp.Or(achieved, c.certificate), own)
	for s, best := range c.optimum { // no policy is better
		if own := c.achieved[s]; c.sense > 0 {
			c.achieved[s], c.optimum[s] = own.and(proof{best.lower, nothingAbove}), best.and(proof{nothingBelow, own.upper})
		} else {
			c.achieved[s], c.optimum[s] = own.and(proof{nothingBelow, best.upper}), best.and(proof{own.lower, nothingAbove})
		}
	}
}

// proveFinite goes backwards from the horizon.
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

// followedIn returns the choices of the policy in a step, from 0; nil for all, after the first
// step if the later ones are not known.
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

// open returns the choices that an answer is about in a step; nil for all.
func (c *check) open(step int) []bool {
	if c.result.Evaluated && c.result.Policies != nil {
		return c.followedIn(step)
	}
	return nil
}
