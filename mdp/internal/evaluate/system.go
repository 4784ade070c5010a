package mdp

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/elimination"
)

// system is the factored form of the evaluation equations of a chain,
//
//	g = P·g,  h = b − g + P·h,
//
// for any right-hand side b. One state of each closed class, its root, is made
// an exit of the chain, so that the chain is absorbed with probability 1, from
// transient states too, and one elimination does for everything: h = 0 at the
// roots.
type system struct {
	chain       *chain
	classes     []class
	elimination *elimination.Factorization
	visits      []float64 // to the states of each class, up to one factor common to the class
}

// class is a closed class of a chain.
type class struct {
	states []int32 // ascending
	root   int32
}

// noRoot says that no state is known to be a good root.
const noRoot = -1

// newSystem factors the chain. hint is a state that is probably often visited,
// or noRoot.
func newSystem(ctx context.Context, e *elimination.Factorization, chain *chain, hint int32) (*system, error) {
	s := &system{chain: chain, elimination: e}
	for _, states := range chain.Closed() {
		root := hint
		if _, found := slices.BinarySearch(states, hint); !found {
			root = likelyState(chain, states)
		}
		s.classes = append(s.classes, class{states: states, root: root})
	}
	for try := 1; ; try++ {
		err := factor(ctx, e, chain, s.roots())
		var stuck *stuckError
		if errors.As(err, &stuck) && try < maxRoots && s.moveRoot(stuck.State) {
			continue
		}
		if err != nil {
			return nil, err
		}
		better, overflow := s.countVisits()
		if !slices.Equal(better, s.roots()) && try < maxRoots {
			for i := range better {
				s.classes[i].root = better[i]
			}
			continue
		}
		if overflow != noRoot {
			return nil, stuckIn(overflow)
		}
		return s, nil
	}
}

func (s *system) roots() []int32 {
	roots := make([]int32, len(s.classes))
	for i, c := range s.classes {
		roots[i] = c.root
	}
	return roots
}

// moveRoot makes a state, in which the elimination is stuck because the way to
// the root is too improbable, the root of its class. It returns false where it
// is in none.
func (s *system) moveRoot(state int32) bool {
	for i := range s.classes {
		if _, found := slices.BinarySearch(s.classes[i].states, state); found {
			s.classes[i].root = state
			return true
		}
	}
	return false
}

// countVisits computes the visits to the states of each class between visits to
// its root. It returns better roots, which differ from the present ones where
// these are too rarely visited, and such a root whose share underflows, or
// noRoot.
func (s *system) countVisits() (better []int32, overflow int32) {
	entries := make([]float64, s.chain.NumStates())
	for _, c := range s.classes {
		columns, probabilities := s.chain.Row(c.root)
		for i, j := range columns {
			entries[j] += probabilities[i]
		}
	}
	visits, scale := s.elimination.SolveTransposed(entries)
	better, overflow = s.roots(), noRoot
	for i, c := range s.classes {
		visits[c.root] = scale
		most := c.root
		for _, state := range c.states {
			if visits[state] > visits[most] {
				most = state
			}
		}
		if scale < rootShare*visits[most] {
			better[i] = most
			if scale < elimination.SmallestPivot {
				overflow = c.root
			}
		}
	}
	s.visits = visits
	return better, overflow
}

// checkDuration returns an error where the expected number of steps to the root
// overflows from some state. Then there are visits that underflow too.
func (s *system) checkDuration() error {
	ones := make([]float64, s.chain.NumStates())
	for i := range ones {
		ones[i] = 1
	}
	_, err := s.sumUp(ones)
	return err
}

// gain returns the long-run average of b over a class.
func (s *system) gain(c class, b []float64) float64 {
	cost, steps := 0.0, 0.0
	for _, state := range c.states {
		cost += s.visits[state] * b[state]
		steps += s.visits[state]
	}
	return cost / steps
}

// gains returns the long-run average of b from each state.
func (s *system) gains(b []float64) []float64 {
	gains := make([]float64, len(b))
	for _, c := range s.classes {
		g := s.gain(c, b)
		for _, state := range c.states {
			gains[state] = g
		}
	}
	s.absorb(gains)
	return gains
}

// values returns the solution h of h = b − g + P·h for a chain with one gain.
// The value of the root of each class is 0.
func (s *system) values(b []float64, gain float64) ([]float64, error) {
	excess := make([]float64, len(b))
	for i := range excess {
		excess[i] = b[i] - gain
	}
	return s.sumUp(excess)
}

// sumUp returns the expected sum of b on the way to a root, the root left out.
func (s *system) sumUp(b []float64) ([]float64, error) {
	for _, c := range s.classes {
		b[c.root] = 0
	}
	x := s.elimination.Solve(b)
	for i, y := range x {
		if math.IsNaN(y) || math.IsInf(y, 0) {
			return nil, stuckIn(int32(i))
		}
	}
	return x, nil
}

// absorb sets x, known on the closed classes, on the transient states to its
// expectation over where they are absorbed.
func (s *system) absorb(x []float64) {
	if len(s.classes) == 1 {
		for i := range x {
			x[i] = x[s.classes[0].root]
		}
		return
	}
	right := make([]float64, len(x))
	for _, c := range s.classes {
		right[c.root] = x[c.root]
	}
	y := s.elimination.Solve(right)
	for _, c := range s.classes {
		for _, state := range c.states {
			y[state] = x[state]
		}
	}
	copy(x, y)
}

// center shifts the values so that their stationary mean is 0 on each class,
// which makes them the bias.
func (s *system) center(values []float64) {
	shift := make([]float64, len(values))
	for _, c := range s.classes {
		mean := s.gain(c, values)
		for _, state := range c.states {
			shift[state] = mean
		}
	}
	s.absorb(shift)
	for i := range values {
		values[i] -= shift[i]
	}
}

// stationary returns the stationary distribution over the states of a class.
func (s *system) stationary(c class) []float64 {
	distribution := gather(s.visits, c.states)
	total := 0.0
	for _, x := range distribution {
		total += x
	}
	for i := range distribution {
		distribution[i] /= total
	}
	return distribution
}

// gather returns the elements of x that indices name.
func gather[T any](x []T, indices []int32) []T {
	y := make([]T, len(indices))
	for i, j := range indices {
		y[i] = x[j]
	}
	return y
}

// scatter sets the elements of dst that indices name.
func scatter[T any](dst, x []T, indices []int32) {
	for i, j := range indices {
		dst[j] = x[i]
	}
}
