package refresh

import "math"

// Random is the freshness of pages that are accessed at random times, page i as
// a Poisson process of rate x_i:
//
//	F = Σ w_i·x_i/(x_i + Δ_i)
//
// (Azar et al., eq. 5). Each page takes
//
//	x_i = max(0, √(w_iΔ_i/λ) − Δ_i).
//
// The authors' Algorithm 2 sorts the pages to find λ; package rates does without. A page
// that never changes is always fresh.
type Random struct{}

// Demand implements [Objective].
func (Random) Demand(rates, slopes []float64, pages Pages, multiplier float64) {
	n := len(pages.ChangeRates)
	rates, slopes = rates[:n], slopes[:n]
	t := 1 / math.Sqrt(multiplier)
	if pages.Weights == nil {
		for i, delta := range pages.ChangeRates {
			rates[i], slopes[i] = randomDemand(delta, math.Sqrt(delta)*t)
		}
	} else {
		weights := pages.Weights[:n]
		for i, delta := range pages.ChangeRates {
			rates[i], slopes[i] = randomDemand(delta, math.Sqrt(weights[i]*delta)*t)
		}
	}
	if multiplier == 0 {
		for i, delta := range pages.ChangeRates {
			rates[i], slopes[i] = allOrNothing(weightAt(pages.Weights, i) > 0 && delta > 0), 0
		}
	}
}

// randomDemand returns max(0, reach−Δ) and half of reach where that is above 0,
// without a branch: which pages are accessed is hard for a processor to guess.
func randomDemand(delta, reach float64) (rate, slope float64) {
	rate = reach - delta
	keep := ^uint64(int64(math.Float64bits(rate)) >> 63) // all ones where rate ≥ 0
	return math.Float64frombits(math.Float64bits(rate) & keep), math.Float64frombits(math.Float64bits(0.5*reach) & keep)
}

// squareRootDemand returns Δ(1/√c − 1) for c < 1, else 0, and −dx/d ln c.
func squareRootDemand(delta, c float64) (rate, slope float64) {
	if !(c >= 0 && c < 1) || delta == 0 { // −∞ for a weight of −0
		return 0, 0
	}
	t := 1 / math.Sqrt(c)
	if math.IsInf(t, 1) || math.IsInf(delta, 1) {
		return math.Inf(1), 0
	}
	return delta * (t - 1), 0.5 * delta * t
}

// allOrNothing is the demand of a page whose marginal value stays above the
// multiplier, or is nowhere above it.
func allOrNothing(gains bool) float64 {
	if gains {
		return math.Inf(1)
	}
	return 0
}

// Measure implements [Objective]: w·x/(x+Δ) and w·Δ/(x+Δ)².
func (Random) Measure(values, marginals []float64, pages Pages, rates []float64) {
	for i, delta := range pages.ChangeRates {
		weight := weightAt(pages.Weights, i)
		values[i], marginals[i] = randomFreshness(delta, rates[i])
		values[i] *= weight
		marginals[i] *= weight
	}
}

// randomFreshness returns x/(x+Δ) and its derivative by x.
func randomFreshness(delta, rate float64) (freshness, marginal float64) {
	if delta == 0 {
		return 1, 0
	}
	total := rate + delta
	return rate / total, delta / total / total
}

// Minimizes returns false.
func (Random) Minimizes() bool { return false }

// String returns "random".
func (Random) String() string { return "random" }

// Decaying is the freshness of copies that lose worth with the time since they
// were fetched: a copy of age A counts as e^{−Δ_iA}, where Δ_i, the page's
// change rate, is now the rate of decay. Accesses at random times at rate x
// leave copies with exponential ages, so that the mean worth is x/(x+Δ): the
// optimum is that of [Random] (Azar et al., Remark 4). With evenly spaced
// accesses it is that of [FixedOrder].
type Decaying struct{ Random }

// String returns "decaying".
func (Decaying) String() string { return "decaying" }
