package exact

import (
	"context"
	"fmt"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Total returns the optimal expected total cost until a target, at least one
// state, is reached: the stochastic shortest path problem
//
//	v(s) = min over a of { c(s,a) + Σ_j p(j|s,a)·v(j) },  v = 0 in the target.
//
// Special cases are, as for [mdp.TotalCost],
//
//	minimise: +Inf where no policy reaches the target with probability 1
//	minimise: −Inf where a cycle of negative cost can be gone round as often
//	          as one likes before the target is reached
//	maximise: +Inf where some policy may not reach the target
//
// They follow from the graph of the model and the least gains of its end
// components. For the other states it is policy iteration over policies that
// reach the target (Bertsekas and Tsitsiklis 1991); where no cycle has negative
// cost it stays among them, also if some cost nothing.
//
// The policy stays away from the target where that is how an infinite optimum
// is come by: −Inf when minimising, +Inf when maximising. Where the least is
// +Inf, and in the target, it is 0.
func (m *Model) Total(ctx context.Context, sense mdp.Sense, target []int32) (*Answer, error) {
	minimizing, err := m.minimizing(sense)
	if err != nil {
		return nil, err
	}
	if len(target) == 0 {
		return nil, fmt.Errorf("exact: the target is empty; one state or more is allowed")
	}
	p := newPassage(minimizing)
	for _, s := range target {
		if s < 0 || int(s) >= len(m.states) {
			return nil, fmt.Errorf("exact: target state %d found; 0 … %d are allowed", s, len(m.states)-1)
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
	v, rounds, err := p.iterate(ctx)
	if err != nil {
		return nil, err
	}
	v = v.oriented(sense)
	if err := p.check(m, sense, v); err != nil {
		return nil, err
	}
	answer := &Answer{Values: v.values(m.perStep()), Policy: p.policy, Cycle: p.cycle, Rounds: rounds}
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

// iterate is policy iteration for the finite values, from a policy that reaches
// the target. Values of other states are 0.
func (p *passage) iterate(ctx context.Context) (v vector, rounds int, err error) {
	p.attract(ended, p.policy, p.isAllowed)
	for changed := true; changed; rounds++ {
		if v, err = p.evaluate(ctx); err != nil {
			return v, 0, err
		}
		changed = p.model.improve(p.policy, func(s, a int) *big.Int {
			if p.fate[s] != finite || !p.allowed[s][a] {
				return nil
			}
			return p.model.states[s][a].after(v, s)
		})
	}
	return v, rounds, nil
}

// evaluate solves v = c + P·v for the policy.
func (p *passage) evaluate(ctx context.Context) (vector, error) {
	n := len(p.fate)
	equations := &system{rows: make([][]term, n), right: zeros(n)}
	for s := range n {
		if p.fate[s] != finite {
			equations.rows[s] = []term{{int32(s), big.NewInt(1)}}
			continue
		}
		c := &p.model.states[s][p.policy[s]]
		row := []term{{int32(s), c.leave}}
		for i, j := range c.columns {
			row = append(row, term{j, new(big.Int).Neg(c.weights[i])})
		}
		equations.rows[s] = row
		equations.right[s].Mul(c.scale, c.cost)
	}
	return equations.solve(ctx)
}

// check substitutes values in the optimality equation, and makes sure that the
// policy reaches the target: then they are the optimum over all such policies.
func (p *passage) check(m *Model, sense mdp.Sense, v vector) error {
	for s, choices := range m.states {
		if p.fate[s] != finite {
			continue
		}
		for a := range choices {
			if !p.allowed[s][a] {
				continue
			}
			if sign := choices[a].after(v, s).Sign(); improves(sense, sign) || int32(a) == p.policy[s] && sign != 0 {
				return wrong(s, a, "value")
			}
		}
	}
	followed := func(s, a int) bool { return int32(a) == p.policy[s] }
	for s, reached := range p.attract(ended, nil, followed) {
		if p.fate[s] == finite && !reached {
			return wrong(s, int(p.policy[s]), "way to the target")
		}
	}
	return nil
}
