package evaluate

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate/elimination"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// System is the factored form of the evaluation equations of a chain,
//
//	g = P·g,  h = b − g + P·h,
//
// for any right-hand side b. One state of each closed class, its root, becomes
// an exit of the chain, so that the chain is absorbed with probability 1, from
// transient states too, and [Totals] evaluate it: h = 0 at the roots.
type System struct {
	Chain   *Chain
	Classes []Class
	totals  *Totals
	visits  []float64 // to the states of each class, up to a factor that is the same in a class
}

// Class is a closed class of a chain.
type Class struct {
	States []int32 // ascending
	Root   int32
}

// NoRoot says that no state is known to be a good root.
const NoRoot = -1

// NewSystem factors the chain. hint is a state that is probably often visited,
// or NoRoot.
func NewSystem(ctx context.Context, chain *Chain, hint int32) (*System, error) {
	s := &System{Chain: chain, totals: NewTotals(nil, chain.NumStates(), math.Inf(1))}
	count, component := chain.Components()
	if err := s.totals.divide(ctx, &chain.Chain, count, component); err != nil {
		return nil, err
	}
	for _, states := range chain.ClosedOf(count, component) {
		root := hint
		if _, found := slices.BinarySearch(states, hint); !found {
			root = likelyState(chain, states)
		}
		s.Classes = append(s.Classes, Class{States: states, Root: root})
	}
	for try := 1; ; try++ {
		exit := make([]float64, chain.NumStates())
		for _, c := range s.Classes {
			exit[c.Root] = math.Inf(1)
		}
		err := s.totals.Prepare(ctx, Absorbing{&chain.Chain, exit})
		if stuck, ok := errors.AsType[*elimination.StuckError](err); ok && try < maxRoots && s.moveRoot(stuck.State) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s.countVisits()
		if moved, overflow := s.moveRoots(); overflow != NoRoot && (!moved || try >= maxRoots) {
			return nil, &elimination.StuckError{State: overflow}
		} else if !moved || try >= maxRoots {
			return s, nil
		}
	}
}

// moveRoot makes a state the root of its class: one where the elimination is stuck, as the
// root is reached from it with too small a probability. It returns false if the state is
// in no class.
func (s *System) moveRoot(state int32) bool {
	for i := range s.Classes {
		if _, found := slices.BinarySearch(s.Classes[i].States, state); found {
			s.Classes[i].Root = state
			return true
		}
	}
	return false
}

// countVisits computes the visits to the states of each class between visits to its root.
func (s *System) countVisits() {
	entries := make([]float64, s.Chain.NumStates())
	for _, c := range s.Classes {
		columns, probabilities := s.Chain.Row(c.Root)
		for i, j := range columns {
			entries[j] += probabilities[i]
		}
	}
	s.visits = s.totals.SolveTransposed(entries)
	for _, c := range s.Classes {
		s.visits[c.Root] = 1
	}
}

// moveRoots makes the state that is visited most the root of each class whose root is
// visited too rarely. overflow is a root such that the visits to other states overflow.
func (s *System) moveRoots() (moved bool, overflow int32) {
	overflow = NoRoot
	for i := range s.Classes {
		c := &s.Classes[i]
		most := c.Root
		for _, state := range c.States {
			if !(s.visits[state] <= s.visits[most]) {
				most = state
			}
			if !(s.visits[most] <= math.MaxFloat64) { // also where it is NaN
				overflow = c.Root
				break
			}
		}
		if !(s.visits[most] <= 1/rootShare) {
			c.Root, moved = most, true
		}
	}
	return moved, overflow
}

// checkDuration returns an error if the expected number of steps to the root overflows
// from some state. Some visits then underflow too.
func (s *System) checkDuration() error {
	ones := make([]float64, s.Chain.NumStates())
	for i := range ones {
		ones[i] = 1
	}
	_, err := s.SumUp(ones)
	return err
}

// Gain returns the long-run average of b over a class.
func (s *System) Gain(c Class, b []float64) float64 {
	cost, steps := 0.0, 0.0
	for _, state := range c.States {
		cost += s.visits[state] * b[state]
		steps += s.visits[state]
	}
	return cost / steps
}

// Gains returns the long-run average of b from each state.
func (s *System) Gains(b []float64) []float64 {
	gains := make([]float64, len(b))
	for _, c := range s.Classes {
		g := s.Gain(c, b)
		for _, state := range c.States {
			gains[state] = g
		}
	}
	s.absorb(gains)
	return gains
}

// values returns the solution h of h = b − g + P·h for a chain with one gain.
// The value of the root of each class is 0.
func (s *System) values(b []float64, gain float64) ([]float64, error) {
	excess := make([]float64, len(b))
	for i := range excess {
		excess[i] = b[i] - gain
	}
	return s.SumUp(excess)
}

// SumUp returns the expected sum of b on the way to a root, without b of the root. It
// overwrites b at the roots.
func (s *System) SumUp(b []float64) ([]float64, error) {
	for _, c := range s.Classes {
		b[c.Root] = 0
	}
	x, _, err := s.totals.Solve(context.Background(), b, 0) // solving with the factors takes too little time to interrupt
	return x, err
}

// absorb sets x on the transient states to its expectation at absorption, given x on the
// closed classes.
func (s *System) absorb(x []float64) {
	if len(s.Classes) == 1 {
		for i := range x {
			x[i] = x[s.Classes[0].Root]
		}
		return
	}
	right := make([]float64, len(x))
	for _, c := range s.Classes {
		right[c.Root] = x[c.Root]
	}
	y, _, _ := s.totals.Solve(context.Background(), right, 0)
	for _, c := range s.Classes {
		for _, state := range c.States {
			y[state] = x[state]
		}
	}
	copy(x, y)
}

// center shifts the values so that their stationary mean is 0 on each class,
// which makes them the bias.
func (s *System) center(values []float64) {
	for i, mean := range s.Gains(values) {
		values[i] -= mean
	}
}

// Stationary returns the stationary distribution over the states of a class.
func (s *System) Stationary(c Class) []float64 {
	distribution := vector.Gather(s.visits, c.States)
	total := 0.0
	for _, x := range distribution {
		total += x
	}
	for i := range distribution {
		distribution[i] /= total
	}
	return distribution
}

// Visits returns, from a state, the long-run share of time in each state, and the expected
// number of visits to each transient state.
func (s *System) Visits(from int32) (shares, passing []float64) {
	shares = make([]float64, s.Chain.NumStates())
	shares[from] = 1
	passing = s.totals.SolveTransposed(shares)
	shares[from] = 0
	for _, c := range s.Classes {
		arrivals := passing[c.Root] // the probability of ending in the class
		for i, share := range s.Stationary(c) {
			shares[c.States[i]], passing[c.States[i]] = arrivals*share, 0
		}
	}
	return shares, passing
}

// LongRun evaluates a chain with any closed classes by elimination. It returns the gain
// from each state, and the bias, in units of cost times the rate of steps.
func LongRun(ctx context.Context, chain *Chain) (s *System, gain, bias []float64, err error) {
	if s, err = NewSystem(ctx, chain, NoRoot); err != nil {
		return nil, nil, nil, err
	}
	if err := s.checkDuration(); err != nil {
		return nil, nil, nil, err
	}
	gain = s.Gains(chain.Costs)
	excess := make([]float64, len(gain))
	floats.SubTo(excess, chain.Costs, gain)
	if bias, err = s.SumUp(excess); err != nil {
		return nil, nil, nil, err
	}
	s.center(bias)
	return s, gain, bias, nil
}
