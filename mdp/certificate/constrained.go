package certificate

// This file holds results with constraints: what they are, and their check.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Component is a policy of a mixture. The probability that it is drawn at the start is Weight over
// the sum of all weights.
type Component struct {
	Weight float64 `json:"weight"`

	// Probabilities are by choice. Divided by their sum in a state, they are those of its actions.
	Probabilities []float64 `json:"probabilities"`

	// Certificates prove values of the policy's chain: that of Result.Reward first, then those of
	// the constraints. They are stated for minimised costs, whatever the sense.
	Certificates []*Certificate `json:"certificates"`
}

// policy returns the policy, in fractions.
func (c *Component) policy(m *modelfile.Model) (mdp.Policy, error) {
	p, err := mdp.RandomizedPolicy(m, c.Probabilities)
	if err != nil {
		err = fmt.Errorf("certificate: mixture: probabilities: %s", strings.TrimPrefix(err.Error(), "mdp: "))
	}
	return p, err
}

// policyOfSteps returns the policy of a finite horizon. The component is about the model that
// [modelfile.Model.Unrolled] makes of m.
func (c *Component) policyOfSteps(q *question.Question, m *modelfile.Model) (p mdp.Policy, err error) {
	asked, err := q.On(m)
	if err != nil {
		return p, err
	}
	all, err := c.policy(asked.Model)
	if err != nil {
		return p, err
	}
	if q.Steps() < 2 { // the policy of all steps is that of the only one
		all.Start = all.Start[:m.NumStates()+1]
		all.Actions = all.Actions[:all.Start[m.NumStates()]]
		all.Probabilities = all.Probabilities[:len(all.Actions)]
		return all, nil
	}
	for t := range q.Steps() {
		first := t * m.NumStates()
		start := slices.Clone(all.Start[first : first+m.NumStates()+1])
		lo, hi := start[0], start[len(start)-1]
		for i := range start {
			start[i] -= lo
		}
		p.Steps = append(p.Steps, mdp.Policy{Start: start, Actions: all.Actions[lo:hi], Probabilities: all.Probabilities[lo:hi]})
	}
	return p, nil
}

// KeepConstrained sets Value, ValueBounds, Certificate, Mixture, and Value and Multiplier of the
// constraints to what [mdp.SolveConstrained] has found. The constraints must already have their
// Reward, Sense and Bound. rate is the uniformization rate of the table, 1 in discrete time.
func (r *Result) KeepConstrained(found *mdp.Constrained, rate float64) {
	r.Value, r.ValueBounds = found.Value, Floats{found.Lower, found.Upper}
	r.Certificate = &Certificate{Lower: witnessOf(found.Proof().Lower, rate)}
	for i := range r.Constraints {
		r.Constraints[i].Value, r.Constraints[i].Multiplier = found.Limits[i], found.Multipliers[i]
	}
	for _, x := range found.Mixture {
		c := Component{Weight: x.Weight, Probabilities: x.Probabilities}
		for _, result := range x.Results {
			c.Certificates = append(c.Certificates, CertificateOf(result, rate))
		}
		r.Mixture = append(r.Mixture, c)
	}
}

// validateConstrained reports what is wrong with the members of a result with constraints.
func (r *Result) validateConstrained() error {
	if r.Constraints == nil {
		if r.Mixture != nil || r.ValueBounds != nil {
			return errors.New("a mixture or value_bounds need constraints")
		}
		return nil
	}
	switch {
	case r.Values != nil || r.Lower != nil || r.Policy != nil || r.Evaluated:
		return errors.New("a result with constraints has value_bounds and mixture, and no values, lower, upper, policy or evaluated")
	case len(r.ValueBounds) != 2 || len(r.Mixture) == 0 || r.Certificate == nil || r.Certificate.Policy != nil:
		return errors.New("a result with constraints needs value_bounds, two numbers, a mixture, and a certificate without policy")
	}
	for _, x := range r.Mixture {
		invalid := func(p float64) bool { return !isCount(p) }
		if invalid(x.Weight) || x.Weight == 0 || slices.ContainsFunc(x.Probabilities, invalid) || len(x.Certificates) != len(r.Constraints)+1 {
			return fmt.Errorf("each policy of the mixture needs a weight above 0, probabilities from 0, and %d certificates", len(r.Constraints)+1)
		}
	}
	return nil
}

