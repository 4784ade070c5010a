package mdp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

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

// maxRoots bounds the tries at a root.
const maxRoots = 8

// factor factors the class around its root, and again around another state
// where that is much more visited. Where the root is so rarely visited that
// the way to it underflows, the state that is stuck is the better root.
func (c *classSystem) factor(ctx context.Context, s *system, order []int32, group int32) error {
	for try := 1; ; try++ {
		err := c.factorAround(ctx, s, order, group)
		var stuck *stuckError
		if errors.As(err, &stuck) && try < maxRoots {
			c.root = stuck.state
			continue
		}
		if err != nil {
			return err
		}
		if len(c.visits) == 0 {
			break
		}
		most := floats.Max(c.visits) // +Inf where some overflow
		if rootShare*most <= 1 {
			break
		}
		if try == maxRoots {
			if math.IsInf(most, 1) {
				return &stuckError{state: c.root}
			}
			break
		}
		c.root = c.rest.mostVisited(c.entries(s))
	}
	ones := make([]float64, len(c.rest.order))
	floats.AddConst(1, ones)
	c.duration = c.rest.solve(ones)
	for i, steps := range c.duration {
		if math.IsInf(steps, 1) {
			return &stuckError{state: c.rest.order[i]}
		}
	}
	return nil
}

// factorAround factors the class around its present root and counts visits.
func (c *classSystem) factorAround(ctx context.Context, s *system, order []int32, group int32) error {
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
	c.visits = c.rest.solveTransposed(c.entries(s))
	return nil
}

// entries returns the probability of going from the root to each other state,
// by place in rest.
func (c *classSystem) entries(s *system) []float64 {
	entries := make([]float64, len(c.rest.order))
	columns, probabilities := s.chain.row(c.root)
	for i, j := range columns {
		entries[s.groups.place[j]] += probabilities[i]
	}
	return entries
}

// walkSteps bounds the steps of likelyState.
const walkSteps = 1 << 18

// likelyState returns a state of a closed class that is probably often
// visited: the one in which a random walk spends the most time in its second
// half. The walk is the same each time; its only effect is on speed.
func likelyState(chain *chain, states []int32) int32 {
	steps := min(8*len(states), walkSteps)
	random := rand.New(rand.NewPCG(1, 2))
	spent := make(map[int32]float64)
	s, best := states[0], states[0]
	for step := range steps {
		columns, probabilities := chain.row(s)
		leave := floats.Sum(probabilities)
		if 2*step >= steps {
			spent[s] += 1 / leave
			if spent[s] > spent[best] {
				best = s
			}
		}
		u := random.Float64() * leave
		i := 0
		for ; i < len(columns)-1 && u >= probabilities[i]; i++ {
			u -= probabilities[i]
		}
		if len(columns) > 0 {
			s = columns[i]
		}
	}
	return best
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
