package exact

import (
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// improves reports whether the sign of what an action costs, or earns, more than
// the best policy would make it better than that.
func improves(sense mdp.Sense, sign int) bool {
	if sense == mdp.Maximize {
		return sign > 0
	}
	return sign < 0
}

// checkAverage substitutes gains and relative values, over one denominator, in
// both optimality equations.
func (m *Model) checkAverage(sense mdp.Sense, g, h vector, policy []int32) error {
	for s, choices := range m.states {
		for a := range choices {
			c := &choices[a]
			own := int32(a) == policy[s]
			drift := c.moves(g.numerators, s).Sign()
			if improves(sense, drift) || own && drift != 0 {
				return wrong(s, a, "gain")
			}
			if drift != 0 {
				continue
			}
			excess := c.after(h, s)
			excess.Sub(excess, new(big.Int).Mul(c.scale, g.numerators[s]))
			if sign := excess.Sign(); improves(sense, sign) || own && sign != 0 {
				return wrong(s, a, "relative value")
			}
		}
	}
	return nil
}

// wrong is the error of an answer that fails its check, which is a fault of this
// package.
func wrong(s, a int, what string) error {
	return fmt.Errorf("exact: internal error: the %s of state %d does not solve its optimality equation for action %d", what, s, a)
}
