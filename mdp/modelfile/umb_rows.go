// This file makes the rows of a model of the branches of a UMB file, where several may lead
// to one state.

package modelfile

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/filepos"
)

// finishRows multiplies probabilities by exit rates, adds up branches to the same state,
// leaves out those of value 0, and checks what comes out. All this happens in place.
func (u *umbReader) finishRows() error {
	m := u.builder.model
	if !u.builder.divide && (m.rows != nil || u.isPlain()) {
		m.binary = u.options.KeepFloats && u.isBinary()
		for i := range m.Rewards {
			m.Rewards[i].Transition.shorten(len(m.Columns))
		}
		return nil
	}
	u.member, u.places = umbBranchToValue, make([]int32, m.NumStates())
	lo, to := 0, 0
	var sums []doubledouble.Number
	for s, k := range m.choices() {
		hi := int(m.RowStart[k+1])
		u.within = part{s, m.number(s, k)}
		var fault *filepos.Error
		if !m.Kind.IsContinuous() && lo == to && m.isPlain(lo, hi) {
			to = hi
		} else if sums, fault = u.finishRow(lo, hi, to, s, sums[:0]); fault == nil {
			to += len(sums)
		}
		if m.RowStart[k+1] = int32(to); fault == nil {
			fault = u.builder.checkChoice(k)
		}
		if fault == nil && m.Kind.IsContinuous() {
			fault = checkExitRate(u.exit.Float[s], SumTolerance, m.Values.Float[m.RowStart[k]:to])
		}
		if fault != nil {
			return u.fault(lo, fault)
		}
		lo = hi
	}
	m.Columns = m.Columns[:to]
	m.Values.shorten(to)
	for i := range m.Rewards {
		m.Rewards[i].Transition.shorten(to)
	}
	return nil
}

// finishIntervals makes rows of branches whose values are the two ends of intervals.
func (u *umbReader) finishIntervals() error {
	from := u.builder.model
	ends := from.Values
	from.Values = Numbers{}
	for e := range from.Columns {
		from.Values.add(ends.value(2 * e))
		from.High.add(ends.value(2*e + 1))
	}
	u.builder = from.rebuilt(from.Kind)
	u.member = umbBranchToValue
	for s, k := range from.choices() {
		u.within = part{s, from.number(s, k)}
		if fault := u.builder.copyChoice(from, int32(k), nil); fault != nil {
			return u.fault(2*int(from.RowStart[k]), fault)
		}
		if k == int(from.StateStart[s+1])-1 {
			_ = u.builder.endState() // has a choice
		}
	}
	return nil
}

// isPlain reports whether all branches are transitions as they stand: positive probabilities in
// float64 that sum to 1, each to another state. It looks at blocks of choices on all processors.
func (u *umbReader) isPlain() bool {
	m := u.builder.model
	if m.Kind.IsContinuous() || m.IsExact() {
		return false
	}
	// stamps hold, by state, one more than the last choice that named it. As a choice lies in one
	// block, each block may use any of the lists.
	stamps := sync.Pool{New: func() any { return new(make([]int32, m.NumStates())) }}
	return u.inBlocks(m.NumChoices(), choiceBlock, func(first, end int, _ *[]byte) error {
		seen := stamps.Get().(*[]int32)
		defer stamps.Put(seen)
		for k := first; k < end; k++ {
			if lo, hi := m.row(k); lo == hi || !m.isDistinct(lo, hi, *seen, int32(k+1)) || !m.Values.sumToOne(lo, hi) {
				return errNotPlain
			}
		}
		return nil
	}) == nil
}

// choiceBlock is how many choices are looked at together.
const choiceBlock = 1 << 13

var errNotPlain = errors.New("a row that is not plain")

// isDistinct reports whether branches lo … hi−1 lead to different states, with values above 0.
// They usually lead to increasing ones; otherwise seen notes by state the stamp of a row.
func (m *Model) isDistinct(lo, hi int, seen []int32, stamp int32) bool {
	if m.isPlain(lo, hi) {
		return true
	}
	for e := lo; e < hi; e++ {
		if j := m.Columns[e]; seen[j] == stamp || m.Values.Float[e] == 0 {
			return false
		}
		seen[m.Columns[e]] = stamp
	}
	return true
}

