package verify

import (
	"math"
	"math/big"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// proof is what is proved of a number: that it lies between two, or which
// rational it is.
type proof struct {
	lower, upper doubledouble.Number
	exact        *big.Rat
}

// infiniteProof returns the proof of an infinite number.
func infiniteProof(sign int8) proof {
	x := doubledouble.FromFloat(math.Inf(int(sign)))
	return proof{lower: x, upper: x}
}

// proofs returns the proofs of an outcome in balls. Costs that are negative
// rewards become rewards again.
func proofs(o outcome[ball], maximize bool) []proof {
	list := make([]proof, len(o.values))
	for s, x := range o.values {
		if maximize {
			x = x.negative()
		}
		list[s] = proof{lower: x.lower(), upper: x.upper()}
		if o.infinite[s] != 0 {
			list[s] = infiniteProof(o.infinite[s])
		}
	}
	return list
}

// exactProofs returns the proofs of an outcome in rationals.
func exactProofs(o outcome[*big.Rat], maximize bool) []proof {
	list := make([]proof, len(o.values))
	for s, x := range o.values {
		if maximize {
			x = new(big.Rat).Neg(x)
		}
		list[s] = proof{exact: x}
		if o.infinite[s] != 0 {
			list[s] = infiniteProof(o.infinite[s])
		}
	}
	return list
}

// atLeast says whether the number is at least x.
func (p proof) atLeast(x float64) Verdict {
	switch {
	case p.exact != nil && !math.IsInf(x, 0):
		return decide(p.exact.Cmp(new(big.Rat).SetFloat64(x)) >= 0)
	case p.exact != nil:
		return decide(x < 0)
	case !p.lower.Less(doubledouble.FromFloat(x)):
		return Holds
	case p.upper.Less(doubledouble.FromFloat(x)):
		return Refuted
	}
	return Undecided
}

// atMost says whether the number is at most x.
func (p proof) atMost(x float64) Verdict { return p.negative().atLeast(-x) }

// is says whether the number is x.
func (p proof) is(x *big.Rat) Verdict {
	if p.exact != nil {
		return decide(p.exact.Cmp(x) == 0)
	}
	lower, upper := rational(p.lower), rational(p.upper)
	switch {
	case lower != nil && x.Cmp(lower) < 0 || upper != nil && x.Cmp(upper) > 0:
		return Refuted
	case lower != nil && upper != nil && lower.Cmp(upper) == 0:
		return Holds
	case lower == nil && upper == nil && p.lower == p.upper: // it is infinite
		return Refuted
	}
	return Undecided
}

// rational returns a double-double number, nil for an infinite one.
func rational(x doubledouble.Number) *big.Rat {
	if math.IsInf(x.Hi, 0) {
		return nil
	}
	sum := new(big.Rat).SetFloat64(x.Hi)
	return sum.Add(sum, new(big.Rat).SetFloat64(x.Lo))
}

// negative returns the proof of the number with the opposite sign.
func (p proof) negative() proof {
	if p.exact != nil {
		return proof{exact: new(big.Rat).Neg(p.exact)}
	}
	return proof{lower: p.upper.Neg(), upper: p.lower.Neg()}
}

func decide(holds bool) Verdict {
	if holds {
		return Holds
	}
	return Refuted
}

// below adds to a proof that the number is no greater than another.
func (p proof) below(q proof) proof {
	if p.exact == nil && q.exact == nil && q.upper.Less(p.upper) {
		p.upper = q.upper
	}
	return p
}

// interval returns the float64 around the number.
func (p proof) interval() Interval {
	if p.exact == nil {
		return Interval{p.lower.RoundDown() + 0, p.upper.RoundUp() + 0} // not −0
	}
	nearest, _ := p.exact.Float64()
	nearest = min(max(nearest, -math.MaxFloat64), math.MaxFloat64)
	i := Interval{nearest, nearest}
	switch p.exact.Cmp(new(big.Rat).SetFloat64(nearest)) {
	case -1:
		i.Lower = math.Nextafter(nearest, math.Inf(-1))
	case 1:
		i.Upper = math.Nextafter(nearest, math.Inf(1))
	}
	return i
}
