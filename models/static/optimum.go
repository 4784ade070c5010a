package static

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/queue"
)

// OptimalLoad returns ρ*(γ,K), the load at which C(ρ,γ,K) is least: 1 for K → ∞.
//
// # Derivation
//
// Multiplied by Λ/P(X=0), the derivative of γ·P(X=0) + Λ·P(X=K) with respect to
// Λ is γ·e_0 + (Λ·P(X=K)/P(X=0))·(1+e_K), where e_0 < 0 and e_K > 0 are the
// elasticities of P(X=0) and P(X=K). It vanishes where the balance
//
//	g(ρ) = Λ·P(X=K)·(1+e_K) / (P(X=0)·(−e_0))
//
// is γ; where the loss probability is charged, Λ·(1+e_K) is replaced by e_K.
// For exponential services −e_0 = E[X] and e_K = K − E[X], so
//
//	g(ρ) = μ·ρ^{K+1}·(K+1−E[X])/E[X] = μ·ρ^K·Σ_i (K+1−i)ρ^i / Σ_i i·ρ^{i−1},
//
// and ρ^K·(K−E[X])/E[X] for the loss probability. This is the paper's R(ρ)
// divided by (1−ρ)²: R = (1−ρ)²·(g(ρ) − γ)·Σ_i i·ρ^{i−1}. Its double root at
// ρ = 1 is gone and every sum is one of positive terms, so nothing cancels, at
// γ near γ(K) or anywhere. g rises from 0 to +Inf: ρ* is its only solution.
//
// # Accuracy
//
// For exponential services g is computed to a few units in the last place, and
// d ln g/d ln ρ, which is 2(K−1)/3 or more, divides that error: ρ* is within 5
// units in the last place for K = 2 (2.1 is the most that was found), and the
// nearest float64 or one of its neighbours from K = 10 on, for every γ, μ and
// K. For other laws the error is that of [queue.MG1K] over the same slope, a
// few units in 1e-15 as a rule (exponential services solved that way came out
// within 8e-15); g is not proved to be increasing there, though no exception
// has been found.
//
// Special cases are:
//
//	OptimalLoad returns NaN where the parameters are not valid
func (p Parameters) OptimalLoad() float64 {
	switch {
	case p.Validate() != nil:
		return math.NaN()
	case p.Unlimited:
		return 1
	}
	low, high := p.bracket()
	if p.exponential() {
		return increasingRoot(p.closedBalance, low, high)
	}
	return increasingRoot(func(rho float64) float64 {
		return p.balance(rho) - math.Log(p.StarvationWeight)
	}, low, high)
}

// CriticalWeight returns γ(K), the weight at which the best load is 1: ρ* is
// below, at or above 1 as γ is. For exponential services it is μ(K+2)/K, and 1
// where the loss probability is charged (Lemma 1 of the paper, for the loss
// rate); for other laws it is computed. For K → ∞ it is the limit, μ or 1.
//
// Special cases are:
//
//	CriticalWeight returns NaN where the parameters are not valid
func (p Parameters) CriticalWeight() float64 {
	switch {
	case p.Validate() != nil:
		return math.NaN()
	case p.Unlimited && p.Cost == LossRate:
		return p.ServiceRate
	case !p.exponential() && !p.Unlimited:
		return math.Exp(p.balance(1))
	case p.Cost == LossProbability:
		return 1
	}
	return p.ServiceRate * (float64(p.Buffer+2) / float64(p.Buffer))
}

// balance returns ln g(ρ) for any service law, −Inf where nothing is lost and
// +Inf where the queue is never empty, in float64.
func (p Parameters) balance(rho float64) float64 {
	arrivalRate := rho * p.ServiceRate
	state := p.at(arrivalRate)
	empty, full := state.Empty(), state.Full()
	switch {
	case empty == 0:
		return math.Inf(1)
	case full == 0:
		return math.Inf(-1)
	}
	loss := math.Log(state.FullElasticity())
	if p.Cost == LossRate {
		loss = math.Log(arrivalRate) + math.Log1p(state.FullElasticity())
	}
	return loss + math.Log(full) - math.Log(empty) - math.Log(-state.EmptyElasticity())
}

// closedBalance returns ln(g(ρ)/γ) for exponential services. Mantissas and
// binary exponents are kept apart, so that powers do not overflow and the
// result keeps its digits where it is close to 0.
func (p Parameters) closedBalance(rho float64) float64 {
	state := queue.MM1K{ArrivalRate: rho, ServiceRate: 1, Buffer: p.Buffer}
	power, room, service := p.Buffer, state.MeanRoom(), 1.0
	if p.Cost == LossRate {
		power, room, service = p.Buffer+1, 1+room, p.ServiceRate
	}
	mantissa, exponent := doubledouble.FromFloat(rho).Power(power)
	ratio := mantissa.Float()
	for _, factor := range []float64{room, service} {
		m, e := math.Frexp(factor)
		ratio, exponent = ratio*m, exponent+e
	}
	for _, divisor := range []float64{state.MeanLength(), p.StarvationWeight} {
		m, e := math.Frexp(divisor)
		ratio, exponent = ratio/m, exponent-e
	}
	ratio, moved := math.Frexp(ratio)
	exponent += moved
	if exponent == 0 || exponent == 1 {
		return math.Log(math.Ldexp(ratio, exponent))
	}
	return math.Log(ratio) + float64(exponent)*math.Ln2
}

// bracket returns loads below and above ρ* for exponential services. There
// ρ^{m−1}/K ≤ g(ρ)/w ≤ m·ρ^{m−1} for ρ ≤ 1, and g(ρ)/w ≥ ρ^{K−1}/K for ρ ≥ 1,
// where w = μ, m = K+1 for the loss rate and w = 1, m = K for the loss
// probability.
func (p Parameters) bracket() (low, high float64) {
	const slack = 1.001 // for the rounding of what follows
	target, m := math.Log(p.StarvationWeight), float64(p.Buffer)
	if p.Cost == LossRate {
		target, m = target-math.Log(p.ServiceRate), m+1
	}
	k := float64(p.Buffer)
	low = math.Exp(math.Min(0, target-math.Log(m))/(m-1)) / slack
	high = math.Exp(math.Max(0, target+math.Log(k))/(k-1)) * slack
	return low, math.Min(high, math.MaxFloat64)
}
