package refresh

import "math"

// Discrete is the freshness of pages in slotted time: in each slot page i
// changes with probability Δ_i ≤ 1 and is fetched with probability p_i,
// independently, a fetch coming after a change in the same slot:
//
//	F = Σ w_i·p_i/(p_i + Δ_i − p_iΔ_i)
//
// (Azar et al., eq. 3). Change rates and rates of access are the probabilities
// Δ_i and p_i, and the bandwidth the number of fetches in a slot, 1 in the
// paper. Each page takes
//
//	p_i = max(0, (√(w_iΔ_i/λ) − Δ_i)/(1 − Δ_i)),
//
// at most 1. The authors' Algorithm 1 sorts the pages to find λ. The value of a
// page that changes in every slot is linear in p_i.
type Discrete struct{}

// Limits implements [Limited]: probabilities are at most 1.
func (Discrete) Limits() (changeRate, rate float64) { return 1, 1 }

// Demand implements [Objective].
func (Discrete) Demand(rates, slopes []float64, pages Pages, multiplier float64) {
	t := 1 / math.Sqrt(multiplier)
	for i, delta := range pages.ChangeRates {
		weight := weightAt(pages.Weights, i)
		switch {
		case multiplier == 0:
			rates[i], slopes[i] = allOrNothing(weight > 0 && delta > 0), 0
		case delta >= 1:
			rates[i], slopes[i] = allOrNothing(weight > multiplier), 0
		default:
			rate, slope := randomDemand(delta, math.Sqrt(weight*delta)*t)
			rates[i], slopes[i] = rate/(1-delta), slope/(1-delta)
		}
	}
}

// Measure implements [Objective]: with s = p + Δ − pΔ, w·p/s and w·Δ/s².
func (Discrete) Measure(values, marginals []float64, pages Pages, rates []float64) {
	for i, delta := range pages.ChangeRates {
		weight := weightAt(pages.Weights, i)
		if delta == 0 {
			values[i], marginals[i] = weight, 0
			continue
		}
		total := delta + rates[i]*(1-delta)
		values[i], marginals[i] = weight*(rates[i]/total), weight*(delta/total/total)
	}
}

// Minimizes returns false.
func (Discrete) Minimizes() bool { return false }

// String returns "discrete".
func (Discrete) String() string { return "discrete" }
