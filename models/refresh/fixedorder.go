package refresh

import "math"

// FixedOrder is the freshness of pages that are accessed at even distances,
// page i every 1/x_i:
//
//	F̄ = Σ w_i·(1 − e^{−Δ_i/x_i})·x_i/Δ_i
//
// (Azar et al., eq. 6; Cho and Garcia-Molina, section 4). Its optimum is exact
// here: each page takes x_i = Δ_i/z_i with 1 − (1+z_i)e^{−z_i} = λΔ_i/w_i, and
// no accesses where λΔ_i/w_i ≥ 1. It is also what [Coffman] becomes where the
// access time is constant. A page that never changes is always fresh.
type FixedOrder struct{}

// Demand implements [Objective].
func (FixedOrder) Demand(rates, slopes []float64, pages Pages, multiplier float64) {
	for i, delta := range pages.ChangeRates {
		rates[i], slopes[i] = evenDemand(delta, multiplier*delta/weightAt(pages.Weights, i))
	}
}

// evenDemand returns Δ/z with g(z) = c, and −dx/d ln c, for which g′(z) = ze^{−z}
// is z(1−c)/(1+z).
func evenDemand(delta, c float64) (rate, slope float64) {
	if !(c >= 0 && c < 1) || delta == 0 { // −∞ for a weight of −0
		return 0, 0
	}
	z := inverseFreshness(c)
	rate = delta / z
	if math.IsInf(rate, 1) {
		return rate, 0
	}
	return rate, rate * (c * (1 + z)) / (z * z * (1 - c))
}

// Measure implements [Objective]: w·(1−e^{−z})/z and (w/Δ)·(1 − (1+z)e^{−z}).
func (FixedOrder) Measure(values, marginals []float64, pages Pages, rates []float64) {
	for i, delta := range pages.ChangeRates {
		weight := weightAt(pages.Weights, i)
		if delta == 0 {
			values[i], marginals[i] = weight, 0
			continue
		}
		d := newDecay(delta / rates[i])
		values[i], marginals[i] = weight*d.mean(), weight/delta*d.g
	}
}

// Minimizes returns false.
func (FixedOrder) Minimizes() bool { return false }

// String returns "fixed-order".
func (FixedOrder) String() string { return "fixed-order" }
