package exact

import (
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Answer is an optimum. Before it is returned its values have been substituted
// in the optimality equations, for every action of every state.
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

	// Rounds is the number of policies that were evaluated, of backward steps
	// for [Model.Finite].
	Rounds int
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
	if err := checkSense(sense); err != nil || sense == mdp.Minimize {
		return m, err
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

func checkSense(sense mdp.Sense) error {
	if sense != mdp.Minimize && sense != mdp.Maximize {
		return fmt.Errorf("exact: sense %d found; Minimize or Maximize is allowed", int(sense))
	}
	return nil
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
