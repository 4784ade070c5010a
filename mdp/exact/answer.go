package exact

import (
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Answer is an optimum. Its values have been substituted in the equations of the
// policy, and no action of any state has been found to be better.
type Answer struct {
	// Values are the optimal values by state: gains for [Model.Average].
	Values []Value

	// Relative are, for [Model.Average], relative values: with the gains g they
	// solve g + h = c + P·h for the policy, and h is 0 at the least state of
	// each of its closed classes. They are nil for other criteria.
	Relative []Value

	// Cycle proves, for [Model.Total] of least costs, the values −Inf; nil where
	// there are none, and for other criteria.
	Cycle *Cycle

	// Policy is an optimal action by state, the one found first where several
	// are. Special cases are in the documentation of each criterion.
	Policy []int32

	// Iterations is the number of policies that were evaluated, of backward steps
	// for [Model.Finite].
	Iterations int
}

// Cycle is a policy ζ, an action by state, with values x, in units of cost, such that
//
//	c(s,ζ) + Σ_j p(j|s,ζ)·(x(j) − x(s)) < 0
//
// in every state s of some closed classes of its chain, so that they have a negative
// mean cost. The values −Inf are those of the states that can get to one of these
// classes by choices none of which leads to a state of value +Inf. What ζ does
// elsewhere means nothing; x is 0 there. In continuous time costs are per unit of
// time, and the sum is multiplied by the rate.
type Cycle struct {
	Policy []int32
	Values []Value
}

// minimizing returns a model whose costs are to be minimised: the model itself,
// or one with the signs of the costs turned around.
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

// oriented turns the signs back.
func (v vector) oriented(sense mdp.Sense) vector {
	if sense == mdp.Maximize {
		for _, x := range v.numerators {
			x.Neg(x)
		}
	}
	return v
}

// perStep returns what values in costs of a step, over the unit of the model,
// are divided by.
func (m *Model) perStep() *big.Rat {
	divisor := new(big.Rat).SetInt(m.unit)
	return divisor.Mul(divisor, m.rate)
}

// MemoryLimit is how many bytes the numbers of an answer, and what it takes to
// find them, may need: 1 GiB. A model that needs more is refused with
// [mdp.ErrTooLarge], before the work where that can be told from its size, and
// otherwise once its numbers turn out to have that many digits. They may have n
// times those of a probability for n states: at 53 binary digits the limit is at
// some 8,000 states.
const MemoryLimit = 1 << 30

// checkForecast returns an error where the bytes are above the limit.
func checkForecast(what string, bytes float64) error {
	if bytes <= MemoryLimit {
		return nil
	}
	return fmt.Errorf("exact: %w: %s would take %.4g MiB; at most %d MiB may be used", mdp.ErrTooLarge, what, bytes/(1<<20), MemoryLimit>>20)
}