// about checks a certificate for the least value of other rewards in a model, by the criterion of
// the result.
func (r *Result) about(ctx context.Context, m *modelfile.Model, rewards *modelfile.RewardModel, policy []int32, certificate *Certificate) (*check, error) {
	other := &Result{Question: r.Question, Initial: r.Initial, Policy: policy}
	other.Sense, other.Constraints = "minimize", nil
	asked, err := other.On(m)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	q, err := newProblem(ctx, asked, rewards, other)
	if err := cmp.Or(err, certificate.Validate(m.NumStates())); err != nil {
		return nil, err
	}
	c := &check{problem: q, report: &Report{}, certificate: certificate}
	c.policy, _ = q.rows.choicesOf(policy)
	c.prove(nil)
	return c, nil
}

// signOf returns the sign with which a reward of that sense is minimised: −1 if it is maximised or
// has a lower limit.
func signOf(sense string) *big.Rat {
	if sense == "maximize" || sense == ">=" {
		return big.NewRat(-1, 1)
	}
	return big.NewRat(1, 1)
}

// checkConstrained is [Check] for a result with constraints.
func checkConstrained(ctx context.Context, m *modelfile.Model, r *Result) (*Report, error) {
	asked, _, err := r.About(m, nil)
	if err != nil {
		return nil, err
	}
	if asked.Model != m || r.Property != "" { // each step has states of its own, or states remember events of the property
		unrolled := *r
		unrolled.Question = asked.Question
		unrolled.Constraints = r.Constraints // with what they claim
		m, r = asked.Model, &unrolled
	}
	if !slices.Contains(m.Initial, int32(r.Initial)) {
		return nil, fmt.Errorf("certificate: state %d of a result with constraints is not where the model begins: %d", r.Initial, m.Initial)
	}
	names, weights := []string{r.Reward}, []*big.Rat{signOf(r.Sense)}
	for _, x := range r.Constraints {
		price := new(big.Rat).SetFloat64(x.Multiplier)
		names, weights = append(names, x.Reward), append(weights, price.Mul(price, signOf(x.Sense)))
	}
	var rewards []*modelfile.RewardModel
	for _, name := range names {
		reward, err := m.Reward(name)
		if err != nil {
			return nil, err
		}
		rewards = append(rewards, reward)
	}
	// No policy within the limits has less than L − Σ λ·b.
	free, err := r.about(ctx, m, sumOf(rewards, weights), nil, r.Certificate)
	if err != nil {
		return nil, err
	}
	best, reason := free.optimum[r.Initial].lower, free.reason
	for i, x := range r.Constraints {
		best = best.plus(exactBound(x.Bound), new(big.Rat).Neg(weights[i+1]))
	}
	total, mixture, sizes := new(big.Rat), make([]proof, len(names)), make([]bound, len(names))
	for _, x := range r.Mixture {
		total.Add(total, new(big.Rat).SetFloat64(x.Weight))
	}
	for _, x := range r.Mixture {
		policy, err := x.policy(m)
		if err != nil {
			return nil, err
		}
		chain, err := m.Under(policy)
		if err != nil {
			return nil, err
		}
		share := new(big.Rat).SetFloat64(x.Weight)
		share.Quo(share, total)
		for i, name := range names {
			reward, err := chain.Reward(name)
			if err != nil {
				return nil, err
			}
			own, err := r.about(ctx, chain, reward, make([]int32, m.NumStates()), x.Certificates[i])
			if err != nil {
				return nil, err
			}
			p := own.optimum[r.Initial]
			mixture[i] = proof{mixture[i].lower.plus(p.lower, share), mixture[i].upper.plus(p.upper, share)}
			sizes[i] = sizes[i].plus(own.scale(r.Initial, p.interval()), share)
			reason = cmp.Or(reason, own.reason)
		}
	}
	report := &Report{}
	r.judge(report, best, mixture, sizes)
	for list, p := range map[*[]Interval]Interval{&report.Optimum: report.Optimum[0], &report.Achieved: mixture[0].interval()} {
		*list = slices.Repeat([]Interval{unproved.interval()}, m.NumStates())
		(*list)[r.Initial] = p
	}
	if report.Verdict() == Holds {
		return report, nil
	}
	report.Reason = cmp.Or(context.Cause(ctx), reason)
	return report, context.Cause(ctx)
}

