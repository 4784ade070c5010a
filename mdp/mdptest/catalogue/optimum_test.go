package catalogue

import (
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Every optimum of the catalogue is derived a second time in exact arithmetic,
// from the model alone: by trying all policies if they are few, otherwise by
// policy iteration, which ends only at values that solve the optimality
// equation.
func TestOptimaAreOptimal(t *testing.T) {
	for _, problem := range catalogue() {
		t.Run(problem.Name, func(t *testing.T) {
			var found []*big.Rat
			switch {
			case problem.objective.kind == finite:
				found = problem.objective.backward(problem.rows(), problem.objective.steps)
			case problem.countPolicies() <= fewPolicies:
				found = problem.bestOfAll()
			default:
				found = problem.improveExactly(t)
			}
			require.Len(t, found, len(problem.Optimum))
			for s, x := range found {
				assert.Zero(t, compare(x, problem.Optimum[s]), "state %s: optimum %s, said to be %s", problem.State(s), text(x), text(problem.Optimum[s]))
			}
		})
	}
}

const fewPolicies = 3000

// countPolicies returns the number of policies, or one above fewPolicies.
func (p *Problem) countPolicies() int {
	count := 1
	for _, choices := range p.rows().states {
		if count *= len(choices); count > fewPolicies {
			break
		}
	}
	return count
}

// bestOfAll returns the best value of any policy from each state.
func (p *Problem) bestOfAll() []*big.Rat {
	policy := make([]int32, p.NumStates())
	best := p.objective.eliminated(p.rows(), policy)
	for {
		s := 0
		for ; s < len(policy); s++ {
			policy[s]++
			if int(policy[s]) < p.numActions(s) {
				break
			}
			policy[s] = 0
		}
		if s == len(policy) {
			return best
		}
		for s, x := range p.objective.eliminated(p.rows(), policy) {
			if p.objective.better(x, best[s]) {
				best[s] = x
			}
		}
	}
}

// improveExactly is policy iteration (Howard 1960; multichain as in Puterman
// 1994, §9.2). It starts from the policy of mdp.Solve to save rounds; the end does not
// depend on the start.
func (p *Problem) improveExactly(t *testing.T) []*big.Rat {
	t.Helper()
	result, err := mdp.Solve(t.Context(), p.table(t, 1), p.Criterion, mdp.Settings{})
	require.NoError(t, err)
	policy := result.Policy
	for {
		value := p.objective.eliminated(p.rows(), policy)
		improve := p.improveValue
		if p.objective.kind == average {
			improve = p.improveGain
		}
		if !improve(policy, value) {
			return value
		}
	}
}

// improveValue changes actions to better ones for the values of the policy.
func (p *Problem) improveValue(policy []int32, v []*big.Rat) (changed bool) {
	o := p.objective
	for s, choices := range p.rows().states {
		if o.kind == total && slices.Contains(o.target, int32(s)) {
			continue
		}
		best := v[s]
		for a, c := range choices {
			x := quo(c.cost, p.exact.Rate)
			for _, e := range c.row {
				if v[e.state] == nil {
					x = nil
					break
				}
				term := mul(e.probability, v[e.state])
				if o.kind == discounted {
					term = mul(o.discount, term)
				}
				x.Add(x, term)
			}
			if o.better(x, best) {
				best, policy[s], changed = x, int32(a), true
			}
		}
	}
	return changed
}

// improveGain changes actions to those that lead to better gains or, where no
// action does, to those of better bias among the ones that keep the gain.
func (p *Problem) improveGain(policy []int32, gains []*big.Rat) (changed bool) {
	o := p.objective
	for s, choices := range p.rows().states {
		best := gains[s]
		for a, c := range choices {
			if x := c.plus(zero, gains); o.better(x, best) {
				best, policy[s], changed = x, int32(a), true
			}
		}
	}
	if changed {
		return true
	}
	h := p.rows().bias(policy, gains)
	for s, choices := range p.rows().states {
		best := add(gains[s], h[s])
		for a, c := range choices {
			if c.plus(zero, gains).Cmp(gains[s]) != 0 {
				continue
			}
			if x := c.plus(c.cost, h); o.better(x, best) {
				best, policy[s], changed = x, int32(a), true
			}
		}
	}
	return changed
}

// bias solves h = c − g + P·h, with h = 0 in one state of each closed class.
func (m *exactModel) bias(policy []int32, gains []*big.Rat) []*big.Rat {
	h := make([]*big.Rat, len(policy))
	q := newEquations(len(policy), 1)
	for s, a := range policy {
		c := m.states[s][a]
		q.right[s][0].Sub(c.cost, gains[s])
		for _, e := range c.row {
			q.enter(s, e.state, e.probability)
		}
	}
	for s := range slices.Backward(policy) {
		if !q.eliminate(s) {
			h[s] = zero
		}
	}
	q.substitute(h)
	return h
}
