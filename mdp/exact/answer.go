package exact

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// Answer is an optimum. Its values satisfy the equations of the policy, and no action of
// any state is better; both have been checked in exact arithmetic.
type Answer struct {
	// Values are the optimal values by state: gains for [Model.Average].
	Values []Value

	// Relative are, for [Model.Average], relative values: with the gains g they
	// solve g + h = c + P·h for the policy, and h is 0 at the state with the
	// smallest number in each closed class of the policy. In a model that leaves no
	// choice they are the bias less that of state 0 instead. They are nil for other criteria.
	Relative []Value

	// Cycle proves the values −Inf of a minimised [Model.Total]; nil if there are none,
	// and for other criteria.
	Cycle *Cycle

	// Policy is the index of an optimal action in each state. Special cases are in the
	// documentation of each criterion.
	Policy []int32

	// Iterations is the number of policies that were evaluated, or of backward steps
	// for [Model.Finite].
	Iterations int
}

// Cycle is a policy ζ, an action by state, with values x, in units of cost, such that
//
//	c(s,ζ) + Σ_j p(j|s,ζ)·(x(j) − x(s)) < 0
//
// in every state s of some closed classes of its chain, so that they have a negative
// mean cost. A value is −Inf if its state can reach one of these classes by choices that
// cannot lead to a state of value +Inf. Elsewhere the actions of ζ have no meaning, and x
// is 0. In continuous time costs are per unit of time, and the sum is multiplied by the
// rate.
type Cycle struct {
	Policy []int32
	Values []Value
}

// minimizing returns a model to minimise: the model itself, or one with the signs of the
// costs changed.
func (m *Model) minimizing(sense mdp.Sense) (*Model, error) {
	switch sense {
	case mdp.Minimize:
		return m, nil
	case mdp.Maximize:
	default:
		return nil, fmt.Errorf("exact: sense %d is not valid: use Minimize or Maximize", int(sense))
	}
	negative := &Model{states: make([][]choice, len(m.states)), unit: m.unit, rate: m.rate}
	for s, choices := range m.states {
		for _, c := range choices {
			c.cost = new(big.Int).Neg(c.cost)
			negative.states[s] = append(negative.states[s], c)
		}
	}
	return negative, nil
}

// oriented changes the signs back.
func (v vector) oriented(sense mdp.Sense) vector {
	if sense == mdp.Maximize {
		for _, x := range v.numerators {
			x.Neg(x)
		}
	}
	return v
}

// perStep returns the divisor that turns integer values into values in units of cost.
func (m *Model) perStep() *big.Rat {
	divisor := new(big.Rat).SetInt(m.unit)
	return divisor.Mul(divisor, m.rate)
}

// MemoryLimit is the greatest number of bytes for the numbers of an answer and of the
// computation: 1 GiB. A model that needs more is refused with [mdp.ErrTooLarge], at once if
// its size shows it, otherwise when its numbers grow too long. For n states numbers may
// have n times the digits of a probability: with 53 binary digits the limit is at
// some 8,000 states.
const MemoryLimit = 1 << 30

// checkForecast returns an error where the bytes are above [MemoryLimit], or what ctx leaves.
func checkForecast(ctx context.Context, what string, bytes float64) error {
	most := limit.Bytes(ctx, MemoryLimit)
	if bytes <= most {
		return nil
	}
	return fmt.Errorf("exact: %w: %s would take %.4g MiB: the limit is %.4g MiB", mdp.ErrTooLarge, what, bytes/(1<<20), most/(1<<20))
}
