package mdp_test

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// exactModel is a tiny model in exact rational numbers. The probability of
// staying is what the other transitions leave, so that a row of rounded
// probabilities stands for one exact distribution.
type exactModel struct {
	rows  [][][]*big.Rat // by state, action, next state; the diagonal is not used
	costs [][]*big.Rat   // by state, action
}

func newExactModel(model mdp.Explicit) *exactModel {
	n := model.NumStates()
	m := &exactModel{rows: make([][][]*big.Rat, n), costs: make([][]*big.Rat, n)}
	for s := range n {
		for a := range model.NumActions(s) {
			entries, cost := model.AppendRow(nil, s, a)
			row := zeros(n)
			for _, e := range entries {
				row[e.State].Add(row[e.State], rational(e.Probability))
			}
			m.rows[s] = append(m.rows[s], row)
			m.costs[s] = append(m.costs[s], rational(cost))
		}
	}
	return m
}

// chain returns the chain of a policy.
func (m *exactModel) chain(policy []int32) *exactChain {
	c := &exactChain{}
	for s, a := range policy {
		c.rows = append(c.rows, m.rows[s][a])
		c.costs = append(c.costs, m.costs[s][a])
	}
	return c
}

// optimalGains returns the least gain from each state over all deterministic
// stationary policies, among which there is one that is best from every state
// (Puterman 1994, Theorem 9.1.8).
func (m *exactModel) optimalGains() []*big.Rat {
	n := len(m.rows)
	best := make([]*big.Rat, n)
	policy := make([]int32, n)
	for {
		for s, g := range m.chain(policy).gains() {
			if best[s] == nil || g.Cmp(best[s]) < 0 {
				best[s] = g
			}
		}
		s := 0
		for ; s < n; s++ {
			policy[s]++
			if int(policy[s]) < len(m.rows[s]) {
				break
			}
			policy[s] = 0
		}
		if s == n {
			return best
		}
	}
}

// exactChain is the chain of a policy in exact rational numbers.
type exactChain struct {
	rows  [][]*big.Rat
	costs []*big.Rat
}

