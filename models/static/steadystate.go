package static

import (
	"math"

	"github.com/mdpsolve/mdpsolve/queue"
)

// steadyState is what costs and their minimum need to know of a queue.
type steadyState interface {
	Empty() float64
	Full() float64
	EmptyElasticity() float64 // d ln P(X=0) / d ln Λ
	FullElasticity() float64  // d ln P(X=K) / d ln Λ
}

// at returns the steady state under an arrival rate of all robots together.
func (p Parameters) at(arrivalRate float64) steadyState {
	if p.exponential() {
		return queue.MM1K{ArrivalRate: arrivalRate, ServiceRate: p.ServiceRate, Buffer: p.Buffer}
	}
	return queue.NewMG1K(arrivalRate, p.Service, p.Buffer)
}

// shares returns P(X=0) and P(X=K) under an arrival rate of all robots together. For
// K → ∞ the engine starves a fraction (1−ρ)⁺ of the time and loses a fraction (1−1/ρ)⁺
// of the pages.
func (p Parameters) shares(arrivalRate float64) (empty, full float64) {
	if p.Unlimited {
		load := arrivalRate / p.ServiceRate
		return max(0, 1-load), max(0, load-1) / load
	}
	state := p.at(arrivalRate)
	return state.Empty(), state.Full()
}

// CostAt returns C(ρ,γ,K) at the load ρ = Nλ/μ, which need not belong to a
// whole number of robots. For exponential services,
//
//	C = (1−ρ)(γ+μρ^{K+1})/(1−ρ^{K+1})  and  C = (1−ρ)(γ+ρ^K)/(1−ρ^{K+1})
//
// for [LossRate] and [LossProbability], accurate to a few units in the last
// place (the paper's equation (4), for the loss rate).
//
// Special cases are:
//
//	CostAt(ρ) = NaN for ρ < 0, ρ = NaN, ρ = +Inf and parameters that are not valid
func (p Parameters) CostAt(rho float64) float64 {
	if p.Validate() != nil {
		return math.NaN()
	}
	if p.exponential() && !p.Unlimited { // free of the rounding of ρμ
		state := queue.MM1K{ArrivalRate: rho, ServiceRate: 1, Buffer: p.Buffer}
		return p.combine(state.Empty(), p.ServiceRate*rho, state.Full())
	}
	arrivalRate := rho * p.ServiceRate
	empty, full := p.shares(arrivalRate)
	return p.combine(empty, arrivalRate, full)
}

// combine weighs starvation and loss.
func (p Parameters) combine(empty, arrivalRate, full float64) float64 {
	if p.Cost == LossProbability {
		return p.StarvationWeight*empty + full
	}
	return p.StarvationWeight*empty + arrivalRate*full
}
