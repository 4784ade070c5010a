package queue

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/special"
)

// LaplaceExcess returns E[e^{−xS} − 1 + xS] = x·E[S] − LaplaceComplement(x): how
// much the probability of an arrival of rate x during a service falls short of
// the expected number of arrivals. It is close to x²·E[S²]/2 for small x, where
// that subtraction would lose every digit. The relative error is a few units in
// the last place for every x ≥ 0.
//
// Special cases are:
//
//	LaplaceExcess(x) = NaN for x < 0 or x = NaN
//	LaplaceExcess(+Inf) = +Inf
func (l Deterministic) LaplaceExcess(x float64) float64 { return special.ExpExcess(x * l.mean) }

// LaplaceExcess is as for [Deterministic]; here y²/(1+y) with y = x·mean.
func (l Exponential) LaplaceExcess(x float64) float64 { return exponentialExcess(x * l.mean) }

// LaplaceExcess is as for [Deterministic].
func (l Erlang) LaplaceExcess(x float64) float64 { return l.gamma.LaplaceExcess(x) }

// LaplaceExcess is as for [Deterministic]. With y = x·mean, u = y/r and
// v = r·ln(1+u) it is (e^{−v} − 1 + v) + (y − v), both terms being positive.
func (l Gamma) LaplaceExcess(x float64) float64 {
	u := x * l.mean / l.shape
	if y := x * l.mean; math.IsInf(u, 1) {
		return y - l.LaplaceComplement(x) // v = r·ln(1+u) is nothing beside y = ru
	}
	return special.ExpExcess(l.shape*math.Log1p(u)) + l.shape*logDeficit(u)
}

// LaplaceExcess is as for [Deterministic].
func (l *Hyperexponential) LaplaceExcess(x float64) float64 {
	return l.mix(func(m float64) float64 { return exponentialExcess(x * m) })
}

// LaplaceExcess is as for [Deterministic].
func (l *Sample) LaplaceExcess(x float64) float64 {
	return l.mix(func(time float64) float64 { return samplePoint(special.ExpExcess, x, time) })
}

// LaplaceExcess is as for [Deterministic]; here x²·α·(xI−T)^{−1}·(−T)^{−1}·1.
func (l *PhaseType) LaplaceExcess(x float64) float64 {
	if !(x >= 0) {
		return math.NaN()
	}
	if math.IsInf(x, 1) {
		return x
	}
	rest := newKilledChain(l.moves, l.exits, x).right(l.remaining)
	return x * (x * inner(l.start, rest))
}

// exponentialExcess returns y²/(1+y), NaN for y < 0.
func exponentialExcess(y float64) float64 {
	switch {
	case y < 0:
		return math.NaN()
	case y > 1:
		return y / (1 + 1/y) // also for y = +Inf
	}
	return y * y / (1 + y)
}

// logDeficit returns u − ln(1+u) for u ≥ 0, NaN for u < 0.
func logDeficit(u float64) float64 {
	if !(u < 1) {
		return u - math.Log1p(u)
	}
	if u < 0 {
		return math.NaN()
	}
	// With q = u/(2+u), ln(1+u) = 2·artanh(q) = 2q + 2q³/3 + 2q⁵/5 + …, and
	// u − 2q = uq.
	q := u / (2 + u)
	sum := 0.0
	for k := 35; k >= 3; k -= 2 {
		sum = 1/float64(k) + q*q*sum
	}
	return q * (u - 2*q*q*sum)
}
