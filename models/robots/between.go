// This file finds the policy that meets a limit, between two on either side of it that cost
// the same.

package robots

import "context"

// finish finds the best policy between the two neighbours, given a policy that has least
// cost for the weight in every state.
func (s *limitSearch) finish(ctx context.Context, best corner) (*Constrained, error) {
	idle, eager := s.idle.onto(best.policy), s.eager.onto(best.policy)
	steps := idle.differences(eager)
	// The first few steps lead to a policy on one side of the limit, and all of them
	// to the other side.
	low, high := 0, len(steps)
	below, above := corner{idle, s.idle.measured}, corner{eager, s.eager.measured}
	for high-low > 1 {
		middle := (low + high) / 2
		found, err := s.measure(ctx, idle.walked(eager, steps[:middle]))
		if err != nil {
			return nil, err
		}
		if s.isEager(&found.Measures) {
			high, above = middle, found
		} else {
			low, below = middle, found
		}
	}
	policy, err := s.mixed(below, above, steps[low])
	if err != nil {
		return nil, err
	}
	measures, err := Measure(ctx, policy)
	if err != nil {
		return nil, err
	}
	if s.above(&measures) > equalCosts*s.c {
		// Of several closed classes of that policy another one is reached.
		return s.answer(s.known(ctx)), nil
	}
	return s.answer(policy, measures), nil
}

// mixed returns the policy that meets the limit exactly, between two policies that differ in
// one decision and lie on either side of it. The less frequent decision gets a probability.
func (s *limitSearch) mixed(below, above corner, at step) (*Policy, error) {
	layout := &below.policy.layout
	excess, room := s.above(&above.Measures), s.above(&below.Measures)
	theta := room / (room - excess)
	index := layout.index(at.row, at.code)
	other, usual := theta*above.share(index), (1-theta)*below.share(index)
	if other > usual { // a probability close to 1 would not have the digits of what is missing
		below, above, other, usual = above, below, usual, other
	}
	usualPolicy := *below.policy
	usualPolicy.parameters.StarvationWeight = s.weight
	if other == 0 {
		return &usualPolicy, nil
	}
	state := layout.state(make([]int, len(layout.mixes.robots)), at.row, at.code)
	return usualPolicy.WithChance(Chance{
		State: state, Event: at.event, Decisions: above.policy.decisions(at.row, at.code), Probability: other / (other + usual),
	})
}

// onto returns a policy that decides like the corner's on its recurrent states, and like
// another policy elsewhere.
func (c *corner) onto(other *Policy) *Policy {
	p := other.clone()
	p.parameters = c.policy.parameters
	for _, index := range c.class.States {
		row, code := p.layout.split(index)
		p.set(row, code, c.policy.decisions(row, code))
	}
	return p
}

// step is a decision in which two policies differ.
type step struct {
	row, code int
	event     Event
}

// differences returns all decisions in which two policies differ.
func (p *Policy) differences(q *Policy) []step {
	var steps []step
	for row := range p.layout.rows() {
		for code := range p.layout.mixes.count {
			if p.layout.index(row, code) < 0 {
				continue
			}
			a, b := p.decisions(row, code), q.decisions(row, code)
			if a.Activate != b.Activate {
				steps = append(steps, step{row, code, Departure})
			}
			if a.Reactivate != b.Reactivate {
				steps = append(steps, step{row, code, Arrival})
			}
		}
	}
	return steps
}

// walked returns p with some decisions of q.
func (p *Policy) walked(q *Policy, steps []step) *Policy {
	r := p.clone()
	for _, at := range steps {
		r.set(at.row, at.code, r.decisions(at.row, at.code).with(at.event, q.decisions(at.row, at.code)))
	}
	return r
}
