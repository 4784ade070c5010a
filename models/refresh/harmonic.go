package refresh

import "math"

// Harmonic is the harmonic staleness of copies, accesses to page i coming at random
// times, as a Poisson process of rate x_i: a copy that has missed n changes of its
// page counts H(n) = 1 + 1/2 + … + 1/n, so that the first change missed counts most,
// and each further one a little. The mean of H(n) is ln(1 + Δ/x), and the cost
//
//	J = Σ w_i·ln(1 + Δ_i/x_i)
//
// (Kolobov, Peres, Lu and Horvitz 2019, section 4). Each page takes
//
//	x_i = (√(Δ_i² + 4w_iΔ_i/λ) − Δ_i)/2,
//
// above 0 for every page that changes and has a weight: none is given up. A page that
// never changes has the cost 0.
type Harmonic struct{}

// Demand implements [Objective].
func (Harmonic) Demand(rates, slopes []float64, pages Pages, multiplier float64) {
	root := 1 / math.Sqrt(multiplier)
	for i, delta := range pages.ChangeRates {
		weight := weightAt(pages.Weights, i)
		if delta == 0 || weight == 0 {
			rates[i], slopes[i] = 0, 0
			continue
		}
		// With t = √(w/(λΔ)), x = Δ·2t²/(1 + √(1+4t²)), which subtracts nothing.
		t := math.Sqrt(weight/delta) * root
		rate := delta * t * (2 * t / (1 + math.Sqrt(1+4*t*t)))
		if t > 0x1p500 { // its square is infinite
			rate = delta * t
		}
		rates[i], slopes[i] = rate, 0
		if !math.IsInf(rate, 1) {
			slopes[i] = rate * ((rate + delta) / (2*rate + delta))
		}
	}
}

// Measure implements [Objective]: w·ln(1+Δ/x) and w·Δ/(x(x+Δ)).
func (Harmonic) Measure(values, marginals []float64, pages Pages, rates []float64) {
	for i, delta := range pages.ChangeRates {
		weight := weightAt(pages.Weights, i)
		if delta == 0 || weight == 0 {
			values[i], marginals[i] = 0, 0
			continue
		}
		values[i] = weight * math.Log1p(delta/rates[i])
		marginals[i] = weight / rates[i] * (delta / (rates[i] + delta))
	}
}

// Minimizes returns true.
func (Harmonic) Minimizes() bool { return true }

// String returns "harmonic".
func (Harmonic) String() string { return "harmonic" }
