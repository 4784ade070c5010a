package exact

import "math/big"

// Improving a policy in exact arithmetic.

// moves returns Σ w_j·(x(j) − x(s)) over the other states j that a choice of state s may
// lead to.
func (c *choice) moves(x []*big.Int, s int) *big.Int {
	var difference big.Int
	sum := new(big.Int)
	for i, j := range c.columns {
		difference.Sub(x[j], x[s])
		sum.Add(sum, difference.Mul(&difference, c.weights[i]))
	}
	return sum
}

// after returns c.cost + β·Σ p_j·(x(j) − x(s)) times c.scale and the denominators of x and
// of the discount factor β.
func (c *choice) after(x vector, s int, discount *big.Rat) *big.Int {
	sum := new(big.Int).Mul(c.cost, c.scale)
	sum.Mul(sum.Mul(sum, x.denominator), discount.Denom())
	moves := c.moves(x.numerators, s)
	return sum.Add(sum, moves.Mul(moves, discount.Num()))
}

// compare returns the sign of x/c.scale − y/d.scale.
func (c *choice) compare(x *big.Int, d *choice, y *big.Int) int {
	if c.scale.Cmp(d.scale) == 0 {
		return x.Cmp(y)
	}
	return new(big.Int).Mul(x, d.scale).Cmp(new(big.Int).Mul(y, c.scale))
}

// improve gives each state the action of least value, and reports whether any action
// changed. A state keeps the action of the policy unless another one is better. value
// returns the value of an action times the scale of its choice, or nil for an action
// that is excluded.
func (m *Model) improve(policy []int32, value func(s, a int) *big.Int) bool {
	changed := false
	for s, choices := range m.states {
		best := int(policy[s])
		least := value(s, best)
		if least == nil {
			continue
		}
		for a := range choices {
			if a == int(policy[s]) {
				continue
			}
			if x := value(s, a); x != nil && choices[a].compare(x, &choices[best], least) < 0 {
				best, least = a, x
			}
		}
		changed = changed || best != int(policy[s])
		policy[s] = int32(best)
	}
	return changed
}
