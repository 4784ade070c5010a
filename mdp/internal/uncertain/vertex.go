package uncertain

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Vertices: the rows at which sums are extreme.

// RelativeError bounds the relative error of the probabilities of a vertex: of the one that
// takes what others leave, and of entries that are added up.
const RelativeError = 3 * rounding.Unit

// Extreme is the ordinary model that has, for each choice, the vertex at which Σ_e
// p_e·(w_e + β·h(j_e)) is the greatest (Sign 1) or the least (Sign −1). It implements
// [rows.Lister], but may list a next state more than once. Costs bound those of the rows
// from above if Up is set, otherwise from below, in spite of rounding, which may also
// change the order of entries.
type Extreme struct {
	*Rows
	Values   vector.Vector    // h
	Discount *vector.Discount // β; nil: 1
	Sign     float64
	Up       bool
	Policy   []int32 // the only action of each state; nil for all
	IsGain   bool    // values are gains: costs count as 0, and there is no discount
}

// scratch is memory for one row.
type scratch struct {
	order []int32 // entries that can take more than their least probability, in the order in which they do
	keys  []doubledouble.Number
	p     []float64 // by entry
	left  expansion
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// NumActions implements [rows.Lister].
func (x Extreme) NumActions(s int) int {
	if x.Policy != nil {
		return 1
	}
	return x.Rows.NumActions(s)
}

// AppendRow implements [rows.Lister].
func (x Extreme) AppendRow(dst []rows.Entry, s, a int) ([]rows.Entry, float64) {
	b := scratches.Get().(*scratch)
	defer scratches.Put(b)
	a, tie := x.vertex(s, a, b)
	dst, cost := x.Append(dst, s, a, b.p, tie, x.Up)
	if x.IsGain {
		cost = 0
	}
	return dst, cost
}

// Row returns the probabilities of an action, by entry.
func (x Extreme) Row(s, a int) []float64 {
	b := scratches.Get().(*scratch)
	defer scratches.Put(b)
	x.vertex(s, a, b)
	return slices.Clone(b.p)
}

// Row returns the probabilities of one action: the part of all, which has those of all actions.
func (r *Rows) Row(all []float64, s, a int) []float64 {
	k := r.StateStart[s] + int32(a)
	return all[r.RowStart[k]:r.RowStart[k+1]]
}

// Of returns the ordinary rows that have the probabilities p, by entry, and costs that are
// rounded up or down.
func (r *Rows) Of(p []float64, up bool) *rows.Rows {
	n := r.NumStates()
	all := rows.New(n, r.NumChoices(), r.NumTransitions())
	var row []rows.Entry
	for s := range n {
		for a := range r.NumActions(s) {
			var cost float64
			row, cost = r.Append(row[:0], s, a, r.Row(p, s, a), 0, up)
			for _, e := range row {
				all.Add(e.State, e.Probability)
			}
			all.Merge()
			all.EndChoice(cost)
		}
		all.EndState()
	}
	return all
}

// vertex sets b.p to the vertex of an action, and returns the number of the action. tie
// bounds by how much the sum changes if rounding of discounted keys that are close to each
// other put entries in the wrong order; it is 0 if the order is certain.
func (x Extreme) vertex(s, a int, b *scratch) (action int, tie float64) {
	if x.Policy != nil {
		a = int(x.Policy[s])
	}
	k := x.StateStart[s] + int32(a)
	b.order, b.keys = b.order[:0], b.keys[:0]
	for e := x.RowStart[k]; e < x.RowStart[k+1]; e++ {
		key := x.Values.AtOrZero(int(x.Columns[e]))
		if x.Sign < 0 {
			key = key.Neg()
		}
		if math.IsInf(key.Hi, 0) {
			key.Lo = 0 // not NaN; what is paid besides does not count
		} else if x.Pay != nil && !x.IsGain {
			inexact := 16 * rounding.Extended
			if x.Discount != nil {
				inexact += 2 * x.Discount.RelativeError
				key = key.MulFloat(x.Discount.Factor)
			}
			tie = max(tie, inexact*(math.Abs(key.Hi)+math.Abs(x.Pay[e])))
			key = key.AddFloat(x.Sign * x.Pay[e])
		}
		b.keys = append(b.keys, key)
		if x.High[e] > x.Probabilities[e] {
			b.order = append(b.order, e-x.RowStart[k])
		}
	}
	isExact := x.Discount == nil && tie > 0 && !math.IsInf(tie, 1)
	slices.SortStableFunc(b.order, func(i, j int32) int {
		if isExact && math.Abs(b.keys[j].Sub(b.keys[i]).Hi) <= 2*tie {
			return x.compare(x.RowStart[k]+j, x.RowStart[k]+i, b)
		}
		return b.keys[j].Cmp(b.keys[i])
	})
	isClear := true
	for i := 1; i < len(b.order) && isClear && tie > 0 && !isExact; i++ {
		before, after := b.order[i-1], b.order[i]
		e, f := x.RowStart[k]+before, x.RowStart[k]+after
		// What a transition keeps and what is added to it have the same key: their order does not matter.
		isClear = x.Columns[e] == x.Columns[f] && x.Pay[e] == x.Pay[f] || b.keys[before].Sub(b.keys[after]).Hi > 2*tie
	}
	if isClear {
		tie = 0
	}
	x.fill(k, b)
	return a, tie
}

// compare returns the sign of the difference of the keys of entries e and f, found exactly,
// without a discount.
func (x Extreme) compare(e, f int32, b *scratch) int {
	v, w := x.Values.AtOrZero(int(x.Columns[e])), x.Values.AtOrZero(int(x.Columns[f]))
	b.left = b.left[:0].add(v.Hi).add(v.Lo).add(x.Pay[e]).add(-w.Hi).add(-w.Lo).add(-x.Pay[f])
	return cmp.Compare(x.Sign*b.left.sign(), 0)
}

// fill hands out what the least probabilities leave of 1, in the order of b; of the additions of a
// distance, only the first takes some. It keeps the rest as an exact sum, since even a tiny rest
// decides which entry is the last to take some.
func (r *Rows) fill(k int32, b *scratch) {
	first, end, additions, isTaken := r.RowStart[k], r.RowStart[k+1], r.additions(k), false
	b.p = append(b.p[:0], r.Probabilities[first:end]...)
	b.left = append(b.left[:0], 1)
	for _, low := range b.p {
		b.left = b.left.add(-low)
	}
	for _, i := range b.order {
		if b.left.sign() <= 0 {
			break
		}
		if first+i >= additions {
			if isTaken {
				continue
			}
			isTaken = true
		}
		b.left = b.left.add(b.p[i])
		last, high := b.left.float(), r.High[first+i]
		if b.left = b.left.add(-high); b.left.sign() < 0 {
			b.p[i] = last
			break
		}
		b.p[i] = high
	}
}

// expansion is an exact sum of numbers that do not overlap, from the smallest to the largest
// (J.R. Shewchuk, Adaptive precision floating-point arithmetic, Discrete and Computational
// Geometry 18 (1997), 305-363).
type expansion []float64

// add adds x in place.
func (e expansion) add(x float64) expansion {
	kept := e[:0]
	for _, y := range e {
		sum := doubledouble.TwoSum(x, y)
		if x = sum.Hi; sum.Lo != 0 {
			kept = append(kept, sum.Lo)
		}
	}
	if x == 0 {
		return kept
	}
	return append(kept, x)
}

// sign returns a number with the sign of the sum.
func (e expansion) sign() float64 {
	if len(e) == 0 {
		return 0
	}
	return e[len(e)-1]
}

// float returns the sum with an error of less than a unit in the last place.
func (e expansion) float() (sum float64) {
	for _, x := range e {
		sum += x
	}
	return sum
}

// number returns the sum in double-double, and a bound on its error.
func (e expansion) number() (sum doubledouble.Number, off float64) {
	for i, x := range slices.Backward(e) {
		if i < len(e)-2 {
			off += 2 * math.Abs(x)
		} else {
			sum = doubledouble.TwoSum(sum.Hi, x)
		}
	}
	return sum, off
}

// Append appends the entries of an action with probabilities p, and returns a bound on its cost, from above or
// from below. It moves the bound outward by slack, besides rounding.
func (r *Rows) Append(dst []rows.Entry, s, a int, p []float64, slack float64, up bool) ([]rows.Entry, float64) {
	k := r.StateStart[s] + int32(a)
	first := r.RowStart[k]
	var parts, rest [16]float64
	cost, missing := expansion(parts[:0]).add(r.Costs[k]), expansion(rest[:0]).add(1)
	// The probability of the entry that takes the rest is rounded, so that its error is what
	// is missing from 1. That entry is the one between its ends, or any entry with an
	// interval if rounding made its probability an end. If no entry has an interval, what is
	// missing is the error of all probabilities, in proportion.
	taker, isKnown, isWide, size := 0.0, false, false, math.Abs(r.Costs[k])
	for i, p := range p {
		e := first + int32(i)
		if p > 0 {
			dst = append(dst, rows.Entry{State: r.Columns[e], Probability: p})
		}
		if r.Pay == nil {
			continue
		}
		missing = missing.add(-p)
		low, high := r.Probabilities[e], r.High[e]
		isWide = isWide || low < high
		if low < p && p < high {
			taker, isKnown = math.Abs(r.Pay[e]), true
		} else if low < high && !isKnown {
			taker = max(taker, math.Abs(r.Pay[e]))
		}
		if p == 0 || r.Pay[e] == 0 {
			continue
		}
		paid := doubledouble.TwoProduct(p, r.Pay[e])
		cost = cost.add(paid.Hi).add(paid.Lo)
		size += math.Abs(paid.Hi)
		if math.Abs(paid.Hi) < rounding.Tiny {
			slack += rounding.Subnormal
		}
	}
	if r.Pay == nil {
		return dst, r.Costs[k]
	}
	if !isWide {
		taker = size
	}
	sum, off := cost.number()
	if slack += off + (1+0x1p-40)*(taker*math.Abs(missing.float())+r.RelativeError*size); up {
		return dst, sum.AddFloat(slack).RoundUp()
	}
	return dst, sum.AddFloat(-slack).RoundDown()
}
