package mdp_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// total returns the cost of the chain of a policy until the target, made
// absorbing and free, from each state; nil where it may not be reached.
func (c *exactChain) total(target []bool) []*big.Rat {
	reach := c.reachable()
	total := make([]*big.Rat, len(c.rows))
	lost := make([]bool, len(c.rows)) // some closed class is no target
	for _, class := range c.classes() {
		for s := range lost {
			lost[s] = lost[s] || !target[class[0]] && reach[s][class[0]]
		}
	}
	var unknown []int
	for s := range total {
		switch {
		case target[s]:
			total[s] = new(big.Rat)
		case !lost[s]:
			unknown = append(unknown, s)
		}
	}
	c.extendOver(unknown, total, c.costs)
	return total
}

// ended makes the target absorbing and free.
func (m *exactModel) ended(target []bool) *exactModel {
	e := &exactModel{rows: slices.Clone(m.rows), costs: slices.Clone(m.costs)}
	for s := range target {
		if target[s] {
			e.rows[s], e.costs[s] = [][]*big.Rat{zeros(len(target))}, zeros(1)
			e.rows[s][0][s].SetInt64(1)
		}
	}
	return e
}

// policies calls body for every policy.
func (m *exactModel) policies(body func(policy []int32, chain *exactChain)) {
	policy := make([]int32, len(m.rows))
	for {
		body(policy, m.chain(policy))
		s := 0
		for ; s < len(policy); s++ {
			policy[s]++
			if int(policy[s]) < len(m.rows[s]) {
				break
			}
			policy[s] = 0
		}
		if s == len(policy) {
			return
		}
	}
}

// leastTotals returns the least total from each state over all policies that
// reach the target with probability 1, nil where none does, and the states that can
// repeat a cycle of negative cost on the way.
func (m *exactModel) leastTotals(target []bool) (least []*big.Rat, endless []bool) {
	n := len(target)
	least, endless = make([]*big.Rat, n), make([]bool, n)
	m.policies(func(_ []int32, c *exactChain) {
		for s, v := range c.total(target) {
			if v != nil && (least[s] == nil || v.Cmp(least[s]) < 0) {
				least[s] = v
			}
		}
	})
	m.policies(func(_ []int32, c *exactChain) {
		reach := c.reachable()
		for _, class := range c.classes() {
			sure := !slices.ContainsFunc(class, func(s int) bool { return least[s] == nil })
			if !sure || target[class[0]] || c.gains()[class[0]].Sign() >= 0 {
				continue
			}
			for s := range n {
				// On the way, too, there must be a way to the target for sure.
				on := func(j int) bool { return reach[s][j] && least[j] == nil }
				if reach[s][class[0]] && !slices.ContainsFunc(indices(n), on) {
					endless[s] = true
				}
			}
		}
	})
	return least, endless
}

// greatestTotals returns the greatest total from each state, nil where some
// policy may not reach the target.
func (m *exactModel) greatestTotals(target []bool) []*big.Rat {
	greatest, lost := make([]*big.Rat, len(target)), make([]bool, len(target))
	m.policies(func(_ []int32, c *exactChain) {
		for s, v := range c.total(target) {
			lost[s] = lost[s] || v == nil
			if v != nil && (greatest[s] == nil || v.Cmp(greatest[s]) > 0) {
				greatest[s] = v
			}
		}
	})
	for s := range greatest {
		if lost[s] {
			greatest[s] = nil
		}
	}
	return greatest
}

func indices(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

// Totals, minimised and maximised, against all policies in exact arithmetic.
func TestTotalCostAgainstAllPoliciesExactly(t *testing.T) {
	statuses := map[string]int{}
	trials(t, 300, func(t *testing.T, random *rand.Rand) {
		structure := structure(random.IntN(int(structures)))
		scale := scale(random.IntN(int(scales)))
		table := randomTable(t, random, structure, scale)
		n := table.NumStates()
		target, targets := make([]bool, n), []int32{int32(n - 1)}
		if target[n-1] = true; random.IntN(3) == 0 {
			target[0], targets = true, append(targets, 0)
		}
		exact := newExactModel(table).ended(target)
		label := fmt.Sprintf("%v, %v", structure, scale)

		result, err := mdp.Solve(context.Background(), table, mdp.TotalCost{Target: targets}, mdp.Settings{})
		require.NotNil(t, result, "%s: %v", label, err)
		least, endless := exact.leastTotals(target)
		achieved := exact.chain(result.Policy).total(target)
		for s := range n {
			if endless[s] {
				lower, upper := result.Bounds(s)
				assert.True(t, math.IsInf(lower, -1), "%s: state %d has no least total, bounds %v … %v", label, s, lower, upper)
				continue
			}
			assertStateEncloses(t, label+", least", result, s, least[s], achieved[s])
		}
		statuses[fmt.Sprintf("least, %v: %v", scale, result.Status)]++

		result, err = mdp.Solve(context.Background(), table, mdp.TotalCost{Target: targets, Sense: mdp.Maximize}, mdp.Settings{})
		require.NotNil(t, result, "%s: %v", label, err)
		achieved = exact.chain(result.Policy).total(target)
		for s, greatest := range exact.greatestTotals(target) {
			lower, upper := result.Bounds(s)
			assert.GreaterOrEqual(t, compare(upper, greatest), 0, "%s: upper bound %v of state %d, greatest total %v", label, upper, s, greatest)
			assert.LessOrEqual(t, compare(lower, greatest), 0, "%s: lower bound %v of state %d, greatest total %v", label, lower, s, greatest)
			assert.LessOrEqual(t, compare(lower, achieved[s]), 0, "%s: the policy earns %v from state %d, less than %v", label, achieved[s], s, lower)
		}
		statuses[fmt.Sprintf("greatest, %v: %v", scale, result.Status)]++
	})
	for _, key := range slices.Sorted(maps.Keys(statuses)) {
		t.Log(key, statuses[key])
	}
}

// assertStateEncloses is assertEncloses for one state.
func assertStateEncloses(t *testing.T, label string, result *mdp.Result, s int, optimum, achieved *big.Rat) {
	t.Helper()
	lower, upper := result.Bounds(s)
	value := result.Optimum(s)
	assert.True(t, lower <= value && value <= upper, "%s: value %v of state %d outside %v … %v", label, value, s, lower, upper)
	assert.LessOrEqual(t, compare(lower, optimum), 0, "%s: lower bound %v of state %d, optimum %v", label, lower, s, optimum)
	assert.GreaterOrEqual(t, compare(upper, optimum), 0, "%s: upper bound %v of state %d, optimum %v", label, upper, s, optimum)
	assert.GreaterOrEqual(t, compare(upper, achieved), 0, "%s: the policy costs %v from state %d, more than %v", label, achieved, s, upper)
}