// reachable returns which states can be reached from which, by Warshall's
// algorithm.
func (c *exactChain) reachable() [][]bool {
	n := len(c.rows)
	reach := make([][]bool, n)
	for i := range n {
		reach[i] = make([]bool, n)
		for j := range n {
			reach[i][j] = i == j || c.rows[i][j].Sign() > 0
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}

// classes returns the closed classes, ordered by their least state.
func (c *exactChain) classes() [][]int {
	reach := c.reachable()
	var classes [][]int
	for i := range reach {
		class, closed := []int{}, true
		for j := range reach {
			if reach[i][j] {
				class = append(class, j)
				closed = closed && reach[j][i]
			}
		}
		if closed && class[0] == i {
			classes = append(classes, class)
		}
	}
	return classes
}

// stationary solves π·(P − I) = 0, Σ π = 1 on a closed class.
func (c *exactChain) stationary(class []int) []*big.Rat {
	m := len(class)
	a, b := make([][]*big.Rat, m), zeros(m)
	for i := range a {
		a[i] = zeros(m)
	}
	for i, s := range class {
		for j, t := range class {
			if s == t {
				continue
			}
			a[j][i].Add(a[j][i], c.rows[s][t])
			a[i][i].Sub(a[i][i], c.rows[s][t])
		}
	}
	for i := range m { // the equations add up to 0: one of them makes room for the sum
		a[m-1][i] = big.NewRat(1, 1)
	}
	b[m-1] = big.NewRat(1, 1)
	return solveExactly(a, b)
}

// gains returns the gain from each state: the stationary mean of the costs on
// closed classes, its mean over where the chain ends up elsewhere.
func (c *exactChain) gains() []*big.Rat {
	gains := make([]*big.Rat, len(c.rows))
	for _, class := range c.classes() {
		g := new(big.Rat)
		for i, p := range c.stationary(class) {
			g.Add(g, p.Mul(p, c.costs[class[i]]))
		}
		for _, s := range class {
			gains[s] = g
		}
	}
	c.extend(gains, zeros(len(gains)))
	return gains
}

// bias solves h = c − g + P·h with P*·h = 0.
func (c *exactChain) bias() []*big.Rat {
	n := len(c.rows)
	gains, h, excess := c.gains(), make([]*big.Rat, n), zeros(n)
	for s := range n {
		excess[s].Sub(c.costs[s], gains[s])
	}
	for _, class := range c.classes() {
		// The first state has h = 0 for now; the others are transient without it.
		h[class[0]] = new(big.Rat)
		c.extendOver(class[1:], h, excess)
		mean := new(big.Rat)
		for i, p := range c.stationary(class) {
			mean.Add(mean, p.Mul(p, h[class[i]]))
		}
		for _, s := range class {
			h[s] = new(big.Rat).Sub(h[s], mean)
		}
	}
	c.extend(h, excess)
	return h
}

// passage returns the mean number of steps from each state to the most visited
// state of the closed class it ends up in.
func (c *exactChain) passage() []*big.Rat {
	n := len(c.rows)
	steps, ones := make([]*big.Rat, n), zeros(n)
	for _, one := range ones {
		one.SetInt64(1)
	}
	for _, class := range c.classes() {
		share := c.stationary(class)
		_, most := extremes(share)
		steps[class[slices.Index(share, most)]] = new(big.Rat)
	}
	c.extend(steps, ones)
	return steps
}

// extend solves x = b + P·x for the elements of x that are nil.
func (c *exactChain) extend(x, b []*big.Rat) {
	var unknown []int
	for s := range x {
		if x[s] == nil {
			unknown = append(unknown, s)
		}
	}
	c.extendOver(unknown, x, b)
}

// extendOver solves x = b + P·x for x on the given states, which lead to no other
// states with unknown x.
func (c *exactChain) extendOver(unknown []int, x, b []*big.Rat) {
	m := len(unknown)
	matrix, right := make([][]*big.Rat, m), zeros(m)
	for i, s := range unknown {
		matrix[i] = zeros(m)
		right[i].Set(b[s])
		for t, p := range c.rows[s] {
			if t == s || p.Sign() == 0 {
				continue
			}
			matrix[i][i].Add(matrix[i][i], p)
			if j := slices.Index(unknown, t); j >= 0 {
				matrix[i][j].Sub(matrix[i][j], p)
			} else {
				right[i].Add(right[i], new(big.Rat).Mul(p, x[t]))
			}
		}
	}
	for i, value := range solveExactly(matrix, right) {
		x[unknown[i]] = value
	}
}

// solveExactly solves a·x = b by Gaussian elimination; it overwrites both.
func solveExactly(a [][]*big.Rat, b []*big.Rat) []*big.Rat {
	n := len(b)
	term := new(big.Rat)
	for k := range n {
		pivot := k
		for pivot < n && a[pivot][k].Sign() == 0 {
			pivot++
		}
		if pivot == n {
			panic(fmt.Sprintf("singular matrix: no pivot in column %d", k))
		}
		a[k], a[pivot], b[k], b[pivot] = a[pivot], a[k], b[pivot], b[k]
		for i := k + 1; i < n; i++ {
			if a[i][k].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k + 1; j < n; j++ {
				a[i][j].Sub(a[i][j], term.Mul(factor, a[k][j]))
			}
			b[i].Sub(b[i], term.Mul(factor, b[k]))
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			b[k].Sub(b[k], term.Mul(a[k][j], b[j]))
		}
		b[k].Quo(b[k], a[k][k])
	}
	return b
}

func zeros(n int) []*big.Rat {
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = new(big.Rat)
	}
	return x
}

// rational returns x exactly; nil for an infinity.
func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// float returns the float64 next to x.
func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// extremes returns the least and the greatest.
func extremes(x []*big.Rat) (least, greatest *big.Rat) {
	return slices.MinFunc(x, (*big.Rat).Cmp), slices.MaxFunc(x, (*big.Rat).Cmp)
}
