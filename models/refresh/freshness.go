package refresh

import "math"

// The functions of z = Δ/x, the number of changes expected between accesses,
// that freshness and age are made of. Below z = 1 they are summed as alternating
// series of decreasing terms, so that nothing cancels where z is tiny.

// decay holds e^{−z} and g(z) = 1 − (1+z)e^{−z} = z²·Σ_j (−z)^j/(j!(j+2)).
type decay struct{ z, exp, g float64 }

func newDecay(z float64) decay {
	if math.IsInf(z, 1) {
		return decay{z, 0, 1}
	}
	e := math.Exp(-z)
	if z >= 1 {
		return decay{z, e, 1 - (1+z)*e}
	}
	return decay{z, e, z * z * alternating(&freshnessSeries, z)}
}

// mean returns the mean of e^{−u} over 0 … z, (1−e^{−z})/z = g/z + e^{−z}: the
// freshness.
func (d decay) mean() float64 {
	if d.z == 0 {
		return 1
	}
	return d.g/d.z + d.exp
}

// lack returns 1 − (1−e^{−z})/z = z·Σ_j (−z)^j/(j+2)!.
func (d decay) lack() float64 {
	if d.z >= 1 {
		return 1 - d.mean()
	}
	return d.z * alternating(&lackSeries, d.z)
}

// age returns (z/2 − 1 + (1−e^{−z})/z)/z = z·Σ_j (−z)^j/(j+3)!, which is 1/2 at
// infinity.
func (d decay) age() float64 {
	if d.z >= 1 {
		return 0.5 - d.lack()/d.z
	}
	return d.z * alternating(&ageSeries, d.z)
}

// ageMarginal returns k(z)/z² = 1/2 − g(z)/z² = z·Σ_j (−z)^j/((j+1)!(j+3)).
func (d decay) ageMarginal() float64 {
	if d.z >= 1 {
		return 0.5 - d.g/d.z/d.z
	}
	return d.z * alternating(&ageMarginalSeries, d.z)
}

// seriesTerms is enough for z ≤ 1: 1/19! is below 10⁻¹⁷.
const seriesTerms = 19

var freshnessSeries, lackSeries, ageSeries, ageMarginalSeries = decaySeries()

// decaySeries returns the coefficients of the four series, without signs.
func decaySeries() (freshness, lack, age, ageMarginal [seriesTerms]float64) {
	factorial := 1.0 // j!, exact up to 22!
	for j := range seriesTerms {
		n := float64(j)
		freshness[j] = 1 / (factorial * (n + 2))
		lack[j] = 1 / (factorial * (n + 1) * (n + 2))
		age[j] = 1 / (factorial * (n + 1) * (n + 2) * (n + 3))
		ageMarginal[j] = 1 / (factorial * (n + 1) * (n + 3))
		factorial *= n + 1
	}
	return freshness, lack, age, ageMarginal
}

// alternating returns Σ_j coefficients[j]·(−z)^j.
func alternating(coefficients *[seriesTerms]float64, z float64) float64 {
	sum := 0.0
	for j := seriesTerms - 1; j >= 0; j-- {
		sum = coefficients[j] - z*sum
	}
	return sum
}
