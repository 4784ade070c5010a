// This file makes the rows of a model of the branches of a UMB file, where several may lead
// to one state.

package modelfile

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

// umbSum is the value of one or several branches to a state.
type umbSum struct {
	float doubledouble.Number
	exact *big.Rat
}

// finishRows multiplies probabilities by exit rates, adds up branches to the same state,
// leaves out those of value 0, and checks what comes out. All this happens in place.
func (u *umbReader) finishRows() error {
	m := u.b.model
	u.member = umbBranchToValue
	lo, to := 0, 0
	for s, k := range m.choices() {
		hi := int(m.RowStart[k+1])
		u.within = part{s, m.number(s, k)}
		var fault *filepos.Error
		to, fault = u.finishRow(lo, hi, to, s)
		m.RowStart[k+1] = int32(to)
		if fault == nil {
			fault = u.b.checkChoice(k)
		}
		if fault == nil && m.Kind == CTMC {
			fault = checkExitRate(u.exit.Float[s], m.Values.Float[m.RowStart[k]:to])
		}
		if fault != nil {
			return u.fault(lo, fault)
		}
		lo = hi
	}
	m.Columns, m.Values = m.Columns[:to], m.Values.first(to)
	for i := range m.Rewards {
		if r := &m.Rewards[i].Transition; r.Len() > 0 {
			if *r = r.first(to); r.countNonzero() == 0 {
				*r = Numbers{}
			}
		}
	}
	return nil
}

// first returns the first numbers of a list.
func (n *Numbers) first(length int) Numbers {
	if n.Exact == nil {
		return Numbers{Float: n.Float[:length]}
	}
	return Numbers{n.Float[:length], n.Exact[:length]}
}

// finishRow moves branches lo … hi−1, of a choice of state s, to transitions from to on,
// and returns the next.
func (u *umbReader) finishRow(lo, hi, to, s int) (next int, fault *filepos.Error) {
	m := u.b.model
	if m.Kind != CTMC && to == lo && m.isPlain(lo, hi) {
		return hi, nil
	}
	if u.lastPlace == nil {
		u.lastPlace = make([]int32, m.NumStates())
	}
	first := to
	sums := u.accumulated[:0]
	for e := lo; e < hi; e++ {
		v := umbSum{doubledouble.FromFloat(m.Values.Float[e]), nil}
		if m.Values.Exact != nil {
			v.exact = m.Values.Exact[e]
		}
		if m.Kind == CTMC {
			v = v.times(&u.exit, s)
		}
		if v.float.Hi == 0 {
			if m.Values.Float[e] != 0 && u.exit.Float[s] != 0 {
				return to, filepos.Fault(fmt.Sprintf("a probability of %v with an exit rate of %v", m.Values.Float[e], u.exit.Float[s]), "a rate that float64 can tell from 0")
			}
			continue
		}
		j := m.Columns[e]
		if at := int(u.lastPlace[j]) - 1; at >= first {
			u.mergeRewards(at, e, &sums[at-first], &v)
			sums[at-first] = sums[at-first].plus(v)
			continue
		}
		for i := range m.Rewards {
			if r := &m.Rewards[i].Transition; r.Len() > 0 {
				r.set(to, r.value(e))
			}
		}
		m.Columns[to] = j
		sums = append(sums, v)
		to++
		u.lastPlace[j] = int32(to)
	}
	for i, sum := range sums {
		v := value{sum.float.Float(), sum.exact}
		if v.exact != nil {
			v.float, _ = v.exact.Float64()
		}
		if math.IsInf(v.float, 0) || math.IsNaN(v.float) {
			return to, filepos.Fault("a rate of "+strconv.FormatFloat(v.float, 'g', -1, 64), "a finite number")
		}
		m.Values.set(first+i, v)
	}
	u.accumulated = sums
	return to, nil
}

// isPlain reports whether the branches lo … hi−1 are transitions as they stand.
func (m *Model) isPlain(lo, hi int) bool {
	last := int32(-1)
	for e := lo; e < hi; e++ {
		if m.Columns[e] <= last || m.Values.Float[e] == 0 {
			return false
		}
		last = m.Columns[e]
	}
	return true
}

// times returns a sum of one term multiplied by number i of a list.
func (x umbSum) times(list *Numbers, i int) umbSum {
	x.float = doubledouble.TwoProduct(x.float.Hi, list.Float[i])
	if x.exact != nil {
		x.exact = new(big.Rat).Mul(x.exact, list.Exact[i])
	}
	return x
}

// plus returns the sum of two.
func (x umbSum) plus(y umbSum) umbSum {
	x.float = x.float.Add(y.float)
	if x.exact != nil {
		x.exact = new(big.Rat).Add(x.exact, y.exact)
	}
	return x
}

// rational returns a sum exactly, or nearly where its terms are no fractions.
func (x *umbSum) rational() *big.Rat {
	if x.exact != nil {
		return x.exact
	}
	return x.float.Rat()
}

// mergeRewards makes the rewards of a transition the mean of its own, with what its branches
// weigh so far, and those of one more branch.
func (u *umbReader) mergeRewards(transition, branch int, weight, more *umbSum) {
	for i := range u.b.model.Rewards {
		r := &u.b.model.Rewards[i].Transition
		if r.Len() == 0 {
			continue
		}
		if x, y := r.rational(transition), r.rational(branch); x.Cmp(y) != 0 {
			mean := new(big.Rat).Mul(x, weight.rational())
			mean.Add(mean, new(big.Rat).Mul(y, more.rational()))
			mean.Quo(mean, new(big.Rat).Add(weight.rational(), more.rational()))
			v := value{exact: mean}
			v.float, _ = mean.Float64()
			r.set(transition, v)
		}
	}
}

// set replaces number i.
func (n *Numbers) set(i int, v value) {
	if n.Float[i] = v.float; n.Exact != nil {
		n.Exact[i] = v.exact
	}
}

// checkExitRate compares an exit rate that a file has with the sum of the rates.
func checkExitRate(exit float64, rates []float64) *filepos.Error {
	if sum := floatSum(rates).Float(); !(math.Abs(exit-sum) <= SumTolerance*sum) {
		return filepos.Fault(fmt.Sprintf("the exit rate %v", exit), fmt.Sprintf("%v, the sum of the rates that follow", sum))
	}
	return nil
}
