// This file finds the policy that meets a limit, between two on either side of it that cost
// the same.

package robots

import (
	"context"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/tradeoff"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// finish makes the answer of one policy, or of the two on either side of the limit.
func (s *limitSearch) finish(ctx context.Context, answer *tradeoff.Answer[*corner]) (*Constrained, error) {
	var mixed []point
	var shares []float64
	for j, share := range answer.Weights {
		if share > 0 {
			mixed, shares = append(mixed, answer.Points[j]), append(shares, share)
		}
	}
	if len(mixed) > 1 && mixed[0].Values[1] > mixed[1].Values[1] {
		slices.Reverse(mixed)
		slices.Reverse(shares)
	}
	below := mixed[0].Policy
	if len(mixed) == 1 {
		return s.answer(below.weighed(s.weight), below.Measures, answer.Lower), nil
	}
	policy, err := s.between(ctx, mixed[0], mixed[1])
	if err != nil {
		return nil, err
	}
	measures, err := Measure(ctx, policy)
	if err != nil {
		return nil, err
	}
	found := s.answer(policy, measures, answer.Lower)
	used := s.values(&measures)[1] / s.c
	if used <= 1+tradeoff.Tie && (used >= 1-tradeoff.Tie || found.Status == mdp.Converged) {
		return found, nil
	}
	// The policies recur in different states.
	found = s.answer(below.weighed(s.weight), mixMeasures(below.Measures, mixed[1].Policy.Measures, shares[1]), answer.Lower)
	found.Other, found.OtherShare = mixed[1].Policy.weighed(s.weight), shares[1]
	return found, nil
}

// weighed returns the policy with a weight as StarvationWeight, if that is a valid one.
func (c *corner) weighed(weight float64) *Policy {
	policy := *c.policy
	if isPositive(weight) {
		policy.parameters.StarvationWeight = weight
	}
	return &policy
}

// between returns a policy that randomises one decision, between two policies that cost least for a
// weight and lie on either side of the limit. Policies that take their first few decisions from one,
// and the others from the other, lead step by step across the limit; the step that crosses it is
// the decision to randomise. Of its two sides, the less frequent one gets a probability.
func (s *limitSearch) between(ctx context.Context, below, above point) (*Policy, error) {
	from, to := below.Policy.onto(s.best.Policy.policy), above.Policy.onto(s.best.Policy.policy)
	var steps []int // where they differ: at two events in each place of their lists
	for place := range from.activate {
		if from.activate[place] != to.activate[place] {
			steps = append(steps, 2*place+int(Departure))
		}
		if from.reactivate[place] != to.reactivate[place] {
			steps = append(steps, 2*place+int(Arrival))
		}
	}
	below.Policy, above.Policy = &corner{from, below.Policy.measured}, &corner{to, above.Policy.measured}
	for len(steps) > 1 {
		middle, next := len(steps)/2, from.clone()
		copy(next.activate, to.activate[:(steps[middle]+1)/2])
		copy(next.reactivate, to.reactivate[:steps[middle]/2])
		found, err := s.measure(ctx, next)
		switch {
		case err != nil:
			return nil, err
		case found.Values[1] > s.c:
			steps, above = steps[:middle], found
		default:
			steps, below = steps[middle:], found
		}
	}
	layout, index := &from.layout, steps[0]/2-1
	excess, room := above.Values[1]-s.c, below.Values[1]-s.c
	theta := room / (room - excess)
	other, usual := theta*above.Policy.share(index), (1-theta)*below.Policy.share(index)
	if other > usual { // a probability close to 1 would not have the digits of what is missing
		below, above, other, usual = above, below, usual, other
	}
	policy := below.Policy.weighed(s.weight)
	if other == 0 {
		return policy, nil
	}
	row, code := layout.split(index)
	return policy.WithChance(Chance{
		State: layout.state(make([]int, len(layout.mixes.robots)), row, code), Event: Event(steps[0] % 2),
		Decisions: above.Policy.policy.decisions(row, code), Probability: other / (other + usual),
	})
}

// onto returns a policy that decides like the corner's on its recurrent states, and like
// another policy elsewhere.
func (c *corner) onto(other *Policy) *Policy {
	p := other.clone()
	p.parameters = c.policy.parameters
	for _, index := range c.class.States {
		p.activate[index+1], p.reactivate[index+1] = c.policy.activate[index+1], c.policy.reactivate[index+1]
	}
	return p
}
