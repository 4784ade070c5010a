package queue

import "math"

// newArrivals allocates counts for 0 … n and reports whether the rate is in the
// domain; if not, all elements are NaN.
func newArrivals(rate float64, n int) (counts Arrivals, ok bool) {
	if n < 0 {
		panic("queue: Arrivals of a negative number of customers")
	}
	space := make([]float64, 3*(n+1))
	counts = Arrivals{Exactly: space[: n+1 : n+1], AtLeast: space[n+1 : 2*n+2 : 2*n+2], Excess: space[2*n+2:]}
	if rate >= 0 && !math.IsInf(rate, 1) {
		return counts, true
	}
	for k := range space {
		space[k] = math.NaN()
	}
	return counts, false
}

// add adds weight times other, the step of every mixture of laws.
func (c Arrivals) add(weight float64, other Arrivals) {
	for k := range c.Exactly {
		c.Exactly[k] += weight * other.Exactly[k]
		c.AtLeast[k] += weight * other.AtLeast[k]
		c.Excess[k] += weight * other.Excess[k]
	}
}

// clear makes all counts 0.
func (c Arrivals) clear() {
	clear(c.Exactly)
	clear(c.AtLeast)
	clear(c.Excess)
}

// fillGeometric sets the counts during an exponential service with the given
// mean number of arrivals: a_k = (1−q)·q^k, P(A ≥ k) = q^k and
// E[(A−k)⁺] = mean·q^k, where q = mean/(1+mean).
func (c Arrivals) fillGeometric(mean float64) {
	none, power := 1/(1+mean), 1.0
	q := 1 / (1 + 1/mean) // 1 for an infinite mean, 0 for mean 0
	for k := range c.Exactly {
		c.Exactly[k], c.AtLeast[k], c.Excess[k] = none*power, power, mean*power
		power *= q
	}
}

// fillPoisson sets the counts during a service of fixed length with the given
// mean number of arrivals.
func (c Arrivals) fillPoisson(mean float64) {
	recursion := countRecursion{
		logNone: -mean, mean: mean,
		ratio: func(k int) float64 { return mean / float64(k+1) },
	}
	if float64(len(c.Exactly)) > mean {
		recursion.fillFromAbove(c)
	} else {
		recursion.fillFromBelow(c, true)
	}
}

// fillNegativeBinomial sets the counts during a gamma service of the given
// shape r: a_0 = (1+mean/r)^{−r} and a_{k+1}/a_k = q·(k+r)/(k+1), where
// q = (mean/r)/(1+mean/r).
//
// Summing the tail from above takes some 40/(1−q) terms. If r < 1 that can
// be far more than n; the sums from below then lose little: for
// n·(1−q) ≤ 1/8, P(A > n) is more than a twentieth of P(A ≥ 1).
func (c Arrivals) fillNegativeBinomial(mean, shape float64) {
	perShape := mean / shape
	q := 1 / (1 + 1/perShape)
	recursion := countRecursion{
		logNone: -shape * math.Log1p(perShape), mean: mean,
		ratio: func(k int) float64 { return q * ((float64(k) + shape) / float64(k+1)) },
	}
	n := float64(len(c.Exactly))
	switch {
	case shape >= 1 && n <= mean:
		recursion.fillFromBelow(c, true)
	case shape < 1 && n <= (1+perShape)/8:
		recursion.fillFromBelow(c, false)
	default:
		recursion.fillFromAbove(c)
	}
}

// ln 2 in two parts: ln2High has 32 bits, so that its products with whole
// numbers up to 2^20 are exact (a_0 above 1e-315652).
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
)

// countRecursion is a distribution on 0, 1, … given by ln a_0, its mean, and
// the ratios a_{k+1}/a_k.
type countRecursion struct {
	logNone, mean float64
	ratio         func(k int) float64
}

// fillExactly sets a_0 … a_n and returns a_{n+1} as mantissa·2^exponent. The
// exponent is separate because a_0 may lie far below the smallest float64 when a
// later a_k does not.
func (r countRecursion) fillExactly(c Arrivals) (mantissa float64, exponent int) {
	exponent = int(max(r.logNone/math.Ln2, -1<<40))
	mantissa = math.Exp(r.logNone - float64(exponent)*ln2High - float64(exponent)*ln2Low)
	for k := range c.Exactly {
		c.Exactly[k] = math.Ldexp(mantissa, exponent)
		var moved int
		mantissa, moved = math.Frexp(mantissa * r.ratio(k))
		exponent += moved
	}
	return mantissa, exponent
}

// fillFromAbove sums the tails downwards from far above n: positive terms only.
// It needs ratios that are below 1 and falling, or rising to a limit below 1,
// from n on. It normalizes the distribution at the end, which removes the rounding
// error of a_0 from all elements.
func (r countRecursion) fillFromAbove(c Arrivals) {
	mantissa, exponent := r.fillExactly(c)
	n := len(c.Exactly) - 1
	// In units of a_{n+1}: P(A > n) and E[(A−n)⁺].
	term, beyond, excess := 1.0, 0.0, 0.0
	for k := n + 1; term > 0; k++ {
		beyond += term
		excess += float64(k-n) * term
		ratio := r.ratio(k)
		term *= ratio
		// The ratios after k are at most the larger of this one and the
		// limit; the sum of what follows is then about term/(1−ratio)² times
		// the distance, and stays below a fraction 2^−58 of the excess.
		if left := 1 - ratio; left > 0 && term*(float64(k+1-n)+1/left) < 0x1p-58*left*excess {
			break
		}
	}
	c.AtLeast[n] = c.Exactly[n] + math.Ldexp(beyond*mantissa, exponent)
	c.Excess[n] = math.Ldexp(excess*mantissa, exponent)
	for k := n - 1; k >= 0; k-- {
		c.AtLeast[k] = c.AtLeast[k+1] + c.Exactly[k]
		c.Excess[k] = c.Excess[k+1] + c.AtLeast[k+1]
	}
	total := c.AtLeast[0]
	for k := range c.Exactly {
		c.Exactly[k] /= total
		c.AtLeast[k] /= total
		c.Excess[k] /= total
	}
}

// fillFromBelow computes tails as complements, for n that A exceeds with
// a probability that is not small: P(A ≥ k) = P(A ≥ 1) − Σ_{0<i<k} a_i. The
// excess is E[(A−k)⁺] = (E[A]−k) + E[(k−A)⁺] where n is below the mean, two
// terms that are both positive, and E[A] − Σ_{i≤k} P(A ≥ i) otherwise.
func (r countRecursion) fillFromBelow(c Arrivals, belowMean bool) {
	r.fillExactly(c)
	c.AtLeast[0], c.Excess[0] = 1, r.mean
	some := -math.Expm1(r.logNone)
	atMost, between, shortage := 0.0, 0.0, 0.0
	for k := 1; k < len(c.Exactly); k++ {
		c.AtLeast[k] = some - between
		between += c.Exactly[k]
		if belowMean {
			atMost += c.Exactly[k-1]
			shortage += atMost
			c.Excess[k] = r.mean - float64(k) + shortage
		} else {
			c.Excess[k] = c.Excess[k-1] - c.AtLeast[k]
		}
	}
}
