package queue

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Hyperexponential is a mixture of exponential laws: with probability p_i the
// service is exponential with mean m_i.
type Hyperexponential struct {
	weights, means []float64 // as given
	probabilities  []float64 // p_i
	scaled         []float64 // m_i
	mean           float64
}

// NewHyperexponential returns the mixture with probabilities proportional to
// weights and means proportional to means, scaled to the given mean. It
// returns an error if the slices are empty or of different lengths, or if one
// of the numbers is not positive and finite.
func NewHyperexponential(weights, means []float64, mean float64) (*Hyperexponential, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	if len(weights) != len(means) || len(weights) == 0 {
		return nil, fmt.Errorf("%d weights and %d means are not valid: use one or more of each, equally many",
			len(weights), len(means))
	}
	for i := range weights {
		if !isPositive(weights[i]) || !isPositive(means[i]) {
			return nil, fmt.Errorf("branch %d has weight %v and mean %v: use finite numbers above 0",
				i+1, weights[i], means[i])
		}
	}
	l := &Hyperexponential{
		weights: append([]float64(nil), weights...), means: append([]float64(nil), means...),
		probabilities: normalized(weights), mean: mean,
	}
	var err error
	l.scaled, err = scaledToMean(l.probabilities, means, mean)
	return l, err
}

// Mean implements [Law].
func (l *Hyperexponential) Mean() float64 { return l.mean }

// Variance returns Σ p_i·(m_i² + (m_i − mean)²), the mean of the branches'
// variances and the variance of their means.
func (l *Hyperexponential) Variance() float64 {
	return l.mix(func(m float64) float64 { return m*m + (m-l.mean)*(m-l.mean) })
}

// Laplace implements [Law]: Σ p_i/(1+x·m_i).
func (l *Hyperexponential) Laplace(x float64) float64 {
	return l.mix(func(m float64) float64 { return exponentialLaplace(x * m) })
}

// LaplaceComplement implements [Law].
func (l *Hyperexponential) LaplaceComplement(x float64) float64 {
	return l.mix(func(m float64) float64 { return exponentialComplement(x * m) })
}

// mix returns Σ p_i·f(m_i).
func (l *Hyperexponential) mix(f func(mean float64) float64) float64 {
	return mixed(l.probabilities, l.scaled, f)
}

// Arrivals implements [Law]; the number of arrivals is a mixture of geometric
// ones.
func (l *Hyperexponential) Arrivals(rate float64, n int) Arrivals {
	return mixedArrivals(rate, n, l.probabilities, l.scaled, func(branch Arrivals, m float64) {
		branch.fillGeometric(rate * m)
	})
}

// LaplaceExcess is as for [Deterministic].
func (l *Hyperexponential) LaplaceExcess(x float64) float64 {
	return l.mix(func(m float64) float64 { return exponentialExcess(x * m) })
}

// String returns "hyperexponential:p1@m1,p2@m2,…" with the weights and means
// as they were given.
func (l *Hyperexponential) String() string {
	branches := make([]string, len(l.weights))
	for i := range branches {
		branches[i] = formatNumber(l.weights[i]) + "@" + formatNumber(l.means[i])
	}
	return "hyperexponential:" + strings.Join(branches, ",")
}

func (l *Hyperexponential) sampler() Sampler {
	branch := cumulative(l.probabilities)
	return samplerFunc(func(random *rand.Rand) float64 { return l.scaled[branch.draw(random)] * random.ExpFloat64() })
}
