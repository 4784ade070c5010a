package certificate

// This file holds results with constraints: what they are, and their check.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Constraint is a limit on the value of a reward model, by the criterion of the [Result] and
// from its initial state.
type Constraint struct {
	Reward string   `json:"reward"`
	Sense  string   `json:"sense"` // "<=" or ">="
	Bound  *big.Rat `json:"bound"`

	// Value is proved: what the mixture has is no more, or no less for ">=". Multiplier is the
	// price of the limit, ≥ 0.
	Value      float64 `json:"value"`
	Multiplier float64 `json:"multiplier"`
}

// Component is a policy of a mixture, which is drawn at the start with a probability: Weight
// over the sum of all weights.
type Component struct {
	Weight  float64      `json:"weight"`
	Policy  []int32      `json:"policy"`
	Chances []mdp.Chance `json:"chances,omitempty"` // in the order of the states

	// Certificates prove the values of the chain of the policy, of Result.Reward and of the
	// constraints, as if minimised: signs are changed for ">=", and where the sense is maximize.
	Certificates []*Certificate `json:"certificates"`
}

// Randomized returns the policy of a component with its chances.
func (c *Component) Randomized() (*modelfile.Policy, error) {
	p, chances := modelfile.NewPolicy(c.Policy), c.Chances
	if len(chances) == 0 {
		return p, nil
	}
	p.Actions = nil
	for s, usual := range c.Policy {
		rest, shares := big.NewRat(1, 1), map[int32]*big.Rat{usual: nil}
		for ; len(chances) > 0 && int(chances[0].State) == s; chances = chances[1:] {
			x := new(big.Rat).SetFloat64(chances[0].Probability)
			if _, twice := shares[chances[0].Action]; twice || x == nil || x.Sign() <= 0 || rest.Sub(rest, x).Sign() <= 0 {
				return nil, fmt.Errorf("certificate: mixture: the chances of state %d are not valid: use other actions than %d, each once, with positive probabilities of a sum below 1", s, usual)
			}
			shares[chances[0].Action] = x
		}
		shares[usual] = rest
		for _, a := range slices.Sorted(maps.Keys(shares)) {
			p.Actions, p.Probabilities = append(p.Actions, a), append(p.Probabilities, shares[a])
		}
		p.Start[s+1] = int32(len(p.Actions))
	}
	if len(chances) > 0 {
		return nil, fmt.Errorf("certificate: mixture: a chance of state %d is out of order, or there is no such state", chances[0].State)
	}
	return p, nil
}

// KeepConstrained sets what [mdp.SolveConstrained] has found of the table of a model, whose
// uniformization rate it needs. The constraints have their Reward, Sense and Bound.
func (r *Result) KeepConstrained(found *mdp.Constrained, rate float64) {
	r.Value, r.ValueBounds = found.Value, Floats{found.Lower, found.Upper}
	r.Certificate = &Certificate{Lower: witnessOf(found.Proof().Lower, rate)}
	for i := range r.Constraints {
		r.Constraints[i].Value, r.Constraints[i].Multiplier = found.Limits[i], found.Multipliers[i]
	}
	for _, x := range found.Mixture {
		c := Component{Weight: x.Weight, Policy: x.Policy, Chances: x.Chances}
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
	case r.Criterion != average && r.Criterion != discounted && r.Criterion != total:
		return fmt.Errorf("criterion %s is not valid with constraints: use average, discounted or total", r.Criterion)
	case r.Values != nil || r.Lower != nil || r.Policy != nil || r.Evaluated || r.Property != "":
		return errors.New("a result with constraints has value_bounds and mixture, and no values, lower, upper, policy, evaluated or property")
	case len(r.ValueBounds) != 2 || len(r.Mixture) == 0 || r.Certificate == nil || r.Certificate.Policy != nil:
		return errors.New("a result with constraints needs value_bounds, two numbers, a mixture, and a certificate without policy")
	}
	for _, x := range r.Constraints {
		if x.Reward == "" || x.Sense != "<=" && x.Sense != ">=" || x.Bound == nil || !isCount(x.Multiplier) {
			return errors.New(`each of the constraints needs the name of a reward, the sense "<=" or ">=", a bound such as "1/100", and a multiplier from 0`)
		}
	}
	for _, x := range r.Mixture {
		if !isCount(x.Weight) || x.Weight == 0 || len(x.Certificates) != len(r.Constraints)+1 {
			return fmt.Errorf("each policy of the mixture needs a weight above 0, and %d certificates", len(r.Constraints)+1)
		}
		for _, c := range x.Certificates {
			if err := c.Validate(len(x.Policy)); err != nil {
				return err
			}
		}
	}
	return nil
}

// about returns the check of another question about a model with its own certificate: the
// least value of rewards.
func (r *Result) about(ctx context.Context, m *modelfile.Model, rewards *modelfile.RewardModel, policy []int32, certificate *Certificate) (*check, error) {
	other := &Result{
		Criterion: r.Criterion, Sense: "minimize", Target: r.Target, Discount: r.Discount, ExactDiscount: r.ExactDiscount,
		Initial: r.Initial, Policy: policy,
	}
	q, err := newQuestion(ctx, m, rewards, other, modelfile.Numbers{})
	if err != nil {
		return nil, err
	}
	c := &check{question: q, report: &Report{}, certificate: certificate}
	c.policy, _ = q.rows.choicesOf(policy)
	c.prove(nil)
	return c, nil
}

