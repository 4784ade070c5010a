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

	// Policy is an optimal action by state, the one found first where several
	// are. Special cases are in the documentation of each criterion.
	Policy []int32

	// Rounds is the number of policies that were evaluated, of backward steps
	// for [Model.Finite].
	Rounds int
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
