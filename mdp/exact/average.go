package exact

import (
	"context"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/graph"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Average returns the optimal long-run average cost per step, or per unit of
// time, from each state: the gain
//
//	g(s) = limsup (1/n)·E[cost of the first n steps from s],
//
// for any structure of the model. It is found by policy iteration (Howard
// 1960; Puterman 1994, §9.2): a policy is evaluated by
//
//	g = P·g,  g + h = c + P·h,
//
// and each state then takes an action that lowers P·g or, if none does, one that
// lowers c + P·h without raising P·g, until no state has such an action:
//
//	g(s) = min over a of Σ_j p(j|s,a)·g(j)
//	g(s) + h(s) = min over those a of { c(s,a) + Σ_j p(j|s,a)·h(j) }
//
// for which g is the optimum (Puterman 1994, Theorem 9.1.2).
func (m *Model) Average(ctx context.Context, sense mdp.Sense) (*Answer, error) {
	minimizing, err := m.minimizing(sense)
	if err != nil {
		return nil, err
	}
	g, h, policy, iterations, err := minimizing.leastAverage(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(m.states, func(choices []choice) bool { return len(choices) > 1 }) {
		if h, err = minimizing.bias(ctx, h); err != nil {
			return nil, err
		}
	}
	return &Answer{
		Values:     g.oriented(sense).values(new(big.Rat).SetInt(m.unit)),
		Relative:   h.oriented(sense).values(m.perStep()),
		Policy:     policy,
		Iterations: iterations,
	}, nil
}

// leastAverage is policy iteration. Gains and relative values are in the integer unit of
// the model.
func (m *Model) leastAverage(ctx context.Context) (g, h vector, policy []int32, iterations int, err error) {
	policy = m.cheapest()
	for changed := true; changed; iterations++ {
		if g, h, err = m.evaluate(ctx, policy); err != nil {
			return g, h, nil, 0, err
		}
		// Some states improve the gain and others the relative value at a time:
		// the pair (g, h) falls in lexicographic order all the same.
		drift := func(s, a int) *big.Int { return m.states[s][a].moves(g.numerators, s) }
		better := m.improve(policy, drift)
		changed = m.improve(policy, func(s, a int) *big.Int {
			if drift(s, a).Sign() != 0 {
				return nil
			}
			return m.states[s][a].after(h, s, one)
		})
		changed = changed || better
	}
	return g, h, policy, iterations, nil
}

// bias returns the bias of a chain less that of state 0, given relative values h. The bias is h less the
// long-run average of h, as the long-run average of the bias is 0 (Puterman 1994, §8.2.3).
func (m *Model) bias(ctx context.Context, h vector) (vector, error) {
	asCosts := &Model{unit: m.unit, rate: m.rate}
	for s, choices := range m.states {
		c := choices[0]
		c.cost = h.numerators[s]
		asCosts.states = append(asCosts.states, []choice{c})
	}
	averages, _, err := asCosts.evaluate(ctx, make([]int32, len(m.states)))
	if err != nil {
		return h, err
	}
	bias := vector{zeros(len(m.states)), new(big.Int).Mul(h.denominator, averages.denominator)}
	for s, x := range bias.numerators {
		x.Mul(x.Sub(h.numerators[s], h.numerators[0]), averages.denominator)
		x.Sub(x, averages.numerators[s])
		x.Add(x, averages.numerators[0])
	}
	return bias, nil
}

// cheapest returns the policy of least cost in the next step.
func (m *Model) cheapest() []int32 {
	policy := make([]int32, len(m.states))
	for s, choices := range m.states {
		for a, c := range choices {
			if c.cost.Cmp(choices[policy[s]].cost) < 0 {
				policy[s] = int32(a)
			}
		}
	}
	return policy
}

// evaluate solves g = P·g, g + h = c + P·h for a policy, h being 0 at the least
// state of each closed class, which is its root. Both are over one denominator.
func (m *Model) evaluate(ctx context.Context, policy []int32) (g, h vector, err error) {
	n := int32(len(m.states))
	root := m.roots(policy)
	// Unknown s is h(s), or for a root, where h is 0, the gain of its class. The
	// unknowns from n on are the gains of transient states.
	gain := make([]int32, n)
	unknowns := n
	for s := range gain {
		if gain[s] = root[s]; root[s] == transient {
			gain[s] = unknowns
			unknowns++
		}
	}
	equations := &system{rows: make([][]term, unknowns), right: zeros(int(unknowns))}
	for s := range n {
		c := &m.states[s][policy[s]]
		row := []term{{gain[s], c.scale}}
		if root[s] != s {
			row = append(row, term{s, c.leave})
		}
		for i, j := range c.columns {
			if root[j] != j {
				row = append(row, term{j, new(big.Int).Neg(c.weights[i])})
			}
		}
		equations.rows[s] = row
		equations.right[s].Mul(c.scale, c.cost)
		if root[s] == transient {
			equations.rows[gain[s]] = harmonic(c, gain, s)
		}
	}
	x, err := equations.solve(ctx)
	if err != nil {
		return g, h, err
	}
	g = vector{make([]*big.Int, n), x.denominator}
	h = vector{make([]*big.Int, n), x.denominator}
	for s := range n {
		g.numerators[s] = new(big.Int).Set(x.numerators[gain[s]])
		h.numerators[s] = x.numerators[s]
		if root[s] == s {
			h.numerators[s] = new(big.Int)
		}
	}
	return g, h, nil
}

// harmonic returns the equation Σ w_j·(g(j) − g(s)) = 0 of a transient state.
func harmonic(c *choice, gain []int32, s int32) []term {
	row := []term{{gain[s], c.leave}}
	for i, j := range c.columns {
		row = append(row, term{gain[j], new(big.Int).Neg(c.weights[i])})
	}
	return row
}

// transient marks the states that are in no closed class.
const transient = -1

// roots returns, for each state, the least state of its closed class in the
// chain of a policy, and transient for a state in none.
func (m *Model) roots(policy []int32) []int32 {
	root := slices.Repeat([]int32{transient}, len(m.states))
	g := graph.New(len(m.states))
	for s, a := range policy {
		for _, j := range m.states[s][a].columns {
			g.Add(j)
		}
		g.EndState()
	}
	for _, class := range g.Closed() {
		for _, s := range class {
			root[s] = class[0]
		}
	}
	return root
}