// checkConstrained is [Check] for a result with constraints, in the normal form in which values
// are minimised and limits are upper ones: by signs.
func checkConstrained(ctx context.Context, m *modelfile.Model, r *Result) (*Report, error) {
	names, signs, prices := []string{r.Reward}, []*big.Rat{big.NewRat(1, 1)}, []*big.Rat{big.NewRat(1, 1)}
	if r.Sense == "maximize" {
		signs[0].SetInt64(-1)
	}
	for _, x := range r.Constraints {
		names, prices = append(names, x.Reward), append(prices, new(big.Rat).SetFloat64(x.Multiplier))
		signs = append(signs, big.NewRat(map[string]int64{"<=": 1, ">=": -1}[x.Sense], 1))
	}
	var rewards []*modelfile.RewardModel
	var weights []*big.Rat
	for i, name := range names {
		reward, err := m.Reward(name)
		if err != nil {
			return nil, err
		}
		rewards, weights = append(rewards, reward), append(weights, new(big.Rat).Mul(prices[i], signs[i]))
	}
	// No policy within the limits has less than L − Σ λ·b.
	free, err := r.about(ctx, m, sumOf(rewards, weights), nil, r.Certificate)
	if err != nil {
		return nil, err
	}
	best, reason := proof{free.optimum[r.Initial].lower, nothingAbove}, free.reason
	for i, x := range r.Constraints {
		best.lower = best.lower.plus(exactBound(x.Bound), new(big.Rat).Neg(weights[i+1]))
	}
	total, mixture, scale := new(big.Rat), make([]proof, len(names)), floatBound(0)
	for _, x := range r.Mixture {
		total.Add(total, new(big.Rat).SetFloat64(x.Weight))
	}
	for _, x := range r.Mixture {
		policy, err := x.Randomized()
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
			own, err := r.about(ctx, chain, sumOf([]*modelfile.RewardModel{reward}, signs[i:i+1]), make([]int32, m.NumStates()), x.Certificates[i])
			if err != nil {
				return nil, err
			}
			p := own.optimum[r.Initial]
			mixture[i] = proof{mixture[i].lower.plus(p.lower, share), mixture[i].upper.plus(p.upper, share)}
			scale = scale.plus(own.scale(r.Initial, p.interval()), new(big.Rat).Mul(share, prices[i]))
			reason = cmp.Or(reason, own.reason)
		}
	}
	report := &Report{Optimum: slices.Repeat([]Interval{unproved.interval()}, m.NumStates())}
	if r.judge(report, best, mixture, signs, scale); report.Verdict() == Holds {
		return report, nil
	}
	report.Reason = cmp.Or(context.Cause(ctx), reason)
	return report, context.Cause(ctx)
}

// judge judges the claims of a result with constraints by what is proved of the optimum, from
// below, and of the values of the mixture.
func (r *Result) judge(report *Report, best proof, mixture []proof, signs []*big.Rat, scale bound) {
	s, tolerance, kept := r.Initial, r.ToleranceOr(tightTolerance), true
	for _, f := range []*Finding{&report.Bounds, &report.Values, &report.Policy, &report.Status, &report.Classification} {
		f.Verdict = Holds
	}
	claimed := Interval{r.ValueBounds[0], r.ValueBounds[1]}
	if !(claimed.Lower <= r.Value && r.Value <= claimed.Upper) {
		report.Values.add(Refuted, s, unproved, fmt.Sprint("the bounds are ", claimed), "value %v", r.Value)
	}
	if signs[0].Sign() < 0 {
		claimed = Interval{0 - claimed.Upper, 0 - claimed.Lower}
	}
	report.Policy.add(mixture[0].atMost(floatBound(claimed.Upper)), s, mixture[0], own, "the claim that the mixture achieves the bound %v", claimed.Upper)
	for i, x := range r.Constraints {
		sign, _ := signs[i+1].Float64()
		most, p, limit := floatBound(sign*x.Value), mixture[i+1], exactBound(new(big.Rat).Mul(signs[i+1], x.Bound))
		report.Policy.add(p.atMost(most), s, p, own, "the claim that the mixture keeps "+x.Reward+" to %v", x.Value)
		isMet := most.compare(limit) <= 0
		kept = kept && isMet
		down, _ := limit.rounded()
		near := r.Status != "converged" || within(Interval{down, most.Hi}, tolerance, shared(p.interval()))
		report.Policy.add(judge(isMet || near, true), s, p, own, "the claim that "+x.Reward+" keeps to its bound with %v", x.Value)
	}
	if kept {
		best.upper = mixture[0].upper
		report.Bounds.add(best.atMost(floatBound(claimed.Upper)), s, best, optimum, "bound %v", claimed.Upper)
	}
	report.Bounds.add(best.atLeast(floatBound(claimed.Lower)), s, best, optimum, "bound %v", claimed.Lower)
	if r.Status == "converged" && !within(claimed, tolerance, scale) {
		report.Status.add(Undecided, s, best, fmt.Sprint("the bounds are ", claimed), "status converged")
	}
	report.Achieved = slices.Clone(report.Optimum)
	for list, p := range map[*[]Interval]proof{&report.Optimum: best, &report.Achieved: mixture[0]} {
		i := p.interval()
		if signs[0].Sign() < 0 {
			i = Interval{0 - i.Upper, 0 - i.Lower}
		}
		(*list)[s] = i
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
