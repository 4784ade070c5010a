package static

// OptimizeUnlimited returns the best number of robots for K → ∞: ⌊μ/λ⌋ or
// ⌈μ/λ⌉, whichever costs less, at least 1 (the paper's equation (16)). In the
// limit the engine starves a fraction (1−ρ)⁺ of the time and loses μ(ρ−1)⁺
// pages per unit of time, a fraction (1−1/ρ)⁺, whatever the service law; the
// buffer and the law play no part. Where both numbers cost the same to
// within rounding, the fewer is returned. Of the result, OptimalLoad and CriticalWeight are
// not set.
//
// The error is a [*ParameterError] for the first parameter that is not
// allowed, or for an arrival rate so small that the best number exceeds
// [MaxRobots].
func (p Parameters) OptimizeUnlimited() (Result, error) {
	if err := p.validateRates(); err != nil {
		return Result{}, err
	}
	p.unlimited = true
	// A unit in the last place of ρ, times the slope of the cost in ρ.
	return p.cheaper(1, 0x1p-50*(p.StarvationWeight+max(1, p.ServiceRate)))
}
