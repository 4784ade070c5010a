package verify

import (
	"errors"
	"math/big"
	"slices"
)

// exact is the arithmetic of rationals. Once the budget is used up, or a number
// gets too long, err is set, and results mean nothing.
type exact struct {
	rows   *rows
	budget *budget
	err    error

	// claimed are values by state, nil for none, that may be right: it takes
	// less to see that than to find them.
	claimed []*big.Rat
}

const (
	// maxBits bounds numerators and denominators.
	maxBits = 1 << 15
	// exactWork is what an operation counts for, for each 64 bits.
	exactWork = 8
)

var errBits = errors.New("exact numbers get too long")

// kept returns a number that is short enough.
func (x *exact) kept(a *big.Rat) *big.Rat {
	bits := a.Num().BitLen() + a.Denom().BitLen()
	if bits > maxBits {
		x.fail(errBits)
	}
	if x.spend(exactWork*(1+bits/64)) != nil {
		return new(big.Rat) // short, to come to an end
	}
	return a
}

// spend takes work from the budget, and returns err.
func (x *exact) spend(work int) error {
	if err := x.budget.spend(work); err != nil {
		x.fail(err)
	}
	return x.err
}

func (x *exact) fail(err error) {
	if x.err == nil {
		x.err = err
	}
}

func (*exact) integer(i int) *big.Rat { return big.NewRat(int64(i), 1) }

func (x *exact) unknown() *big.Rat {
	x.fail(errSingular)
	return new(big.Rat)
}

func (x *exact) cost(k int32) *big.Rat { return x.rows.costs.rational(k) }
func (x *exact) kill() *big.Rat        { return x.rows.killing.rational(0) }

func (*exact) negative(a *big.Rat) *big.Rat   { return new(big.Rat).Neg(a) }
func (x *exact) plus(a, b *big.Rat) *big.Rat  { return x.kept(new(big.Rat).Add(a, b)) }
func (x *exact) times(a, b *big.Rat) *big.Rat { return x.kept(new(big.Rat).Mul(a, b)) }

func (x *exact) plusProduct(a, b, c *big.Rat) *big.Rat { return x.plus(a, x.times(b, c)) }

func (x *exact) plusRate(a *big.Rat, e int32) *big.Rat { return x.plus(a, x.rows.rates.rational(e)) }

func (x *exact) plusRated(a *big.Rat, e int32, b *big.Rat) *big.Rat {
	return x.plusProduct(a, x.rows.rates.rational(e), b)
}

func (x *exact) quotient(a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		return x.unknown()
	}
	return x.kept(new(big.Rat).Quo(a, b))
}

func (*exact) least(numbers []*big.Rat) *big.Rat {
	least := numbers[0]
	for _, a := range numbers {
		if a.Cmp(least) < 0 {
			least = a
		}
	}
	return least
}

func (*exact) isNegative(a *big.Rat) bool { return a.Sign() < 0 }

// values finds the values by policy iteration.
func (x *exact) values(sys *system[*big.Rat], policy []int32) ([]*big.Rat, error) {
	s := &solution{exact: x, system: sys, gain: new(big.Rat)}
	err := iterate(s, policy, sys.mendProper)
	return s.values, err
}

// gain likewise.
func (x *exact) gain(sys *system[*big.Rat], policy []int32) (*big.Rat, error) {
	s := &solution{exact: x, system: sys, gain: new(big.Rat), closed: true}
	err := iterate(s, policy, sys.mendClosed)
	return s.gain, err
}

// solution holds the values of a policy of a system, and its gain, which is 0
// where the system is left.
type solution struct {
	*exact
	system *system[*big.Rat]
	closed bool
	values []*big.Rat
	gain   *big.Rat
}

// isClaimed reports whether the values that are claimed are those of a policy:
// whether they solve its equations, as only those do.
func (s *solution) isClaimed(policy []int32) bool {
	if s.claimed == nil || s.closed {
		return false
	}
	s.values = make([]*big.Rat, len(policy))
	for k, origin := range s.system.origin {
		if origin != stopping {
			s.values[s.system.node[k]] = s.claimed[s.rows.state[origin]]
		}
	}
	if slices.Contains(s.values, nil) {
		return false
	}
	for _, k := range policy {
		if s.residual(k).Sign() != 0 {
			return false
		}
	}
	return s.err == nil
}

// evaluate finds the values of a policy, where they are not those that are
// claimed.
func (s *solution) evaluate(policy []int32) error {
	if s.isClaimed(policy) {
		return nil
	}
	var err error
	if s.gain, s.values, err = reduce[*big.Rat](s.exact, s.system, policy, s.budget); err != nil {
		return err
	}
	return s.err
}

// residual returns what choice k is above the values at its node.
func (s *solution) residual(k int32) *big.Rat {
	sys := s.system
	here := s.negative(s.values[sys.node[k]])
	rest := s.plus(sys.constant[k], s.negative(s.gain))
	for e := sys.rowStart[k]; e < sys.rowStart[k+1]; e++ {
		rest = s.plusRated(rest, sys.entry[e], s.plus(s.values[sys.columns[e]], here))
	}
	return s.plusProduct(rest, sys.leave[k], here)
}

// improve changes the policy to better choices.
func (s *solution) improve(policy []int32) ([]bool, error) {
	improved := make([]bool, len(policy))
	for i, current := range policy {
		best := new(big.Rat)
		for k := s.system.start[i]; k < s.system.start[i+1]; k++ {
			if k == current {
				continue
			}
			if rest := s.residual(k); rest.Cmp(best) < 0 {
				best, policy[i], improved[i] = rest, k, true
			}
		}
	}
	return improved, s.err
}
