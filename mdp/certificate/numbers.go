package certificate

// This file holds numbers: lists of them, and what is proved of one.

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

type pair = doubledouble.Number

// bound is a double-double number, which may be infinite, or a rational where
// exact is not nil: then the other is near it, or NaN.
type bound struct {
	pair
	exact *big.Rat
}

func floatBound(x float64) bound  { return bound{pair: pair{Hi: x}} }
func exactBound(x *big.Rat) bound { return bound{doubledouble.FromRat(x), x} }
func (b bound) isInfinite() bool  { return b.exact == nil && math.IsInf(b.Hi, 0) }

// rational returns b, which is finite, exactly.
func (b bound) rational() *big.Rat {
	if b.exact != nil {
		return b.exact
	}
	return b.Rat()
}

// plus returns b + share·c, exactly.
func (b bound) plus(c bound, share *big.Rat) bound {
	switch {
	case b.isInfinite():
		return b
	case c.isInfinite() && share.Sign() < 0:
		return floatBound(-c.Hi)
	case c.isInfinite():
		return c
	}
	sum := new(big.Rat).Mul(share, c.rational())
	return exactBound(sum.Add(sum, b.rational()))
}

// compare returns −1, 0 or +1 as b is less than, equal to or greater than c.
func (b bound) compare(c bound) int {
	switch {
	case b.exact == nil && c.exact == nil:
		return b.Cmp(c.pair)
	case b.isInfinite():
		return cmp.Compare(b.Hi, 0)
	case c.isInfinite():
		return cmp.Compare(0, c.Hi)
	}
	return b.rational().Cmp(c.rational())
}

// rounded returns the greatest float64 not above b and the least not below it.
func (b bound) rounded() (down, up float64) {
	if b.exact != nil {
		return doubledouble.Around(b.exact)
	}
	return b.RoundDown() + 0, b.RoundUp() + 0 // not −0
}

// proof is what is proved of a number: that it lies between two.
type proof struct{ lower, upper bound }

var (
	nothingBelow, nothingAbove = floatBound(math.Inf(-1)), floatBound(math.Inf(1))
	unproved                   = proof{nothingBelow, nothingAbove}
)

// atLeast says whether the number is at least x, atMost whether it is at most x,
// and equals whether it is x.
func (p proof) atLeast(x bound) Verdict {
	return judge(p.lower.compare(x) >= 0, p.upper.compare(x) < 0)
}

func (p proof) atMost(x bound) Verdict { return judge(p.upper.compare(x) <= 0, p.lower.compare(x) > 0) }
func (p proof) equals(x bound) Verdict { return worst(p.atLeast(x), p.atMost(x)) }

// and returns what two proofs about a number prove together.
func (p proof) and(q proof) proof {
	return proof{slices.MaxFunc([]bound{p.lower, q.lower}, bound.compare), slices.MinFunc([]bound{p.upper, q.upper}, bound.compare)}
}

// interval returns the float64 around the number.
func (p proof) interval() Interval {
	lower, _ := p.lower.rounded()
	_, upper := p.upper.rounded()
	return Interval{lower, upper}
}

// numbers is a list; an empty one consists of zeros.
type numbers struct {
	floats []float64  // the numbers, where there are no pairs
	pairs  []pair     // the numbers, where there are no exact ones
	exact  []*big.Rat // nil elements are infinite
}

func fromRationals(list ...*big.Rat) *numbers {
	n := &numbers{pairs: make([]pair, len(list)), exact: list}
	forStates(len(list), func(i int32) { n.pairs[i] = doubledouble.FromRat(list[i]) })
	return n
}

func fromModel(list modelfile.Numbers) *numbers {
	n := fromRationals(list.Exact...)
	n.floats = list.Float
	return n
}

// fromVector returns the numbers of a vector by state, but 0 in a set of states.
// Sums of two float64 that overflow become infinite.
func fromVector(v *Vector, n int, zeros []bool) *numbers {
	list := &numbers{pairs: make([]pair, n)}
	if v.Exact != nil {
		list.exact = slices.Repeat([]*big.Rat{new(big.Rat)}, n)
	}
	for s := range n {
		at := min(s, len(v.High)-1) // the only number stands for all
		if at < 0 || len(zeros) > 0 && zeros[s] {
			continue
		}
		x := pair{Hi: v.High[at]}
		switch {
		case v.Exact != nil:
			if list.exact[s] = v.Exact[at]; v.Exact[at] != nil {
				x = doubledouble.FromRat(v.Exact[at])
			}
		case len(v.Low) > 0 && !math.IsInf(x.Hi+v.Low[at], 0):
			x = doubledouble.TwoSum(x.Hi, v.Low[at])
		case len(v.Low) > 0:
			x.Hi += v.Low[at]
		}
		list.pairs[s] = x
	}
	return list
}

// near returns number i, rounded where it is a rational.
func (n *numbers) near(i int32) pair {
	switch {
	case len(n.pairs) > 0:
		return n.pairs[i]
	case len(n.floats) > 0:
		return pair{Hi: n.floats[i]}
	}
	return pair{}
}

// at returns number i.
func (n *numbers) at(i int32) bound {
	if len(n.exact) > 0 {
		return bound{n.pairs[i], n.exact[i]}
	}
	return bound{pair: n.near(i)}
}

// isSet reports whether the list is not empty.
func (n *numbers) isSet() bool { return len(n.floats)+len(n.pairs) > 0 }