// judge judges the claims of a result with constraints. least is a lower bound on the value, as it
// is minimised, of all policies within the limits. sizes are the scales of the mixture's values.
func (r *Result) judge(report *Report, least bound, mixture []proof, sizes []bound) {
	s, tolerance, scale, kept := r.Initial, r.ToleranceOr(tightTolerance), sizes[0], true
	for _, f := range []*Finding{&report.Bounds, &report.Values, &report.Policy, &report.Status, &report.Classification} {
		f.Verdict = Holds
	}
	for i, x := range r.Constraints {
		value, limit := floatBound(x.Value), exactBound(x.Bound)
		down, up := limit.rounded()
		isKept, isMet, beyond := mixture[i+1].atMost(value), value.compare(limit) <= 0, Interval{down, x.Value}
		if x.Sense == ">=" {
			isKept, isMet, beyond = mixture[i+1].atLeast(value), value.compare(limit) >= 0, Interval{x.Value, up}
		}
		kept, scale = kept && isMet, scale.plus(sizes[i+1], new(big.Rat).SetFloat64(x.Multiplier))
		report.Policy.add(isKept, s, mixture[i+1], own, "the claim that the mixture keeps %s to %v", x.Reward, x.Value)
		report.Policy.add(judge(isMet || within(beyond, tolerance, sizes[i+1]), true), s, mixture[i+1], own, "the claim that %s keeps to its bound with %v", x.Reward, x.Value)
	}
	claimed, best := Interval{r.ValueBounds[0], r.ValueBounds[1]}, proof{least, mixture[0].upper}
	lower, upper := floatBound(claimed.Lower), floatBound(claimed.Upper)
	achieved, number := mixture[0].atMost(upper), claimed.Upper
	if r.Sense == "maximize" {
		best = proof{mixture[0].lower, floatBound(0).plus(least, signOf(r.Sense))}
		achieved, number = mixture[0].atLeast(lower), claimed.Lower
	}
	report.Policy.add(achieved, s, mixture[0], own, "the claim that the mixture achieves the bound %v", number)
	report.Bounds.add(best.atLeast(lower), s, best, optimum, "lower bound %v", claimed.Lower)
	report.Bounds.add(best.atMost(upper), s, best, optimum, "upper bound %v", claimed.Upper)
	report.Optimum = []Interval{best.interval()}
	switch { // a mixture that meets its limits only up to the tolerance does not bound the optimum
	case kept:
	case r.Sense == "maximize":
		report.Optimum[0].Lower = math.Inf(-1)
	default:
		report.Optimum[0].Upper = math.Inf(1)
	}
	if !(claimed.Lower <= r.Value && r.Value <= claimed.Upper) {
		report.Values.add(Refuted, s, unproved, fmt.Sprint("the bounds are ", claimed), "value %v", r.Value)
	}
	if r.Status == "converged" && !within(claimed, tolerance, scale) {
		report.Status.add(Undecided, s, best, fmt.Sprint("the bounds are ", claimed), "status converged")
	}
}

// sumOf returns Σ_i weights[i]·rewards[i], exactly.
func sumOf(rewards []*modelfile.RewardModel, weights []*big.Rat) *modelfile.RewardModel {
	sum := &modelfile.RewardModel{}
	for i, reward := range rewards {
		for _, list := range []struct{ from, to *modelfile.Numbers }{
			{&reward.State, &sum.State}, {&reward.Action, &sum.Action}, {&reward.Transition, &sum.Transition},
		} {
			if list.to.Exact == nil && list.from.Len() > 0 {
				list.to.Exact = slices.Repeat([]*big.Rat{new(big.Rat)}, list.from.Len())
			}
			for at, x := range list.from.Rationals() {
				if x.Sign() != 0 {
					list.to.Exact[at] = new(big.Rat).Add(list.to.Exact[at], new(big.Rat).Mul(weights[i], x))
				}
			}
		}
	}
	return sum
}