// isBinary reports whether the file has all its numbers as float64.
func (u *umbReader) isBinary() bool {
	if u.index.System.ProbabilityType.ends().Type != umbDouble {
		return false
	}
	for _, reward := range u.index.Annotations[umbRewards] {
		if reward.Type.Type != umbDouble {
			return false
		}
	}
	return true
}

// isPlain reports whether branches lo … hi−1 are transitions as they stand.
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

// finishRow makes transitions, from number first on, of branches lo … hi−1 of state s. It
// appends their values, before they are rounded, to sums.
func (u *umbReader) finishRow(lo, hi, first, s int, sums []doubledouble.Number) ([]doubledouble.Number, *filepos.Error) {
	m := u.builder.model
	for e := lo; e < hi; e++ {
		v, j := m.Values.value(e), m.Columns[e]
		sum := doubledouble.FromFloat(v.float)
		if m.Kind.IsContinuous() {
			exit := u.exit.value(s)
			sum = doubledouble.TwoProduct(v.float, exit.float)
			if sum.Hi == 0 && v.float != 0 && exit.float != 0 {
				return sums, filepos.Fault(fmt.Sprintf("probability %v with exit rate %v", v.float, exit.float), "a rate that float64 can tell from 0")
			}
			if v.float = sum.Float(); v.exact != nil {
				v = rounded(new(big.Rat).Mul(v.exact, exit.exact))
			}
		}
		if v.float == 0 {
			continue
		}
		at := int(u.places[j]) - 1
		again := at >= first // a branch of this row has led there
		if !again {
			at = first + len(sums)
			sums = append(sums, sum)
			u.places[j] = int32(at + 1)
		} else {
			sum = sums[at-first].Add(sum)
			if sums[at-first] = sum; v.exact != nil {
				v = rounded(new(big.Rat).Add(m.Values.Exact[at], v.exact))
			} else {
				v.float = sum.Float()
			}
		}
		if math.IsInf(v.float, 1) {
			return sums, filepos.Fault("a rate of +Inf", "a finite number")
		}
		for i := range m.Rewards {
			r := &m.Rewards[i].Transition
			if again && r.rational(at).Cmp(r.rational(e)) != 0 {
				return sums, filepos.Fault(fmt.Sprintf("two branches to state %d with different rewards", j), "one")
			}
			r.set(at, r.value(e))
		}
		m.Columns[at] = j
		m.Values.set(at, v)
	}
	return sums, nil
}

// rounded returns an exact number with the float64 nearest to it.
func rounded(x *big.Rat) value {
	float, _ := x.Float64()
	return value{float, x}
}

// set replaces number i; an empty list stays empty.
func (n *Numbers) set(i int, v value) {
	if len(n.Float) > 0 {
		n.Float[i] = v.float
	}
	if len(n.Exact) > 0 {
		n.Exact[i] = v.exact
	}
}

// shorten leaves out all numbers from one on. A list of zeros becomes empty.
func (n *Numbers) shorten(length int) {
	n.cut(length)
	if n.CountNonzero() == 0 {
		*n = Numbers{}
	}
}

// cut leaves out all numbers from one on.
func (n *Numbers) cut(length int) {
	if length == 0 {
		*n = Numbers{}
	}
	n.Float = n.Float[:min(length, len(n.Float))]
	n.Exact = n.Exact[:min(length, len(n.Exact))]
}

// checkExitRate compares an exit rate that a file has with the sum of the rates, which is the one that
// the model uses.
func checkExitRate(exit, tolerance float64, rates []float64) *filepos.Error {
	if sum := floatSum(rates).Float(); !(math.Abs(exit-sum) <= tolerance*sum) {
		return filepos.Fault(fmt.Sprintf("the exit rate %v", exit), fmt.Sprintf("%v, the sum of the rates that follow", sum))
	}
	return nil
}
