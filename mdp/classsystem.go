package mdp

import (
	"context"

	"gonum.org/v1/gonum/floats"
)

// classSystem is a closed class. Without one of its states, the root, it is a
// chain that is absorbed when it comes back to the root.
type classSystem struct {
	states   []int32 // ascending
	root     int32
	rest     *elimination
	visits   []float64 // expected visits between two visits to the root, by place in rest
	duration []float64 // expected steps to the root, by place in rest
}

// rootShare is the least share that the root must have of the visits to the
// state that is visited most. Values are summed up between visits to the root,
// so a root that is rarely visited costs digits.
const rootShare = 0x1p-10

// factor factors the class around its root, and once more around the state it
// visits most if the root turns out to be visited rarely.
func (c *classSystem) factor(ctx context.Context, s *system, order []int32, group int32) error {
	for {
		rest := make([]int32, 0, len(order)-1)
		for _, state := range order {
			if state != c.root {
				rest = append(rest, state)
			}
		}
		s.groups.set([]int32{c.root}, rootGroup)
		s.groups.set(rest, group)
		var err error
		if c.rest, err = newElimination(ctx, s.chain, rest, s.groups, group); err != nil {
			return err
		}
		entries := make([]float64, len(rest))
		columns, probabilities := s.chain.row(c.root)
		for i, j := range columns {
			entries[s.groups.place[j]] += probabilities[i]
		}
		c.visits = c.rest.solveTransposed(entries)
		if len(rest) == 0 {
			break
		}
		most := floats.MaxIdx(c.visits)
		if rootShare*c.visits[most] <= 1 {
			break
		}
		c.root = rest[most]
	}
	ones := make([]float64, len(c.rest.order))
	floats.AddConst(1, ones)
	c.duration = c.rest.solve(ones)
	return nil
}

// gain returns the long-run average of b: what one return to the root costs
// over what it takes.
func (c *classSystem) gain(s *system, b []float64) float64 {
	sums := c.rest.solve(gather(b, c.rest.order))
	cost, steps := b[c.root], 1.0
	columns, probabilities := s.chain.row(c.root)
	for i, j := range columns {
		k := s.groups.place[j]
		cost += probabilities[i] * sums[k]
		steps += probabilities[i] * c.duration[k]
	}
	return cost / steps
}

// stationary returns the stationary distribution over states.
func (c *classSystem) stationary(s *system) []float64 {
	distribution := make([]float64, len(c.states))
	for i, state := range c.states {
		distribution[i] = 1
		if state != c.root {
			distribution[i] = c.visits[s.groups.place[state]]
		}
	}
	floats.Scale(1/floats.Sum(distribution), distribution)
	return distribution
}
