package estimate

import "math"

// A likelihood is that of a change rate: weighted gaps with a change behind them,
// and the sum of the others.
type likelihood struct {
	weights, gaps []float64
	count, sum    float64 // Σ weight and Σ weight·gap
	unchanged     float64
}

func (l *likelihood) add(weight, gap float64) {
	l.weights = append(l.weights, weight)
	l.gaps = append(l.gaps, gap)
	l.count += weight
	l.sum += weight * gap
}

// maxNewton is never reached: see root.
const maxNewton = 200

// root returns the rate of maximum likelihood. Far from the root, where the left
// side is Σ1/Δ or Σ e^{−Δτ}, each step multiplies Δ by 1 plus the logarithm of the
// ratio of both sides, or is right at once; near it convergence is quadratic.
func (l *likelihood) root() float64 {
	rate := math.Log1p(l.sum/l.unchanged) * (l.count / l.sum)
	for range maxNewton {
		left, slope := 0., 0.
		for i, gap := range l.gaps {
			if l.weights[i] == 0 {
				continue
			}
			value := l.weights[i] * gap / math.Expm1(rate*gap)
			left += value
			slope += value * (gap / -math.Expm1(-rate*gap)) // −d/dΔ of value
		}
		next := rate + math.Log(left/l.unchanged)*left/slope
		if !(next > rate*(1+1e-15)) {
			break
		}
		rate = next
	}
	return rate
}

// information returns Σ_changed τ²·e^{Δτ}/(e^{Δτ} − 1)².
func (l *likelihood) information(rate float64) float64 {
	sum := 0.
	for i, gap := range l.gaps {
		half := 2 * math.Sinh(rate*gap/2) // e^x/(e^x−1)² = 1/(2·sinh(x/2))²
		sum += l.weights[i] * (gap / half) * (gap / half)
	}
	return sum
}
