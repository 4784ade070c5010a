package verify

import (
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

// The oracle goes through all deterministic stationary policies of a tiny model
// and solves the equations of each in exact rationals, by Gauss-Jordan
// elimination. It shares nothing with what it is the measure of but mdpio.

// exactModel holds, by state and action, a row of rates to other states and the
// expected cost. The rate of staying is not used: it is what the others leave.
type exactModel struct {
	rows  [][][]*big.Rat
	costs [][]*big.Rat
}

// newExactModel takes a model apart; rewards are its expected rewards.
func newExactModel(m *mdpio.Model, rewards mdpio.Numbers) *exactModel {
	n := m.NumStates()
	x := &exactModel{rows: make([][][]*big.Rat, n), costs: make([][]*big.Rat, n)}
	number := func(list mdpio.Numbers, i int32) *big.Rat {
		if list.Exact != nil {
			return list.Exact[i]
		}
		return new(big.Rat).SetFloat64(list.Float[i])
	}
	for s := range n {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			row := zeros(n)
			for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
				if int(m.Columns[e]) != s {
					row[m.Columns[e]] = number(m.Values, e)
				}
			}
			x.rows[s] = append(x.rows[s], row)
			x.costs[s] = append(x.costs[s], number(rewards, k))
		}
	}
	return x
}

// valueOf is the value of a state: a rational, or infinite where that is nil.
type valueOf struct {
	*big.Rat
	sign int
}

// float returns the float64 around a value.
func (v valueOf) float() (lower, upper float64) {
	if v.Rat == nil {
		return math.Inf(v.sign), math.Inf(v.sign)
	}
	nearest, _ := v.Float64()
	lower, upper = nearest, nearest
	switch v.Cmp(new(big.Rat).SetFloat64(nearest)) {
	case -1:
		lower = math.Nextafter(nearest, math.Inf(-1))
	case 1:
		upper = math.Nextafter(nearest, math.Inf(1))
	}
	return lower, upper
}

// less compares values.
func (v valueOf) less(w valueOf) bool {
	if v.Rat != nil && w.Rat != nil {
		return v.Cmp(w.Rat) < 0
	}
	rank := func(x valueOf) int {
		if x.Rat == nil {
			return x.sign
		}
		return 0
	}
	return rank(v) < rank(w)
}

// policies calls do for every deterministic policy, which must not keep it.
func (x *exactModel) policies(do func(policy []int32)) {
	n := len(x.rows)
	policy := make([]int32, n)
	for {
		do(policy)
		s := 0
		for ; s < n; s++ {
			if policy[s]++; int(policy[s]) < len(x.rows[s]) {
				break
			}
			policy[s] = 0
		}
		if s == n {
			return
		}
	}
}

// best returns the best values over all policies by the evaluation of each, and
// a policy that is best from every state.
func (x *exactModel) best(maximize bool, evaluate func(policy []int32) []valueOf) (values []valueOf, policy []int32) {
	better := func(v, w valueOf) bool {
		if maximize {
			v, w = w, v
		}
		return v.less(w)
	}
	x.policies(func(p []int32) {
		own := evaluate(p)
		if values == nil {
			values = slices.Clone(own)
		}
		for s := range own {
			if better(own[s], values[s]) {
				values[s] = own[s]
			}
		}
	})
	x.policies(func(p []int32) {
		if policy != nil {
			return
		}
		own := evaluate(p)
		for s := range own {
			if better(values[s], own[s]) {
				return
			}
		}
		policy = slices.Clone(p)
	})
	return values, policy
}

// discounted returns the discounted costs of a policy: (kill + Σ β·rate)·v(s) −
// Σ β·rate·v(j) = c.
func (x *exactModel) discounted(beta, uniformization *big.Rat) func(policy []int32) []valueOf {
	kill := new(big.Rat).Sub(big.NewRat(1, 1), beta)
	kill.Mul(kill, uniformization)
	return func(policy []int32) []valueOf {
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
		return finite(solveExactly(matrix, right))
	}
}

// total returns the total costs of a policy until the target.
func (x *exactModel) total(target []bool) func(policy []int32) []valueOf {
	return func(policy []int32) []valueOf {
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
		values := finite(solveExactly(matrix, right))
		for s := range values {
			if !proper[s] {
				values[s] = valueOf{sign: 1}
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
func (x *exactModel) average(policy []int32) []valueOf {
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
	return finite(solveExactly(matrix, right))
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
func (x *exactModel) horizon(steps int, maximize bool, first []int32) []valueOf {
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
	return finite(v)
}

// solveExactly solves a linear system by Gauss-Jordan elimination.
func solveExactly(matrix [][]*big.Rat, right []*big.Rat) []*big.Rat {
	n := len(right)
	for c := range n {
		pivot := c
		for matrix[pivot][c].Sign() == 0 {
			pivot++
		}
		matrix[c], matrix[pivot] = matrix[pivot], matrix[c]
		right[c], right[pivot] = right[pivot], right[c]
		inverse := new(big.Rat).Inv(matrix[c][c])
		for i := range n {
			if i == c || matrix[i][c].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Mul(matrix[i][c], inverse)
			for j := c; j < n; j++ {
				matrix[i][j].Sub(matrix[i][j], new(big.Rat).Mul(factor, matrix[c][j]))
			}
			right[i].Sub(right[i], factor.Mul(factor, right[c]))
		}
	}
	for c := range n {
		right[c].Quo(right[c], matrix[c][c])
	}
	return right
}

func zeros(n int) []*big.Rat {
	list := make([]*big.Rat, n)
	for i := range list {
		list[i] = new(big.Rat)
	}
	return list
}

func finite(list []*big.Rat) []valueOf {
	values := make([]valueOf, len(list))
	for s, x := range list {
		values[s] = valueOf{Rat: x}
	}
	return values
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
