package exact

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Discounted returns the optimal expected total cost from each state where a
// cost that is paid after t steps counts β^t times, 0 ≤ β < 1: the solution of
//
//	v(s) = min over a of { c(s,a) + β·Σ_j p(j|s,a)·v(j) },
//
// by policy iteration (Howard 1960; Puterman 1994, §6.4); with β = 0 the least
// cost of a step. In continuous time it is that of the uniformized process, as for
// [mdp.Discounted].
func (m *Model) Discounted(ctx context.Context, sense mdp.Sense, discount *big.Rat) (*Answer, error) {
	if discount.Sign() < 0 || discount.Cmp(one) >= 0 {
		return nil, fmt.Errorf("exact: discount %s found; a number from 0 and below 1 is allowed", discount.RatString())
	}
	minimizing, err := m.minimizing(sense)
	if err != nil {
		return nil, err
	}
	policy := minimizing.cheapest()
	for rounds := 1; ; rounds++ {
		v, err := minimizing.evaluateDiscounted(ctx, policy, discount)
		if err != nil {
			return nil, err
		}
		if minimizing.improve(policy, func(s, a int) *big.Int { return minimizing.states[s][a].discounted(v, s, discount) }) {
			continue
		}
		v = v.oriented(sense)
		if err := m.checkDiscounted(sense, v, policy, discount); err != nil {
			return nil, err
		}
		return &Answer{Values: v.values(m.perStep()), Policy: policy, Rounds: rounds}, nil
	}
}

// evaluateDiscounted solves (1−β)·v = c + β·(P·v − v) for a policy.
func (m *Model) evaluateDiscounted(ctx context.Context, policy []int32, discount *big.Rat) (vector, error) {
	n := len(m.states)
	equations := &system{rows: make([][]term, n), right: zeros(n)}
	lost := new(big.Int).Sub(discount.Denom(), discount.Num()) // 1−β
	for s := range n {
		c := &m.states[s][policy[s]]
		stay := new(big.Int).Mul(discount.Num(), c.leave)
		row := []term{{int32(s), stay.Add(stay, new(big.Int).Mul(lost, c.scale))}}
		for i, j := range c.columns {
			weight := new(big.Int).Mul(discount.Num(), c.weights[i])
			row = append(row, term{j, weight.Neg(weight)})
		}
		equations.rows[s] = row
		equations.right[s].Mul(equations.right[s].Mul(discount.Denom(), c.scale), c.cost)
	}
	return equations.solve(ctx)
}

// discounted returns cost + β·Σ p_j·(x(j) − x(s)), over scale and the
// denominators of x and of β.
func (c *choice) discounted(x vector, s int, discount *big.Rat) *big.Int {
	sum := new(big.Int).Mul(c.cost, c.scale)
	sum.Mul(sum.Mul(sum, x.denominator), discount.Denom())
	moves := c.moves(x.numerators, s)
	return sum.Add(sum, moves.Mul(moves, discount.Num()))
}

// checkDiscounted substitutes values in the optimality equation.
func (m *Model) checkDiscounted(sense mdp.Sense, v vector, policy []int32, discount *big.Rat) error {
	lost := new(big.Int).Sub(discount.Denom(), discount.Num())
	for s, choices := range m.states {
		rest := new(big.Int).Mul(lost, v.numerators[s])
		for a := range choices {
			excess := choices[a].discounted(v, s, discount)
			excess.Sub(excess, new(big.Int).Mul(choices[a].scale, rest))
			if sign := excess.Sign(); improves(sense, sign) || int32(a) == policy[s] && sign != 0 {
				return wrong(s, a, "value")
			}
		}
	}
	return nil
}
