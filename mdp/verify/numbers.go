package verify

// This file holds numbers: lists of them, what is proved of one, and sums whose
// rounding is bounded.

import (
	"cmp"
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/mdp/mdpio"
)

type pair = doubledouble.Number

// bound is a double-double number, which may be infinite, or a rational where
// exact is not nil: then the other is near it, or NaN.
type bound struct {
	pair
	exact *big.Rat
}

func floatBound(x float64) bound { return bound{pair: pair{Hi: x}} }

func exactBound(x *big.Rat) bound {
	high, _ := x.Float64()
	if math.IsInf(high, 0) || math.Abs(high) < 0x1p-900 && x.Sign() != 0 { // nothing is near it
		return bound{pair{Hi: math.NaN()}, x}
	}
	rest := new(big.Rat).SetFloat64(high)
	low, _ := rest.Sub(x, rest).Float64()
	return bound{doubledouble.TwoSum(high, low), x}
}

func (b bound) isInfinite() bool { return b.exact == nil && math.IsInf(b.Hi, 0) }

// rational returns b, which is finite, exactly.
func (b bound) rational() *big.Rat {
	if b.exact != nil {
		return b.exact
	}
	sum := new(big.Rat).SetFloat64(b.Hi)
	return sum.Add(sum, new(big.Rat).SetFloat64(b.Lo))
}

// compare returns −1, 0 or +1 as b is less than, equal to or greater than c.
func (b bound) compare(c bound) int {
	beyond := func(b bound) float64 {
		if b.isInfinite() {
			return b.Hi
		}
		return 0
	}
	if x, y := beyond(b), beyond(c); x != y || b.exact == nil && c.exact == nil {
		return cmp.Or(cmp.Compare(x, y), b.Cmp(c.pair))
	}
	return b.rational().Cmp(c.rational())
}

// rounded returns the greatest float64 not above b and the least not below it.
func (b bound) rounded() (down, up float64) {
	if b.exact == nil {
		return b.RoundDown() + 0, b.RoundUp() + 0 // not −0
	}
	nearest, _ := b.exact.Float64()
	nearest = min(max(nearest, -math.MaxFloat64), math.MaxFloat64)
	switch b.exact.Cmp(new(big.Rat).SetFloat64(nearest)) {
	case -1:
		return math.Nextafter(nearest, math.Inf(-1)), nearest
	case 1:
		return nearest, math.Nextafter(nearest, math.Inf(1))
	}
	return nearest, nearest
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
	if q.lower.compare(p.lower) > 0 {
		p.lower = q.lower
	}
	if q.upper.compare(p.upper) < 0 {
		p.upper = q.upper
	}
	return p
}

// interval returns the float64 around the number.
func (p proof) interval() Interval {
	lower, _ := p.lower.rounded()
	_, upper := p.upper.rounded()
	return Interval{lower, upper}
}

// numbers is a list, of float64 or of double-doubles; an empty one consists of
// zeros.
type numbers struct {
	floats []float64
	pairs  []pair
	exact  []*big.Rat // nil where those are the numbers; nil elements are infinite
}

func fromRationals(list ...*big.Rat) *numbers {
	n := &numbers{pairs: make([]pair, len(list)), exact: list}
	for i, x := range list {
		n.pairs[i] = exactBound(x).pair
	}
	return n
}

func fromModel(list mdpio.Numbers) *numbers {
	if list.Exact == nil {
		return &numbers{floats: list.Float}
	}
	return fromRationals(list.Exact...)
}

// fromVector returns the numbers of a vector by state, but 0 in a set of states.
// Sums of two float64 that overflow become infinite.
func fromVector(v *mdpio.Vector, n int, zeros []bool) *numbers {
	list := &numbers{pairs: make([]pair, n)}
	if v.Exact != nil {
		list.exact = make([]*big.Rat, n)
	}
	for s := range n {
		b := bound{exact: new(big.Rat)}
		if zeros == nil || !zeros[s] {
			high, low := v.At(s)
			if b = floatBound(high); low != 0 {
				b.pair = doubledouble.TwoSum(high, low)
			}
			if v.Exact != nil && v.Rat(s) != nil {
				b = exactBound(v.Rat(s))
			}
		}
		if list.pairs[s] = b.pair; math.IsInf(b.Hi, 0) {
			list.pairs[s].Lo = 0
		}
		if v.Exact != nil {
			list.exact[s] = b.exact
		}
	}
	return list
}

// at returns number i.
func (n *numbers) at(i int32) bound {
	if n.exact != nil {
		return bound{n.pairs[i], n.exact[i]}
	}
	return bound{pair: n.near(i)}
}

// near returns number i, rounded where it is a rational.
func (n *numbers) near(i int32) pair {
	switch {
	case n.pairs != nil:
		return n.pairs[i]
	case n.floats != nil:
		return pair{Hi: n.floats[i]}
	}
	return pair{}
}

// sum is a sum of products in double-double, and the sum of their magnitudes.
type sum struct {
	pair
	size float64
}

// add adds x·y, where y has been made of numbers of that size.
func (s *sum) add(x, y pair, size float64) {
	s.pair = s.Add(x.Mul(y))
	s.size += math.Abs(x.Hi) * size
}

// error returns a bound on what rounding has done to a sum of so many terms.
// Numbers, sums and products are each off by less than 2⁻¹⁰³ of what they are made
// of (see package doubledouble), or by what underflows.
func (s *sum) error(terms int) float64 {
	switch {
	case s.size == 0:
		return 0
	case !(s.size < 0x1p1000): // something may have overflowed
		return math.Inf(1)
	}
	return s.size*float64(terms+8)*0x1p-100 + float64(terms)*0x1p-1000
}
