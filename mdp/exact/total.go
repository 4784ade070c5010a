package exact

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Total returns the optimal expected total cost until a target, some states or none, is
// reached: the stochastic shortest path problem
//
//	v(s) = min over a of { c(s,a) + Σ_j p(j|s,a)·v(j) },  v = 0 in the target.
//
// A target that is nil stands for the total of all steps, see [mdp.TotalCost]. This total is not
// defined, and the error is [mdp.ErrUnsupported], if a policy can stay for ever where costs other
// than 0 have the mean 0. With a target, special cases are, as for [mdp.TotalCost],
//
//	minimise: +Inf if no policy reaches the target with probability 1
//	minimise: −Inf if a cycle of negative cost can be repeated without limit
//	          before the target is reached
//	maximise: +Inf if some policy may not reach the target
//
// They follow from the graph of the model and the least gains of its end components.
// For the other states Total does policy iteration over policies that reach the target
// (Bertsekas and Tsitsiklis 1991). Without cycles of negative cost, each improved
// policy reaches it too, even if some cycles cost nothing.
//
// The policy avoids the target if that makes the optimum infinite: −Inf when minimising,
// +Inf when maximising. In the target, and where the least total is +Inf, the action is 0.
func (m *Model) Total(ctx context.Context, sense mdp.Sense, target []int32) (*Answer, error) {
	minimizing, err := m.minimizing(sense)
	if err != nil {
		return nil, err
	}
	if target == nil {
		return minimizing.endless(ctx, sense)
	}
	p := newPassage(minimizing, one)
	for _, s := range target {
		if s < 0 || int(s) >= len(m.states) {
			return nil, fmt.Errorf("exact: target state %d is not valid: use 0 … %d", s, len(m.states)-1)
		}
		p.fate[s] = ended
	}
	if sense == mdp.Maximize {
		p.excludeAvoidable()
	} else {
		p.excludeUnreachable()
		if err := p.excludeNegative(ctx); err != nil {
			return nil, err
		}
	}
	p.towards(p.of(ended))
	v, iterations, err := p.iterate(ctx)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Values: v.oriented(sense).values(m.perStep()), Policy: p.policy, Cycle: p.cycle, Iterations: iterations}
	for s, fate := range p.fate {
		switch {
		case fate == unreaching, fate == endless && sense == mdp.Maximize:
			answer.Values[s] = Value{infinity: 1}
		case fate == endless:
			answer.Values[s] = Value{infinity: -1}
		}
	}
	return answer, nil
}

// Discounted returns the optimal expected discounted total cost from each state, in which
// a cost paid after t steps counts β^t times, 0 ≤ β < 1: the solution of
//
//	v(s) = min over a of { c(s,a) + β·Σ_j p(j|s,a)·v(j) },
//
// by policy iteration (Howard 1960; Puterman 1994, §6.4). With β = 0 it is the least
// cost of a step. In continuous time it is the total of the uniformized process, as for
// [mdp.Discounted].
func (m *Model) Discounted(ctx context.Context, sense mdp.Sense, discount *big.Rat) (*Answer, error) {
	if discount.Sign() < 0 || discount.Cmp(one) >= 0 {
		return nil, fmt.Errorf("exact: discount %s is not valid: use a number in [0, 1)", discount.RatString())
	}
	minimizing, err := m.minimizing(sense)
	if err != nil {
		return nil, err
	}
	p := newPassage(minimizing, discount)
	p.policy = minimizing.cheapest()
	v, iterations, err := p.iterate(ctx)
	if err != nil {
		return nil, err
	}
	return &Answer{Values: v.oriented(sense).values(m.perStep()), Policy: p.policy, Iterations: iterations}, nil
}

// iterate is policy iteration for the finite values, from the policy, which must reach the
// target if there is no discount. Values of other states are 0.
func (p *passage) iterate(ctx context.Context) (v vector, iterations int, err error) {
	for changed := true; changed; iterations++ {
		if v, err = p.evaluate(ctx); err != nil {
			return v, 0, err
		}
		changed = p.model.improve(p.policy, func(s, a int) *big.Int {
			if p.fate[s] != finite || !p.isAllowed(s, a) {
				return nil
			}
			return p.model.states[s][a].after(v, s, p.discount)
		})
	}
	return v, iterations, nil
}

// evaluate solves (1−β)·v = c + β·(P·v − v) for the policy.
func (p *passage) evaluate(ctx context.Context) (vector, error) {
	n := len(p.fate)
	equations := &system{rows: make([][]term, n), right: zeros(n)}
	beta, unit := p.discount.Num(), p.discount.Denom()
	lost := new(big.Int).Sub(unit, beta)
	for s := range n {
		if p.fate[s] != finite {
			equations.rows[s] = []term{{int32(s), big.NewInt(1)}}
			continue
		}
		c := &p.model.states[s][p.policy[s]]
		stay := new(big.Int).Mul(beta, c.leave)
		row := []term{{int32(s), stay.Add(stay, new(big.Int).Mul(lost, c.scale))}}
		for i, j := range c.columns {
			weight := new(big.Int).Mul(beta, c.weights[i])
			row = append(row, term{j, weight.Neg(weight)})
		}
		equations.rows[s] = row
		equations.right[s].Mul(equations.right[s].Mul(unit, c.scale), c.cost)
	}
	return equations.solve(ctx)
}
