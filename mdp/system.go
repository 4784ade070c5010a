package mdp

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// system is the factored form of the evaluation equations of a chain,
//
//	g = P·g,  h = b − g + P·h,
//
// for any right-hand side b: each closed class by itself, then the transient
// states given what holds on the classes.
type system struct {
	chain     *chain
	groups    *groups
	classes   []*classSystem
	transient *elimination
}

// groups says to which elimination each state belongs, and to which place in
// its order.
type groups struct {
	of    []int32 // a class, or transientGroup, or rootGroup
	place []int32
}

const (
	transientGroup = -1
	rootGroup      = -2 // the roots of the classes, which are not eliminated
)

// set makes order the order of a group.
func (g *groups) set(order []int32, group int32) {
	for i, s := range order {
		g.of[s], g.place[s] = group, int32(i)
	}
}

// noRoot says that no state is known to be a good root.
const noRoot = -1

// newSystem factors the chain, its states being in the given order. hint is a
// state that is probably often visited, or noRoot.
func newSystem(ctx context.Context, chain *chain, order []int32, hint int32) (*system, error) {
	n := chain.numStates()
	s := &system{chain: chain, groups: &groups{of: make([]int32, n), place: make([]int32, n)}}
	for i := range s.groups.of {
		s.groups.of[i] = transientGroup
	}
	for i, states := range chain.closed() {
		root := hint
		if _, found := slices.BinarySearch(states, hint); !found {
			root = likelyState(chain, states)
		}
		s.classes = append(s.classes, &classSystem{states: states, root: root})
		for _, state := range states {
			s.groups.of[state] = int32(i)
		}
	}
	orders := make([][]int32, len(s.classes))
	var rest []int32
	for _, state := range order {
		if c := s.groups.of[state]; c == transientGroup {
			rest = append(rest, state)
		} else {
			orders[c] = append(orders[c], state)
		}
	}
	for i, class := range s.classes {
		if err := class.factor(ctx, s, orders[i], int32(i)); err != nil {
			return nil, err
		}
	}
	s.groups.set(rest, transientGroup)
	var err error
	s.transient, err = newElimination(ctx, chain, rest, s.groups, transientGroup)
	return s, err
}

// solve returns gain and values for the right-hand side b. The value of the
// root of each class is 0.
func (s *system) solve(b []float64) (gain, values []float64) {
	gain, values = make([]float64, len(b)), make([]float64, len(b))
	for _, c := range s.classes {
		g := c.gain(s, b)
		for _, state := range c.states {
			gain[state] = g
		}
		excess := gather(b, c.rest.order)
		floats.AddConst(-g, excess)
		scatter(values, c.rest.solve(excess), c.rest.order)
	}
	s.absorb(gain, nil, nil)
	s.absorb(values, b, gain)
	return gain, values
}

// center shifts the values of each class so that their stationary mean is 0,
// which makes them the bias, and redoes the transient states.
func (s *system) center(b, gain, values []float64) {
	for _, c := range s.classes {
		mean := floats.Dot(gather(values, c.states), c.stationary(s))
		for _, state := range c.states {
			values[state] -= mean
		}
	}
	s.absorb(values, b, gain)
}

// absorb sets x on the transient states to the solution of x = b − g + P·x,
// given x on the closed classes; nil b and gain stand for 0.
func (s *system) absorb(x, b, gain []float64) {
	order := s.transient.order
	right := make([]float64, len(order))
	for i, state := range order {
		if b != nil {
			right[i] = b[state] - gain[state]
		}
		columns, probabilities := s.chain.row(state)
		for k, j := range columns {
			if s.groups.of[j] != transientGroup {
				right[i] += probabilities[k] * x[j]
			}
		}
	}
	scatter(x, s.transient.solve(right), order)
}

// gather returns the elements of x that indices name.
func gather(x []float64, indices []int32) []float64 {
	y := make([]float64, len(indices))
	for i, j := range indices {
		y[i] = x[j]
	}
	return y
}

// scatter sets the elements of dst that indices name.
func scatter(dst, x []float64, indices []int32) {
	for i, j := range indices {
		dst[j] = x[i]
	}
}
