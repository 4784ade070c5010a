package exact_test

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// oracle is a tiny model in dense rational numbers, whose optima are found by
// trying all deterministic policies.
type oracle struct {
	rows  [][][]*big.Rat // by state, action and next state
	costs [][]*big.Rat   // by state and action
}

// policies calls visit with each policy.
func (o *oracle) policies(visit func(policy []int32)) {
	policy := make([]int32, len(o.rows))
	for {
		visit(policy)
		s := 0
		for ; s < len(policy); s++ {
			if policy[s]++; int(policy[s]) < len(o.rows[s]) {
				break
			}
			policy[s] = 0
		}
		if s == len(policy) {
			return
		}
	}
}

// chain returns the matrix and the costs of a policy.
func (o *oracle) chain(policy []int32) *chain {
	c := &chain{}
	for s, a := range policy {
		c.rows, c.costs = append(c.rows, o.rows[s][a]), append(c.costs, o.costs[s][a])
	}
	return c
}

// better reports whether x improves on y, which is nil where there is none yet.
func better(sense mdp.Sense, x, y *big.Rat) bool {
	return y == nil || sense == mdp.Minimize && x.Cmp(y) < 0 || sense == mdp.Maximize && x.Cmp(y) > 0
}

// best returns the best over all policies of a number for each state, of which
// nil does not count.
func (o *oracle) best(sense mdp.Sense, values func(policy []int32) []*big.Rat) []*big.Rat {
	best := make([]*big.Rat, len(o.rows))
	o.policies(func(policy []int32) {
		for s, x := range values(policy) {
			if x != nil && better(sense, x, best[s]) {
				best[s] = x
			}
		}
	})
	return best
}

func (o *oracle) average(sense mdp.Sense) []*big.Rat {
	return o.best(sense, func(policy []int32) []*big.Rat { return o.chain(policy).gains() })
}

func (o *oracle) discounted(sense mdp.Sense, discount *big.Rat) []*big.Rat {
	return o.best(sense, func(policy []int32) []*big.Rat { return o.chain(policy).total(nil, discount) })
}

// finite goes through all sequences of actions and outcomes.
func (o *oracle) finite(sense mdp.Sense, steps, s int, terminal []*big.Rat) *big.Rat {
	if steps == 0 {
		return terminal[s]
	}
	var best *big.Rat
	for a, row := range o.rows[s] {
		x := new(big.Rat).Set(o.costs[s][a])
		for j, p := range row {
			if p.Sign() > 0 {
				x.Add(x, new(big.Rat).Mul(p, o.finite(sense, steps-1, j, terminal)))
			}
		}
		if better(sense, x, best) {
			best = x
		}
	}
	return best
}

// total returns the optimal total costs as text, by their definition: infinities
// are those of the documentation.
func (o *oracle) total(sense mdp.Sense, target []int32) []string {
	n := len(o.rows)
	certain, possible := make([]bool, n), make([]bool, n) // of reaching the target with probability 1, of not
	o.policies(func(policy []int32) {
		reach := o.chain(policy).reachable(target)
		for s := range n {
			proper := o.isProper(reach, target, s)
			certain[s] = certain[s] || proper
			possible[s] = possible[s] || !proper
		}
	})
	negative := make([]bool, n)
	o.policies(func(policy []int32) {
		if sense == mdp.Maximize || !o.keepsTo(certain, policy, target) {
			return
		}
		c := o.chain(policy)
		reach := c.reachable(target)
		for _, class := range c.classes(reach) {
			if !slices.Contains(target, int32(class[0])) && c.classGain(class).Sign() < 0 {
				for s := range n {
					negative[s] = negative[s] || reach[s][class[0]]
				}
			}
		}
	})
	best := o.best(sense, func(policy []int32) []*big.Rat {
		c := o.chain(policy)
		reach := c.reachable(target)
		values := make([]*big.Rat, n)
		for s := range n {
			if o.isProper(reach, target, s) {
				values[s] = c.from(s, reach, target)
			}
		}
		return values
	})
	text := make([]string, n)
	for s := range n {
		switch {
		case slices.Contains(target, int32(s)):
			text[s] = "0"
		case sense == mdp.Maximize && possible[s], !certain[s]:
			text[s] = "Infinity"
		case negative[s] && certain[s]:
			text[s] = "-Infinity"
		default:
			text[s] = best[s].RatString()
		}
	}
	return text
}

// isProper reports whether every state that can be reached from s can reach the
// target.
func (o *oracle) isProper(reach [][]bool, target []int32, s int) bool {
	for j := range reach {
		if reach[s][j] && !slices.ContainsFunc(target, func(t int32) bool { return reach[j][t] }) {
			return false
		}
	}
	return true
}

// keepsTo reports whether a policy leads from the states of a set, but for the
// target, to states of the set alone; what it does elsewhere is to be action 0.
func (o *oracle) keepsTo(set []bool, policy, target []int32) bool {
	for s, row := range o.chain(policy).rows {
		if slices.Contains(target, int32(s)) || !set[s] {
			continue
		}
		for j, p := range row {
			if p.Sign() > 0 && !set[j] {
				return false
			}
		}
	}
	return true
}
