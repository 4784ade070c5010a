package queue

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// MM1K is the queue M/M/1/K: Poisson arrivals of rate Λ, exponential services
// of rate μ, one server, and room for K customers, the one in service
// included. Arrivals that find K customers are lost. With ρ = Λ/μ the number X
// of customers in the steady state has
//
//	P(X=i) = (1−ρ)·ρ^i / (1−ρ^{K+1}) = ρ^i / Σ_{j=0}^K ρ^j,  i = 0 … K
//
// (L. Kleinrock, Queueing Systems I, 1975, section 3.6).
//
// # Accuracy
//
// The sum is used, not the quotient: its terms are positive, so no digits are
// lost near ρ = 1. If ρ > 1, the fraction is scaled by ρ^{−K},
//
//	P(X=i) = ρ^{−(K−i)} / Σ_{j=0}^K ρ^{−j},
//
// so nothing overflows. ρ, the powers and the sum have some 106 bits
// and a relative error below (K+1)·2^−99. The rounding of the result remains:
// for every K up to 10⁶ and any Λ and μ, each method is within one
// unit in the last place of the exact value for the given float64 rates
// (LossRate: within two), except that results below 2.3e-308 have the spacing
// of subnormal numbers. Each method takes O(log K) operations.
//
// Special cases are:
//
//	every method returns NaN if ArrivalRate is negative, NaN or infinite,
//	ServiceRate is not a positive finite number, or Buffer < 1.
type MM1K struct {
	ArrivalRate float64 // Λ, per unit of time
	ServiceRate float64 // μ, per unit of time
	Buffer      int     // K, the customer in service included
}

// load returns min(ρ, 1/ρ), and whether that is 1/ρ.
func (q MM1K) load() (ratio doubledouble.Number, mirrored bool) {
	// Mantissas are divided, so that extreme rates lose no digits.
	arrival, up := math.Frexp(q.ArrivalRate)
	service, down := math.Frexp(q.ServiceRate)
	mirrored = q.ArrivalRate > q.ServiceRate
	if mirrored {
		arrival, service, up, down = service, arrival, down, up
	}
	ratio = doubledouble.FromFloat(arrival).Quo(doubledouble.FromFloat(service))
	return ratio.Ldexp(up - down), mirrored
}

func (q MM1K) valid() bool {
	return q.ArrivalRate >= 0 && !math.IsInf(q.ArrivalRate, 1) &&
		q.ServiceRate > 0 && !math.IsInf(q.ServiceRate, 1) && q.Buffer >= 1
}

// Probability returns P(X=i), the long-run fraction of time with i customers,
// and 0 if i < 0 or i > K.
func (q MM1K) Probability(i int) float64 {
	if !q.valid() {
		return math.NaN()
	}
	if i < 0 || i > q.Buffer {
		return 0
	}
	ratio, mirrored := q.load()
	if mirrored {
		i = q.Buffer - i
	}
	sum, _ := geometricSums(ratio, q.Buffer+1)
	power, exponent := ratio.Power(i)
	return math.Ldexp(power.Quo(sum).Float(), exponent)
}

// Empty returns P(X=0), the probability that the server starves.
func (q MM1K) Empty() float64 { return q.Probability(0) }

// Full returns P(X=K): by PASTA, also the probability that an arrival is lost.
func (q MM1K) Full() float64 { return q.Probability(q.Buffer) }

// LossRate returns Λ·P(X=K), the arrivals lost per unit of time.
func (q MM1K) LossRate() float64 { return q.ArrivalRate * q.Full() }

// MeanLength returns E[X] = Σ i·P(X=i).
func (q MM1K) MeanLength() float64 {
	length, _ := q.lengthAndRoom()
	return length
}

// MeanRoom returns K − E[X] = Σ (K−i)·P(X=i), the mean number of free places,
// without the cancellation of that difference.
func (q MM1K) MeanRoom() float64 {
	_, room := q.lengthAndRoom()
	return room
}

// lengthAndRoom returns E[X] and K − E[X]. The one subtraction is harmless:
// for a ratio of at most 1 the mean is at most K/2.
func (q MM1K) lengthAndRoom() (length, room float64) {
	if !q.valid() {
		return math.NaN(), math.NaN()
	}
	ratio, mirrored := q.load()
	sum, moment := geometricSums(ratio, q.Buffer+1)
	small := moment.Quo(sum)
	large := doubledouble.FromFloat(float64(q.Buffer)).Sub(small)
	if mirrored {
		return large.Float(), small.Float()
	}
	return small.Float(), large.Float()
}

// EmptyElasticity returns d ln P(X=0) / d ln Λ = −E[X]: the change, in percent, of the
// probability of an empty queue when the arrival rate rises by one percent.
func (q MM1K) EmptyElasticity() float64 { return -q.MeanLength() }

// FullElasticity returns d ln P(X=K) / d ln Λ = K − E[X].
func (q MM1K) FullElasticity() float64 { return q.MeanRoom() }
