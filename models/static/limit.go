package static

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
	p.unlimited = true
	// A unit in the last place of ρ, times the slope of the cost in ρ.
	best, err := p.cheaper(1, 0x1p-50*(p.StarvationWeight+max(1, p.ServiceRate)))
	return Limit{best.Robots, best.Cost, best.Load}, err
}
