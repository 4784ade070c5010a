package certificate

import (
	"math/big"
	"slices"
)

// discounted returns the discounted costs of a policy: (kill + Σ β·rate)·v(s) −
// Σ β·rate·v(j) = c. In steps kill is 1−β; in continuous time β is 1, and kill the rate of
// discounting.
func (x *exactModel) discounted(beta, kill *big.Rat) func(policy []int32) []oracleValue {
	return func(policy []int32) []oracleValue {
		n := len(policy)
		matrix, right := make([][]*big.Rat, n), zeros(n)
		for s, a := range policy {
			matrix[s] = zeros(n)
			matrix[s][s].Set(kill)
			for j, rate := range x.rows[s][a] {
				scaled := new(big.Rat).Mul(rate, beta)
				matrix[s][s].Add(matrix[s][s], scaled)
				matrix[s][j].Sub(matrix[s][j], scaled)
			}
			right[s].Set(x.costs[s][a])
		}
		return finiteValues(solveExactly(matrix, right))
	}
}

// total returns the total costs of a policy until the target.
func (x *exactModel) total(target []bool) func(policy []int32) []oracleValue {
	return func(policy []int32) []oracleValue {
		n := len(policy)
		proper := x.reaching(policy, target)
		matrix, right := make([][]*big.Rat, n), zeros(n)
		for s, a := range policy {
			matrix[s] = zeros(n)
			if target[s] || !proper[s] {
				matrix[s][s].SetInt64(1)
				continue
			}
			for j, rate := range x.rows[s][a] {
				matrix[s][s].Add(matrix[s][s], rate)
				matrix[s][j].Sub(matrix[s][j], rate)
			}
			right[s].Set(x.costs[s][a])
		}
		values := finiteValues(solveExactly(matrix, right))
		for s := range values {
			if !proper[s] {
				values[s] = oracleValue{sign: 1}
			}
		}
		return values
	}
}

// reaching returns the states from which a policy reaches the target surely: all
// that it can come to can reach it.
func (x *exactModel) reaching(policy []int32, target []bool) []bool {
	n := len(policy)
	reach := x.reachability(policy, target)
	surely := make([]bool, n)
	for s := range n {
		surely[s] = true
		for j := range n {
			can := slices.ContainsFunc(indices(n), func(t int) bool { return target[t] && reach[j][t] })
			surely[s] = surely[s] && (!reach[s][j] || can)
		}
	}
	return surely
}

// reachability returns whether a policy may come from one state to another, by
// the algorithm of Warshall; nothing leads on from the states that end.
func (x *exactModel) reachability(policy []int32, ends []bool) [][]bool {
	n := len(policy)
	reach := make([][]bool, n)
	for s, a := range policy {
		reach[s] = make([]bool, n)
		reach[s][s] = true
		for j, rate := range x.rows[s][a] {
			if ended := len(ends) > 0 && ends[s]; rate.Sign() > 0 && !ended {
				reach[s][j] = true
			}
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

// average returns the gains of a policy: those of its closed classes, by their
// stationary distributions, and of other states by where they come to.
func (x *exactModel) average(policy []int32) []oracleValue {
	n := len(policy)
	reach := x.reachability(policy, nil)
	closed := func(s int) bool {
		return !slices.ContainsFunc(indices(n), func(j int) bool { return reach[s][j] && !reach[j][s] })
	}
	matrix, right := make([][]*big.Rat, n), zeros(n)
	for s, a := range policy {
		matrix[s] = zeros(n)
		if closed(s) {
			matrix[s][s].SetInt64(1)
			right[s] = x.classGain(policy, reach[s])
			continue
		}
		for j, rate := range x.rows[s][a] {
			matrix[s][s].Add(matrix[s][s], rate)
			matrix[s][j].Sub(matrix[s][j], rate)
		}
	}
	return finiteValues(solveExactly(matrix, right))
}

// classGain returns the gain of a closed class, by π·Q = 0, Σ π = 1.
func (x *exactModel) classGain(policy []int32, class []bool) *big.Rat {
	n := len(policy)
	matrix, right := make([][]*big.Rat, n), zeros(n)
	for s := range matrix {
		matrix[s] = zeros(n)
	}
	first := slices.Index(class, true)
	for s, a := range policy {
		if !class[s] {
			matrix[s][s].SetInt64(1)
			continue
		}
		for j, rate := range x.rows[s][a] {
			matrix[s][s].Sub(matrix[s][s], rate)
			matrix[j][s].Add(matrix[j][s], rate)
		}
	}
	right[first].SetInt64(1)
	for j := range n {
		matrix[first][j].SetInt64(0)
		if class[j] {
			matrix[first][j].SetInt64(1)
		}
	}
	gain := new(big.Rat)
	for s, share := range solveExactly(matrix, right) {
		if class[s] {
			gain.Add(gain, share.Mul(share, x.costs[s][policy[s]]))
		}
	}
	return gain
}

// horizon returns the best values of some steps, the first by a policy where it
// is not nil.
func (x *exactModel) horizon(steps int, maximize bool, first []int32) []oracleValue {
	v := zeros(len(x.rows))
	for step := range steps {
		next := make([]*big.Rat, len(v))
		for s := range v {
			for a := range x.rows[s] {
				if first != nil && step == steps-1 && a != int(first[s]) {
					continue
				}
				sum := new(big.Rat).Add(x.costs[s][a], v[s])
				for j, rate := range x.rows[s][a] {
					change := new(big.Rat).Sub(v[j], v[s])
					sum.Add(sum, change.Mul(change, rate))
				}
				if next[s] == nil || (sum.Cmp(next[s]) < 0) != maximize {
					next[s] = sum
				}
			}
		}
		v = next
	}
	return finiteValues(v)
}
