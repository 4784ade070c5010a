package verify

import (
	"math"
	"math/big"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// discount multiplies all rates by the discount factor β and ends everything at
// the rate (1−β)·Λ, where Λ is the uniformization rate, a power of two: 1 in
// discrete time.
func (r *rows) discount(beta, uniformization float64) {
	r.rates = r.rates.times(beta)
	rest := doubledouble.TwoSum(1, -beta)
	r.killing = numbers{high: []float64{rest.Hi * uniformization}, low: []float64{rest.Lo * uniformization}}
}

// discountExactly does the same for a rational discount factor.
func (r *rows) discountExactly(beta *big.Rat, uniformization float64) {
	rates := make([]*big.Rat, len(r.columns))
	for e := range rates {
		rates[e] = new(big.Rat).Mul(r.rates.rational(int32(e)), beta)
	}
	r.rates = fromRationals(rates)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), beta)
	r.killing = fromRationals([]*big.Rat{rest.Mul(rest, new(big.Rat).SetFloat64(uniformization))})
}

// uniformization returns the rate Λ at which mdpio makes a table of a CTMC: the
// least power of two from the largest exit rate up, 1 where there is none.
func (r *rows) uniformization() float64 {
	largest := new(big.Rat)
	for k := range int32(len(r.state)) {
		// Only those count that are nearly the largest.
		exit := tally{}
		for e := r.start[k]; e < r.start[k+1]; e++ {
			exit.addBall(r.rates.ball(e))
		}
		if bound, _ := largest.Float64(); exit.upper().Hi < bound*(1-0x1p-50) || exit.high == 0 {
			continue
		}
		sum := new(big.Rat)
		for e := r.start[k]; e < r.start[k+1]; e++ {
			sum.Add(sum, r.rates.rational(e))
		}
		if sum.Cmp(largest) > 0 {
			largest = sum
		}
	}
	if largest.Sign() == 0 {
		return 1
	}
	nearest, _ := largest.Float64()
	fraction, exponent := math.Frexp(nearest)
	if fraction == 0.5 && largest.Cmp(new(big.Rat).SetFloat64(nearest)) <= 0 {
		exponent--
	}
	return math.Ldexp(1, exponent)
}

// meant returns the fraction that x, in (0, 1), probably stands for: its shortest
// decimal, if that has few digits, or else the fraction of the least denominator
// that rounds to x.
func meant(x float64) *big.Rat {
	const fewDigits = len("0.123456789012345")
	if text := strconv.FormatFloat(x, 'f', -1, 64); len(text) <= fewDigits {
		decimal, _ := new(big.Rat).SetString(text)
		return decimal
	}
	half := func(y float64) *big.Rat {
		sum := new(big.Rat).SetFloat64(x)
		sum.Add(sum, new(big.Rat).SetFloat64(y))
		return sum.Mul(sum, big.NewRat(1, 2))
	}
	return simplestBetween(half(math.Nextafter(x, 0)), half(math.Nextafter(x, 1)))
}

// simplestBetween returns the fraction of the least denominator from lower to
// upper, which are positive, by continued fractions.
func simplestBetween(lower, upper *big.Rat) *big.Rat {
	whole := new(big.Int).Quo(lower.Num(), lower.Denom())
	floor := new(big.Rat).SetInt(whole)
	if floor.Cmp(lower) == 0 {
		return floor
	}
	if next := new(big.Rat).Add(floor, big.NewRat(1, 1)); next.Cmp(upper) <= 0 {
		return next
	}
	above, below := new(big.Rat).Sub(upper, floor), new(big.Rat).Sub(lower, floor)
	rest := simplestBetween(above.Inv(above), below.Inv(below))
	return rest.Add(floor, rest.Inv(rest))
}
