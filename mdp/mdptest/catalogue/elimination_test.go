package catalogue

// A second evaluation of policies in exact arithmetic, with nothing in common with
// package exact.

import (
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// exactModel is a process in exact numbers by state and action.
type exactModel struct {
	states [][]exactChoice
	rate   *big.Rat // steps per unit of time
}

// exactChoice is an action of a state. Its cost is per unit of time.
type exactChoice struct {
	row  []exactEntry
	cost *big.Rat
}

type exactEntry struct {
	state       int
	probability *big.Rat
}

// rows returns the process of a problem.
func (p *Problem) rows() *exactModel {
	a := p.exact
	m := &exactModel{states: make([][]exactChoice, p.NumStates()), rate: a.Rate}
	for s := range m.states {
		for k := a.StateStart[s]; k < a.StateStart[s+1]; k++ {
			c := exactChoice{cost: a.Costs[k]}
			for e := a.RowStart[k]; e < a.RowStart[k+1]; e++ {
				c.row = append(c.row, exactEntry{int(a.Columns[e]), a.Probabilities[e]})
			}
			m.states[s] = append(m.states[s], c)
		}
	}
	return m
}

// equations are x(s) = right(s) + Σ_j p(s,j)·x(j) in exact numbers, for any
// number of right-hand sides at once. They are solved by eliminating one state
// after the other: x(s) is expressed by those that are left and put into their
// equations.
type equations struct {
	rows  []map[int]*big.Rat
	right [][]*big.Rat // by state and right-hand side
	into  []map[int]bool
	order []int // of elimination
}

// newEquations returns equations with the given numbers of unknowns and of
// right-hand sides, all zero.
func newEquations(n, sides int) *equations {
	q := &equations{
		rows:  make([]map[int]*big.Rat, n),
		right: make([][]*big.Rat, n),
		into:  make([]map[int]bool, n),
	}
	for s := range n {
		q.rows[s], q.into[s] = map[int]*big.Rat{}, map[int]bool{}
		for range sides {
			q.right[s] = append(q.right[s], new(big.Rat))
		}
	}
	return q
}

// enter adds p to p(s,j).
func (q *equations) enter(s, j int, p *big.Rat) {
	if x, ok := q.rows[s][j]; ok {
		x.Add(x, p)
		return
	}
	q.rows[s][j] = new(big.Rat).Set(p)
	q.into[j][s] = true
}

// eliminate expresses x(s) by others. It returns false if s leads only to itself.
func (q *equations) eliminate(s int) bool {
	leave := new(big.Rat).Set(one)
	if p, ok := q.rows[s][s]; ok {
		leave.Sub(leave, p)
		delete(q.rows[s], s)
		delete(q.into[s], s)
	}
	if leave.Sign() == 0 {
		return false
	}
	for _, p := range q.rows[s] {
		p.Quo(p, leave)
	}
	for _, b := range q.right[s] {
		b.Quo(b, leave)
	}
	for i := range q.into[s] {
		p := q.rows[i][s]
		delete(q.rows[i], s)
		for j, x := range q.rows[s] {
			q.enter(i, j, mul(p, x))
		}
		for k, b := range q.right[s] {
			q.right[i][k].Add(q.right[i][k], mul(p, b))
		}
	}
	for j := range q.rows[s] {
		delete(q.into[j], s)
	}
	q.order = append(q.order, s)
	return true
}

// substitute solves for the states that were eliminated, for the first
// right-hand side, given x of those they lead to in the end. Where one of these
// is nil, which stands for +Inf, so is x(s).
func (q *equations) substitute(x []*big.Rat) {
	for _, s := range slices.Backward(q.order) {
		sum := new(big.Rat).Set(q.right[s][0])
		for j, p := range q.rows[s] {
			if x[j] == nil {
				sum = nil
				break
			}
			sum.Add(sum, mul(p, x[j]))
		}
		x[s] = sum
	}
}

// better reports whether x is better than y; nil is +Inf.
func (o objective) better(x, y *big.Rat) bool {
	order := compare(x, y)
	return o.sense == mdp.Minimize && order < 0 || o.sense == mdp.Maximize && order > 0
}

// compare compares x with y, nil being +Inf.
func compare(x, y *big.Rat) int {
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return 1
	case y == nil:
		return -1
	}
	return x.Cmp(y)
}

// eliminated returns the value of a policy from each state; nil for +Inf, a total that
// may not end. For a finite horizon the policy is that of the first step, followed by the
// best one.
func (o objective) eliminated(m *exactModel, policy []int32) []*big.Rat {
	value := make([]*big.Rat, len(m.states))
	switch o.kind {
	case finite:
		after := o.backward(m, o.steps-1)
		for s, a := range policy {
			c := m.states[s][a]
			value[s] = c.plus(c.cost, after)
		}
		return value
	case average:
		return m.gains(policy)
	default:
		q := newEquations(len(m.states), 1)
		for s, a := range policy {
			if o.kind == total && slices.Contains(o.target, int32(s)) {
				value[s] = zero
				continue
			}
			c := m.states[s][a]
			q.right[s][0].Quo(c.cost, m.rate)
			for _, e := range c.row {
				p := e.probability
				if o.kind == discounted {
					p = mul(o.discount, p)
				}
				q.enter(s, e.state, p)
			}
		}
		for s := range slices.Backward(policy) {
			if value[s] == nil {
				q.eliminate(s)
			}
		}
		q.substitute(value)
		return value
	}
}

// backward returns the best of some steps from each state.
func (o objective) backward(m *exactModel, steps int) []*big.Rat {
	v := o.terminals
	if v == nil {
		v = slices.Repeat([]*big.Rat{zero}, len(m.states))
	}
	for range steps {
		next := make([]*big.Rat, len(v))
		for s, choices := range m.states {
			for a, c := range choices {
				if x := c.plus(c.cost, v); a == 0 || o.better(x, next[s]) {
					next[s] = x
				}
			}
		}
		v = next
	}
	return v
}

// gains returns the long-run average cost of a policy from each state.
//
// When the states are eliminated one after the other, the last one of a closed
// class is left with itself alone, and with the mean cost and the mean time
// from one visit to the next: their ratio is the gain of the class. That of
// another state is a mean over the classes it can end up in.
func (m *exactModel) gains(policy []int32) []*big.Rat {
	const cost, time = 0, 1
	n := len(policy)
	gains := make([]*big.Rat, n)
	q := newEquations(n, 2)
	for s, a := range policy {
		c := m.states[s][a]
		q.right[s][cost].Set(c.cost)
		q.right[s][time].Set(one)
		for _, e := range c.row {
			q.enter(s, e.state, e.probability)
		}
	}
	for s := range slices.Backward(policy) {
		if !q.eliminate(s) {
			gains[s] = quo(q.right[s][cost], q.right[s][time])
		}
	}
	for _, s := range q.order {
		q.right[s][cost].SetInt64(0)
	}
	q.substitute(gains)
	return gains
}

// plus returns cost + Σ_j p(j)·v(j) of a choice.
func (c exactChoice) plus(cost *big.Rat, v []*big.Rat) *big.Rat {
	sum := new(big.Rat).Set(cost)
	term := new(big.Rat)
	for _, e := range c.row {
		sum.Add(sum, term.Mul(e.probability, v[e.state]))
	}
	return sum
}
