package static

import "math"

// Limit describes the best fixed number of robots as the buffer grows without
// bound.
type Limit struct {
	Robots int     `json:"robots"` // N(γ,∞)
	Cost   float64 `json:"cost"`   // C(ρ,γ,∞)
	Load   float64 `json:"rho"`    // ρ = Nλ/μ
}

// OptimizeUnlimited returns the best number of robots for K → ∞: ⌊μ/λ⌋ or
// ⌈μ/λ⌉, whichever costs less, at least 1 (the paper's equation (16)). In the
// limit the engine starves a fraction (1−ρ)⁺ of the time and loses μ(ρ−1)⁺
// pages per unit of time, a fraction (1−1/ρ)⁺, whatever the service law; the
// buffer and the law play no part. Where both numbers cost the same to
// within rounding, the fewer is returned.
//
// The error is a [*ParameterError] for the first parameter that is not
// allowed, or for an arrival rate so small that the best number exceeds
// [MaxRobots].
func (p Parameters) OptimizeUnlimited() (Limit, error) {
	if err := p.validateRates(); err != nil {
		return Limit{}, err
	}
	fewer, more, err := p.neighbours(1)
	if err != nil {
		return Limit{}, err
	}
	best, other := p.limitAt(fewer), p.limitAt(more)
	// A unit in the last place of ρ, times the slope of the cost in ρ.
	rounding := 0x1p-50 * other.Load * (p.StarvationWeight + max(1, p.ServiceRate))
	if other.Cost < best.Cost-rounding {
		return other, nil
	}
	return best, nil
}

func (p Parameters) limitAt(robots int) Limit {
	starvation, loss := p.unlimitedCosts(robots)
	return Limit{robots, p.StarvationWeight*starvation + loss, p.ArrivalRate * float64(robots) / p.ServiceRate}
}

// unlimitedCosts returns what a number of robots starves and loses for K → ∞.
func (p Parameters) unlimitedCosts(robots int) (starvation, loss float64) {
	load := p.ArrivalRate * float64(robots) / p.ServiceRate
	loss = p.ServiceRate * math.Max(0, load-1)
	if p.Cost == LossProbability {
		loss = math.Max(0, load-1) / load
	}
	return math.Max(0, 1-load), loss
}
