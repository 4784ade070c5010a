package refresh

import "math"

// Age is the mean age of copies that are fetched at regular intervals, page i every
// 1/x_i. The age of a copy is 0 until its page changes, and from then on the
// time since that change (Cho and Garcia-Molina, section 2):
//
//	A = Σ w_i·(1/(2x_i) − 1/Δ_i + (x_i/Δ_i²)·(1 − e^{−Δ_i/x_i})),
//
// a cost in units of time. Each page takes x_i = Δ_i/z_i with
// z_i²/2 − 1 + (1+z_i)e^{−z_i} = λΔ_i²/w_i: every page that changes and has a
// weight is accessed, for its age would grow without bound. A page that never
// changes has the age 0.
type Age struct{}

// Demand implements [Objective].
func (Age) Demand(rates, slopes []float64, pages Pages, multiplier float64) {
	for i, delta := range pages.ChangeRates {
		weight := weightAt(pages.Weights, i)
		if delta == 0 || weight == 0 {
			rates[i], slopes[i] = 0, 0
			continue
		}
		c := multiplier * delta / weight * delta
		z := inverseAge(c)
		rates[i], slopes[i] = delta/z, 0
		if z > 0 && !math.IsInf(z, 1) {
			unfresh := (z + z*z/2 - c) / (1 + z) // 1 − e^{−z}, from k(z) = c
			if z > 20 {
				unfresh = 1
			}
			slopes[i] = rates[i] * (c / (z * z * unfresh))
		}
	}
}

// Measure implements [Objective]: with z = Δ/x, (w/x)·(z/2 − 1 + (1−e^{−z})/z)/z
// and (w/x²)·(z²/2 − 1 + (1+z)e^{−z})/z².
func (Age) Measure(values, marginals []float64, pages Pages, rates []float64) {
	for i, delta := range pages.ChangeRates {
		weight := weightAt(pages.Weights, i)
		if delta == 0 || weight == 0 {
			values[i], marginals[i] = 0, 0
			continue
		}
		d := newDecay(delta / rates[i])
		values[i], marginals[i] = weight/rates[i]*d.age(), weight/rates[i]/rates[i]*d.ageMarginal()
	}
}

// Minimizes returns true.
func (Age) Minimizes() bool { return true }

// String returns "age".
func (Age) String() string { return "age" }
