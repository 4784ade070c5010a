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
	var below, above *corner
	for j, w := range answer.Weights {
		switch point := answer.Points[j].Policy; {
		case w.Sign() == 0:
		case below == nil || s.limited(&point.Measures) <= s.limited(&below.Measures):
			below, above = point, below
		default:
			above = point
		}
	}
	if above == nil {
		return s.answer(below.weighed(s.weight), below.Measures, answer.Lower), nil
	}
	share, _ := answer.Weights[slices.IndexFunc(answer.Points, func(x point) bool { return x.Policy == above })].Float64()
	policy, err := s.between(ctx, below, above)
	if err != nil {
		return nil, err
	}
	measures, err := Measure(ctx, policy)
	if err != nil {
		return nil, err
	}
	found := s.answer(policy, measures, answer.Lower)
	used := s.limited(&measures) / s.c
	if used <= 1+tradeoff.Tie && (used >= 1-tradeoff.Tie || found.Status == mdp.Converged) {
		return found, nil
	}
	// The policies recur in different states.
	found = s.answer(below.weighed(s.weight), mixMeasures(below.Measures, above.Measures, share), answer.Lower)
	found.Other, found.OtherShare = above.weighed(s.weight), share
	return found, nil
}

// weighed returns the policy for a weight, if that is one.
func (c *corner) weighed(weight float64) *Policy {
	policy := *c.policy
	if isPositive(weight) {
		policy.parameters.StarvationWeight = weight
	}
	return &policy
}

// between returns a policy that randomises one decision, between two that cost least for a
// weight. The first few steps lead from one to a policy on its side of the limit, and all of
// them to the other side.
func (s *limitSearch) between(ctx context.Context, below, above *corner) (*Policy, error) {
	from, to := below.onto(s.best.policy), above.onto(s.best.policy)
	steps := from.differences(to)
	low, high := 0, len(steps)
	below, above = &corner{from, below.measured}, &corner{to, above.measured}
	for high-low > 1 {
		middle := (low + high) / 2
		found, err := s.measure(ctx, from.walked(to, steps[:middle]))
		if err != nil {
			return nil, err
		}
		if s.limited(&found.Measures) > s.c {
			high, above = middle, found
		} else {
			low, below = middle, found
		}
	}
	return s.mixed(below, above, steps[low])
}

// mixed returns the policy that meets the limit exactly, between two policies that differ in
// one decision and lie on either side of it. The less frequent decision gets a probability.
func (s *limitSearch) mixed(below, above *corner, at step) (*Policy, error) {
	layout := &below.policy.layout
	excess, room := s.limited(&above.Measures)-s.c, s.limited(&below.Measures)-s.c
	theta := room / (room - excess)
	index := at.place - 1
	other, usual := theta*above.share(index), (1-theta)*below.share(index)
	if other > usual { // a probability close to 1 would not have the digits of what is missing
		below, above, other, usual = above, below, usual, other
	}
	policy := below.weighed(s.weight)
	if other == 0 {
		return policy, nil
	}
	row, code := layout.split(index)
	return policy.WithChance(Chance{
		State: layout.state(make([]int, len(layout.mixes.robots)), row, code), Event: at.event,
		Decisions: above.policy.decisions(row, code), Probability: other / (other + usual),
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

// step is a decision in which two policies differ: the place in their lists, and the event.
type step struct {
	place int
	event Event
}

// differences returns all decisions in which two policies differ.
func (p *Policy) differences(q *Policy) []step {
	var steps []step
	for place := range p.activate {
		if p.activate[place] != q.activate[place] {
			steps = append(steps, step{place, Departure})
		}
		if p.reactivate[place] != q.reactivate[place] {
			steps = append(steps, step{place, Arrival})
		}
	}
	return steps
}

// walked returns p with some decisions of q.
func (p *Policy) walked(q *Policy, steps []step) *Policy {
	r := p.clone()
	for _, at := range steps {
		if at.event == Departure {
			r.activate[at.place] = q.activate[at.place]
		} else {
			r.reactivate[at.place] = q.reactivate[at.place]
		}
	}
	return r
}
