package verify

import (
	"errors"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// rounded is the arithmetic of balls.
type rounded struct {
	rows   *rows
	budget *budget
}

func (rounded) integer(i int) ball { return point(float64(i)) }
func (rounded) unknown() ball      { return unknown }

func (r rounded) cost(k int32) ball { return r.rows.costs.ball(k) }
func (r rounded) kill() ball        { return r.rows.killing.ball(0) }

func (rounded) negative(x ball) ball { return x.negative() }

func (rounded) plusProduct(x, y, z ball) ball {
	sum := tally{x}
	sum.addScaled(y, z)
	return sum.ball
}

func (r rounded) plusRate(x ball, e int32) ball {
	sum := tally{x}
	sum.addBall(r.rows.rates.ball(e))
	return sum.ball
}

func (r rounded) plusRated(x ball, e int32, y ball) ball {
	sum := tally{x}
	sum.addScaled(r.rows.rates.ball(e), y)
	return sum.ball
}

func (rounded) quotient(x, y ball) ball   { return quotient(x, y) }
func (rounded) least(numbers []ball) ball { return least(numbers) }
func (rounded) isNegative(x ball) bool    { return x.upper().Hi < 0 }

// values finds values by policy iteration, and encloses them.
func (r rounded) values(sys *system[ball], policy []int32) ([]ball, error) {
	a := newApproximation(r, sys, false)
	err := iterate(a, policy, sys.mendProper)
	var values []ball
	if err == nil || errors.Is(err, errPolicies) { // the last policy is as good as any
		values, err = a.enclose(policy)
	}
	if isNarrow(values) || !r.isReducible(sys) {
		return values, err
	}
	_, reduced, failed := reduce[ball](r, sys, policy, r.budget)
	if failed != nil {
		return values, err
	}
	return reduced, nil
}

// gain likewise.
func (r rounded) gain(sys *system[ball], policy []int32) (ball, error) {
	a := newApproximation(r, sys, true)
	err := iterate(a, policy, sys.mendClosed)
	gain := unknown
	if err == nil || errors.Is(err, errPolicies) {
		gain, err = a.encloseGain(policy)
	}
	if isNarrow([]ball{gain}) || !r.isReducible(sys) {
		return gain, err
	}
	reduced, _, failed := reduce[ball](r, sys, policy, r.budget)
	if failed != nil {
		return gain, err
	}
	return reduced, nil
}

// isReducible reports whether a system has nothing to choose and is small enough
// for a reduction, which keeps digits that an enclosure by residuals has not.
func (r rounded) isReducible(sys *system[ball]) bool {
	return len(sys.node) == sys.numNodes() && sys.numNodes() <= reducibleNodes && r.budget.err == nil
}

// reducibleNodes is the largest number of nodes of a reduction in balls.
const reducibleNodes = 1000

// isNarrow reports whether all balls have more than the digits of float64; there
// is at least one.
func isNarrow(balls []ball) bool {
	for _, x := range balls {
		if !(x.radius <= 0x1p-70*math.Abs(x.high)) {
			return false
		}
	}
	return len(balls) > 0
}

// approximation is what is known of a policy of a system: values h and, where
// the system is closed, the gain, in double-double precision. Nothing is
// promised of them; what they prove is seen when all rows are gone through.
type approximation struct {
	rounded
	system  *system[ball]
	closed  bool
	linear  linear
	values  []doubledouble.Number
	gain    doubledouble.Number
	missing []float64 // by node: by how much its equation is missed

	way      way
	patience int // how many iterations may be made for one solution
}

func newApproximation(r rounded, sys *system[ball], closed bool) *approximation {
	a := &approximation{rounded: r, system: sys, closed: closed, patience: someIterations}
	if sys.numNodes() <= smallSystem {
		a.way = heavyElimination
	}
	return a
}

// linear solves the equations of a policy approximately: see elimination.
type linear interface {
	solve(right []float64) (gain float64, x []float64, err error)

	// exact reports whether solutions are good to most digits of float64.
	exact() bool
}

// residual returns what choice k is above the values at its node,
//
//	constant(k) − leave(k)·h(i) + Σ_e rate(e)·(h(j) − h(i)).
//
// For the gain it is to be compared with the gain.
func (a *approximation) residual(k int32, values []doubledouble.Number) ball {
	s := a.system
	here := values[s.node[k]]
	rest := tally{s.constant[k]}
	for e := s.rowStart[k]; e < s.rowStart[k+1]; e++ {
		there := values[s.columns[e]]
		difference := tally{pointOf(there)}
		difference.add(-here.Hi)
		difference.add(-here.Lo)
		rest.addScaled(a.rows.rates.ball(s.entry[e]), difference.ball)
	}
	if s.leaves[k] {
		rest.addScaled(s.leave[k], pointOf(here.Neg()))
	}
	return rest.ball
}

// above returns the residual, less the gain.
func (a *approximation) above(k int32) ball {
	rest := tally{a.residual(k, a.values)}
	rest.add(-a.gain.Hi)
	rest.add(-a.gain.Lo)
	return rest.ball
}
