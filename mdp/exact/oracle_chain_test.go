package exact_test

import (
	"math/big"
	"slices"
)

// chain is the chain of a policy in dense rational numbers.
type chain struct {
	rows  [][]*big.Rat
	costs []*big.Rat
}

// reachable returns which states can be reached from which, none beyond the
// target, by Warshall's algorithm.
func (c *chain) reachable(target []int32) [][]bool {
	n := len(c.rows)
	reach := make([][]bool, n)
	for i := range n {
		reach[i] = make([]bool, n)
		for j := range n {
			reach[i][j] = i == j || c.rows[i][j].Sign() > 0 && !slices.Contains(target, int32(i))
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

// classes returns the closed classes.
func (c *chain) classes(reach [][]bool) [][]int {
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

// classGain returns the mean of the costs under the stationary distribution of a
// closed class, which solves π·P = π, Σ π = 1.
func (c *chain) classGain(class []int) *big.Rat {
	m := len(class)
	matrix := square(m)
	right := rationals(m)
	for i, s := range class {
		for j, t := range class {
			matrix[j][i].Set(c.rows[s][t])
		}
	}
	for i := range m {
		matrix[i][i].Sub(matrix[i][i], one)
	}
	for i := range m { // one equation is redundant and makes room for the sum
		matrix[m-1][i] = big.NewRat(1, 1)
	}
	right[m-1].SetInt64(1)
	gain := new(big.Rat)
	for i, share := range gauss(matrix, right) {
		gain.Add(gain, share.Mul(share, c.costs[class[i]]))
	}
	return gain
}

// gains returns the gain from each state: that of its class, or the mean over
// where it ends up.
func (c *chain) gains() []*big.Rat {
	n := len(c.rows)
	gains := make([]*big.Rat, n)
	for _, class := range c.classes(c.reachable(nil)) {
		g := c.classGain(class)
		for _, s := range class {
			gains[s] = g
		}
	}
	matrix, right := square(n), rationals(n)
	for s := range n {
		matrix[s][s].SetInt64(1)
		if gains[s] != nil {
			right[s].Set(gains[s])
			continue
		}
		for j, p := range c.rows[s] {
			matrix[s][j].Sub(matrix[s][j], p)
		}
	}
	return gauss(matrix, right)
}

// total solves v = c + β·P·v where inside is true (nil for everywhere), and
// v = 0 elsewhere.
func (c *chain) total(inside []bool, discount *big.Rat) []*big.Rat {
	n := len(c.rows)
	matrix, right := square(n), rationals(n)
	for s := range n {
		matrix[s][s].SetInt64(1)
		if len(inside) > 0 && !inside[s] {
			continue
		}
		right[s].Set(c.costs[s])
		for j, p := range c.rows[s] {
			matrix[s][j].Sub(matrix[s][j], new(big.Rat).Mul(discount, p))
		}
	}
	return gauss(matrix, right)
}

// from returns the total cost from s to a target that is reached.
func (c *chain) from(s int, reach [][]bool, target []int32) *big.Rat {
	inside := make([]bool, len(c.rows))
	for j := range inside {
		inside[j] = reach[s][j] && !slices.Contains(target, int32(j))
	}
	return c.total(inside, one)[s]
}

var one = big.NewRat(1, 1)

func rationals(n int) []*big.Rat {
	x := make([]*big.Rat, n)
	for i := range x {
		x[i] = new(big.Rat)
	}
	return x
}

func square(n int) [][]*big.Rat {
	a := make([][]*big.Rat, n)
	for i := range a {
		a[i] = rationals(n)
	}
	return a
}

// gauss solves a·x = b by the elimination of Gauss and Jordan, in place.
func gauss(a [][]*big.Rat, b []*big.Rat) []*big.Rat {
	term := new(big.Rat)
	for k := range b {
		pivot := k
		for a[pivot][k].Sign() == 0 {
			pivot++ // out of range where the matrix is singular
		}
		a[k], a[pivot], b[k], b[pivot] = a[pivot], a[k], b[pivot], b[k]
		for i := range b {
			if i == k || a[i][k].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k; j < len(b); j++ {
				a[i][j].Sub(a[i][j], term.Mul(factor, a[k][j]))
			}
			b[i].Sub(b[i], term.Mul(factor, b[k]))
		}
	}
	for k := range b {
		b[k].Quo(b[k], a[k][k])
	}
	return b
}
