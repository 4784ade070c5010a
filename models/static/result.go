package static

import (
	"fmt"
	"math"
)

// Result describes a fixed number of robots.
type Result struct {
	Robots          int     `json:"robots"`           // N
	Cost            float64 `json:"cost"`             // C(ρ,γ,K), per unit of time
	Load            float64 `json:"rho"`              // ρ = Nλ/μ
	OptimalLoad     float64 `json:"rho_optimal"`      // ρ*(γ,K), where N need not be whole
	Starvation      float64 `json:"starvation"`       // P(X=0)
	LossRate        float64 `json:"loss_rate"`        // Nλ·P(X=K), pages per unit of time
	LossProbability float64 `json:"loss_probability"` // P(X=K), fraction of pages
	CriticalWeight  float64 `json:"gamma_critical"`   // γ(K): the weight at which ρ* = 1
}

// Evaluate returns the measures and the cost of a number of robots. The error
// is a [*ParameterError] for the first parameter that is not allowed; the
// number of robots must be from 1 to [MaxRobots].
func (p Parameters) Evaluate(robots int) (Result, error) {
	if err := p.Validate(); err != nil {
		return Result{}, err
	}
	if robots < 1 || robots > MaxRobots {
		return Result{}, &ParameterError{"Robots", robots, "a whole number of 1 or more"}
	}
	result, err := p.measure(robots)
	if err != nil {
		return Result{}, err
	}
	result.OptimalLoad, result.CriticalWeight = p.OptimalLoad(), p.CriticalWeight()
	return result, nil
}

// Optimize returns the best number of robots, the cheaper of ⌊ρ*μ/λ⌋ and
// ⌈ρ*μ/λ⌉, at least 1 (Proposition 1 of the paper), and the fewer where both
// cost the same. The error is a [*ParameterError] for the first parameter that
// is not allowed, or for an arrival rate so small that the best number exceeds
// [MaxRobots].
//
// For K → ∞ these are ⌊μ/λ⌋ and ⌈μ/λ⌉ (equation (16)), which count as equal within
// rounding. In the limit the engine starves a fraction (1−ρ)⁺ of the time and loses μ(ρ−1)⁺
// pages per unit of time, a fraction (1−1/ρ)⁺, for all service laws.
func (p Parameters) Optimize() (Result, error) {
	if err := p.Validate(); err != nil {
		return Result{}, err
	}
	load, rounding := p.OptimalLoad(), 0.0
	if p.Unlimited { // a unit in the last place of ρ, times the slope of the cost in ρ
		rounding = 0x1p-50 * (p.StarvationWeight + max(1, p.ServiceRate))
	}
	best, err := p.cheaper(load, rounding)
	if err != nil {
		return Result{}, err
	}
	best.OptimalLoad, best.CriticalWeight = load, p.CriticalWeight()
	return best, nil
}

// cheaper returns the measures of the cheaper of the two numbers of robots next to a load: of
// the larger number only if its cost is lower by more than rounding, the error, times its
// load.
func (p Parameters) cheaper(load, rounding float64) (Result, error) {
	fewer, more, err := p.neighbours(load)
	if err != nil {
		return Result{}, err
	}
	best, err := p.measure(fewer)
	if err != nil {
		return Result{}, err
	}
	other, err := p.measure(more)
	if err != nil {
		return Result{}, err
	}
	if other.Cost < best.Cost-rounding*other.Load {
		best = other
	}
	return best, nil
}

// neighbours returns the whole numbers of robots next to a load, at least 1.
func (p Parameters) neighbours(load float64) (fewer, more int, err error) {
	robots := load * (p.ServiceRate / p.ArrivalRate)
	if !(robots < MaxRobots) {
		return 0, 0, &ParameterError{
			"ArrivalRate", p.ArrivalRate, fmt.Sprintf("a rate at which at most %d robots reach the best load", MaxRobots),
		}
	}
	return max(1, int(math.Floor(robots))), max(1, int(math.Ceil(robots))), nil
}

// measure fills all of a result but the optimum and the critical weight.
func (p Parameters) measure(robots int) (Result, error) {
	arrivalRate := p.ArrivalRate * float64(robots)
	if math.IsInf(arrivalRate, 1) {
		return Result{}, &ParameterError{"ArrivalRate", p.ArrivalRate, "a rate for which that of all robots is finite"}
	}
	empty, full := p.shares(arrivalRate)
	return Result{
		Robots: robots, Cost: p.combine(empty, arrivalRate, full), Load: arrivalRate / p.ServiceRate,
		Starvation: empty, LossRate: arrivalRate * full, LossProbability: full,
	}, nil
}
