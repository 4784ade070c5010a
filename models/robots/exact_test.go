package robots_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// exactPrecision is the precision of exactProcess in bits: enough for gains of
// 1e-40 beside values of 1e3 with more than thirty digits to spare.
const exactPrecision = 400

// exactProcess is the process on the post-decision pairs by the equations
//
//	θ = γ·1(q=0) + λr·1(q=K) + μ·1(q>0)·[min(W(q−1,r), W(q−1,min(r+1,N))) − W(q,r)]
//	  + λr·[min(W(min(q+1,K),r−1), W(min(q+1,K),r)) − W(q,r)]
//
// in extended precision, with rational parameters, written down anew: it shares
// nothing with the models it tests.
type exactProcess struct {
	robots, buffer     int
	lambda, mu, weight *big.Float
}

func exactFloat(t *testing.T, text string) *big.Float {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return new(big.Float).SetPrec(exactPrecision).SetRat(r)
}

func number(x float64) *big.Float { return new(big.Float).SetPrec(exactPrecision).SetFloat64(x) }

func (e exactProcess) pairs() int { return (e.robots+1)*(e.buffer+1) - 1 }

// index orders pairs by r, so that the band is K+2 wide; (0,0) is left out.
func (e exactProcess) index(q, r int) int { return r*(e.buffer+1) + q - 1 }

// move is a transition of the continuous-time chain.
type move struct {
	to   int
	rate *big.Float
}

// moves returns the transitions from (q,r) under decisions a0 and a1, and the
// cost rate.
func (e exactProcess) moves(q, r int, activate, reactivate bool) ([]move, *big.Float) {
	cost := number(0)
	var list []move
	if q == 0 {
		cost.Add(cost, e.weight)
	} else {
		next := r
		if (activate || q == 1 && r == 0) && r < e.robots {
			next++
		}
		list = append(list, move{e.index(q-1, next), e.mu})
	}
	if r > 0 {
		rate := number(0).Mul(e.lambda, number(float64(r)))
		to := q + 1
		if q == e.buffer {
			cost.Add(cost, rate)
			to = q
		}
		next := r
		if !reactivate {
			next--
		}
		list = append(list, move{e.index(to, next), rate})
	}
	return list, cost
}

// evaluate solves c − θ + Σ rate·(W(to) − W) = 0 with W = 0 at the root, by
// Gaussian elimination in the band. The chain of the policy must have one
// closed class.
func (e exactProcess) evaluate(policy *robots.Policy, rootQueue, rootActive int) (gain *big.Float, values []*big.Float) {
	n, width, root := e.pairs(), e.buffer+2, e.index(rootQueue, rootActive)
	a := make([][]*big.Float, n) // row i: columns i−width … i+width
	b := make([][2]*big.Float, n)
	for r := range e.robots + 1 {
		for q := range e.buffer + 1 {
			if q == 0 && r == 0 {
				continue
			}
			i := e.index(q, r)
			a[i] = make([]*big.Float, 2*width+1)
			for k := range a[i] {
				a[i][k] = number(0)
			}
			list, cost := e.moves(q, r,
				q > 0 && activates(policy, moment{q, r, robots.Departure}),
				r > 0 && activates(policy, moment{q, r, robots.Arrival}))
			b[i] = [2]*big.Float{cost, number(1)}
			for _, m := range list {
				if m.to == i {
					continue
				}
				a[i][width].Add(a[i][width], m.rate)
				if m.to != root {
					a[i][m.to-i+width].Sub(a[i][m.to-i+width], m.rate)
				}
			}
		}
	}
	// Two right-hand sides, cost and 1, for the rows other than the root's.
	saved := append([]*big.Float(nil), a[root]...)
	savedCost := number(0).Set(b[root][0])
	for k := range a[root] {
		a[root][k] = number(0)
	}
	a[root][width] = number(1)
	b[root] = [2]*big.Float{number(0), number(0)}
	product, factor := number(0), number(0)
	for k := range n {
		for i := k + 1; i <= min(k+width, n-1); i++ {
			if a[i][k-i+width].Sign() == 0 {
				continue
			}
			factor.Quo(a[i][k-i+width], a[k][width])
			for j := k; j <= min(k+width, n-1); j++ {
				a[i][j-i+width].Sub(a[i][j-i+width], product.Mul(factor, a[k][j-k+width]))
			}
			for side := range 2 {
				b[i][side].Sub(b[i][side], product.Mul(factor, b[k][side]))
			}
		}
	}
	for i := n - 1; i >= 0; i-- {
		for side := range 2 {
			for j := i + 1; j <= min(i+width, n-1); j++ {
				b[i][side].Sub(b[i][side], product.Mul(a[i][j-i+width], b[j][side]))
			}
			b[i][side].Quo(b[i][side], a[i][width])
		}
	}
	// The root's row: cost + Σ rate·X = θ·(1 + Σ rate·T).
	cost, time := savedCost, number(1)
	for k, x := range saved {
		j := root + k - width
		if k == width || x.Sign() == 0 || j < 0 || j >= n {
			continue
		}
		cost.Sub(cost, product.Mul(x, b[j][0]))
		time.Sub(time, product.Mul(x, b[j][1]))
	}
	gain = number(0).Quo(cost, time)
	values = make([]*big.Float, n)
	for i := range values {
		values[i] = number(0).Sub(b[i][0], product.Mul(gain, b[i][1]))
	}
	return gain, values
}

// excess returns the most by which a decision that the policy does not take
// would be better than those it takes, in units of cost rate: 0 proves it
// optimal.
func (e exactProcess) excess(gain *big.Float, values []*big.Float) *big.Float {
	worst, sum, term := number(0), number(0), number(0)
	for r := range e.robots + 1 {
		for q := range e.buffer + 1 {
			if q == 0 && r == 0 {
				continue
			}
			for decisions := range 4 {
				list, cost := e.moves(q, r, decisions&1 == 1, decisions&2 == 2)
				sum.Sub(gain, cost)
				for _, m := range list {
					term.Sub(values[m.to], values[e.index(q, r)])
					sum.Sub(sum, term.Mul(term, m.rate))
				}
				if sum.Cmp(worst) > 0 {
					worst.Set(sum)
				}
			}
		}
	}
	return worst
}
