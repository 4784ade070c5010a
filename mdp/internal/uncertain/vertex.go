package uncertain

import (
	"math"
	"math/big"
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

// Extreme is the ordinary model that has, for each choice, the vertex at which
// Σ_e p_e·(w_e + β·h(j_e)) is the greatest (Sign 1) or the least (Sign −1). It implements
// [rows.Lister], but may list a next state more than once. Costs bound those of the rows
// from above if Up is set, otherwise from below: rounding included, and that of the order
// of entries.
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
	order []int32 // entries that can take more, from the first to the last to do so
	keys  []doubledouble.Number
	p     []float64 // by entry
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Column is a row of an action, by entry.
type Column struct {
	Action int32
	Row    []float64
}

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
	c, tie := x.vertex(s, a, b)
	dst, cost := x.append(dst, s, c, tie, x.Up)
	if x.IsGain {
		cost = 0
	}
	return dst, cost
}

// Append appends the entries of a column and returns its cost.
func (x Extreme) Append(dst []rows.Entry, s int, c Column) ([]rows.Entry, float64) {
	return x.append(dst, s, c, 0, x.Up)
}

// Column returns the row of an action.
func (x Extreme) Column(s, a int) Column {
	b := scratches.Get().(*scratch)
	defer scratches.Put(b)
	c, _ := x.vertex(s, a, b)
	c.Row = slices.Clone(c.Row)
	return c
}

// All returns the rows of all actions, by state.
func (x Extreme) All() [][]Column {
	all := make([][]Column, x.NumStates())
	for s := range all {
		for a := range x.NumActions(s) {
			all[s] = append(all[s], x.Column(s, a))
		}
	}
	return all
}

// Of returns the ordinary rows whose actions are columns.
func (r *Rows) Of(columns [][]Column, up bool) *rows.Rows {
	all := rows.New(len(columns), len(columns), r.NumTransitions())
	var row []rows.Entry
	for s := range columns {
		for _, c := range columns[s] {
			var cost float64
			row, cost = r.append(row[:0], s, c, 0, up)
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

// vertex returns the vertex of an action, in the memory of b. tie bounds what its order may
// cost by the rounding of keys that are close to each other.
func (x Extreme) vertex(s, a int, b *scratch) (c Column, tie float64) {
	if x.Policy != nil {
		a = int(x.Policy[s])
	}
	k := x.StateStart[s] + int32(a)
	b.order, b.keys = b.order[:0], b.keys[:0]
	for e := x.RowStart[k]; e < x.RowStart[k+1]; e++ {
		key := x.Values.AtOrZero(int(x.Columns[e])).MulFloat(x.Sign)
		if x.Pay != nil && !x.IsGain {
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
	slices.SortStableFunc(b.order, func(i, j int32) int { return b.keys[j].Cmp(b.keys[i]) })
	isClear := true
	for i := 1; i < len(b.order) && isClear; i++ {
		isClear = b.keys[b.order[i-1]].Sub(b.keys[b.order[i]]).Hi > 2*tie
	}
	if isClear {
		tie = 0
	}
	return Column{int32(a), x.fill(x.RowStart[k], x.RowStart[k+1], b)}, tie
}

// unsure bounds what is left of 1, or a probability, below which double-double arithmetic
// may not have its sign or its digits.
const unsure = 0x1p-48

// fill hands out what the least probabilities leave of 1, in the order of b.
func (r *Rows) fill(first, end int32, b *scratch) []float64 {
	b.p = append(b.p[:0], r.Probabilities[first:end]...)
	if len(b.order) == 0 {
		return b.p
	}
	left := doubledouble.FromFloat(1)
	for _, low := range b.p {
		left = left.AddFloat(-low)
	}
	for _, i := range b.order {
		low, high := b.p[i], r.High[first+i]
		rest := left.Sub(doubledouble.TwoSum(high, -low))
		last := left.AddFloat(low).Float()
		switch {
		case math.Abs(left.Hi) < unsure || math.Abs(rest.Hi) < unsure || last < unsure:
			return r.fillExactly(first, end, b)
		case left.Hi < 0:
			return b.p
		case rest.Hi < 0:
			b.p[i] = last
			return b.p
		}
		b.p[i], left = high, rest
	}
	return b.p
}

// exactBits holds sums of probabilities without rounding.
const exactBits = 2200

// fillExactly is fill in exact arithmetic.
func (r *Rows) fillExactly(first, end int32, b *scratch) []float64 {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(x) }
	b.p = append(b.p[:0], r.Probabilities[first:end]...)
	left := number(1)
	for _, low := range b.p {
		left.Sub(left, number(low))
	}
	for _, i := range b.order {
		last, high := number(b.p[i]), r.High[first+i]
		if last.Add(last, left); left.Sign() <= 0 {
			break
		}
		if last.Cmp(number(high)) < 0 {
			b.p[i], _ = last.Float64()
			break
		}
		left.Sub(last, number(high))
		b.p[i] = high
	}
	return b.p
}

// append appends the entries of a column and returns a bound on its cost: from above, or
// from below. slack is moved outward, too.
func (r *Rows) append(dst []rows.Entry, s int, c Column, slack float64, up bool) ([]rows.Entry, float64) {
	k := r.StateStart[s] + c.Action
	first := r.RowStart[k]
	sum, missing := doubledouble.FromFloat(r.Costs[k]), doubledouble.FromFloat(1)
	for i, p := range c.Row {
		if p > 0 {
			dst = append(dst, rows.Entry{State: r.Columns[first+int32(i)], Probability: p})
			missing = missing.AddFloat(-p)
		}
	}
	if r.Pay == nil {
		return dst, r.Costs[k]
	}
	// The entry that takes the rest is rounded by what is missing: the one between its ends, or
	// any of them if rounding made it an end.
	taker := 0.0
	for i, p := range c.Row {
		e := first + int32(i)
		if r.Probabilities[e] < p && p < r.High[e] {
			taker = math.Abs(r.Pay[e])
			break
		}
		if r.Probabilities[e] < r.High[e] {
			taker = max(taker, math.Abs(r.Pay[e]))
		}
	}
	slack += taker * (math.Abs(missing.Hi) + 2*rounding.Extended*float64(max(len(c.Row)-2, 0)))
	for i, p := range c.Row {
		paid := doubledouble.TwoProduct(p, r.Pay[first+int32(i)])
		if paid.Hi == 0 {
			continue
		}
		sum = sum.Add(paid)
		slack += 4 * rounding.Extended * math.Abs(sum.Hi)
		if math.Abs(paid.Hi) < rounding.Tiny {
			slack += rounding.Subnormal
		}
	}
	if up {
		return dst, sum.AddFloat(slack).RoundUp()
	}
	return dst, sum.AddFloat(-slack).RoundDown()
}
