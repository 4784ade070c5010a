package mdptest

import (
	"math/big"
	"slices"
)

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

// eliminate expresses x(s) by others. It returns false where s leads to itself
// alone.
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
