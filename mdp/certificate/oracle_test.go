package certificate

import (
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// The oracle goes through all deterministic stationary policies of a tiny model
// and solves the equations of each in exact rationals, by Gauss-Jordan
// elimination. It shares only modelfile with the code that it tests.

// exactModel holds, by state and action, a row of rates to other states and the
// expected cost. The rate of staying is not used: it is what the others leave.
type exactModel struct {
	rows  [][][]*big.Rat
	costs [][]*big.Rat
}

// newExactModel takes a model with its only reward model apart: probabilities are
// divided by their exact sum.
func newExactModel(m *modelfile.Model) *exactModel {
	n := m.NumStates()
	x := &exactModel{rows: make([][][]*big.Rat, n), costs: make([][]*big.Rat, n)}
	number := func(list modelfile.Numbers, i int32) *big.Rat {
		switch {
		case len(list.Exact) > 0:
			return list.Exact[i]
		case len(list.Float) > 0:
			return new(big.Rat).SetFloat64(list.Float[i])
		}
		return new(big.Rat)
	}
	reward := m.Rewards[0]
	for s := range n {
		for k := m.StateStart[s]; k < m.StateStart[s+1]; k++ {
			row, sum, earned := zeros(n), new(big.Rat), new(big.Rat)
			for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
				v := number(m.Values, e)
				row[m.Columns[e]].Set(v)
				sum.Add(sum, v)
				jump := new(big.Rat).Add(number(reward.Action, k), number(reward.Transition, e))
				earned.Add(earned, jump.Mul(jump, v))
			}
			if !m.Kind.IsContinuous() {
				earned.Quo(earned, sum)
				for _, v := range row {
					v.Quo(v, sum)
				}
			}
			row[s].SetInt64(0)
			x.rows[s] = append(x.rows[s], row)
			x.costs[s] = append(x.costs[s], earned.Add(earned, number(reward.State, int32(s))))
		}
	}
	return x
}

// oracleValue is the value of a state: a rational, or infinite where that is nil.
type oracleValue struct {
	*big.Rat
	sign int
}

// float returns the float64 around a value.
func (v oracleValue) float() (lower, upper float64) {
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
func (v oracleValue) less(w oracleValue) bool {
	if v.Rat != nil && w.Rat != nil {
		return v.Cmp(w.Rat) < 0
	}
	rank := func(x oracleValue) int {
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
func (x *exactModel) best(maximize bool, evaluate func(policy []int32) []oracleValue) (values []oracleValue, policy []int32) {
	better := func(v, w oracleValue) bool {
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

func finiteValues(list []*big.Rat) []oracleValue {
	values := make([]oracleValue, len(list))
	for s, x := range list {
		values[s] = oracleValue{Rat: x}
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
