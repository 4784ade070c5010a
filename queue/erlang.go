package queue

import (
	"fmt"
	"math/rand/v2"
)

// Erlang is the law of the sum of k independent exponential phases of equal
// mean: the [Gamma] law with the whole shape k.
type Erlang struct {
	phases int
	gamma  Gamma
}

// NewErlang returns the law with the given number of phases and mean of the
// whole, or an error if there are fewer than 1 phase or the mean is not a
// positive finite number.
func NewErlang(phases int, mean float64) (Erlang, error) {
	if phases < 1 {
		return Erlang{}, fmt.Errorf("%d phases are not valid: use a whole number of 1 or more", phases)
	}
	gamma, err := NewGamma(float64(phases), mean)
	return Erlang{phases, gamma}, err
}

// Phases returns k.
func (l Erlang) Phases() int { return l.phases }

// Mean implements [Law].
func (l Erlang) Mean() float64 { return l.gamma.Mean() }

// Variance returns mean²/k.
func (l Erlang) Variance() float64 { return l.gamma.Variance() }

// Laplace implements [Law]: (1+xm/k)^{−k}.
func (l Erlang) Laplace(x float64) float64 { return l.gamma.Laplace(x) }

// LaplaceComplement implements [Law].
func (l Erlang) LaplaceComplement(x float64) float64 { return l.gamma.LaplaceComplement(x) }

// Arrivals implements [Law]; the number of arrivals is negative binomial.
func (l Erlang) Arrivals(rate float64, n int) Arrivals { return l.gamma.Arrivals(rate, n) }

// LaplaceExcess is as for [Deterministic].
func (l Erlang) LaplaceExcess(x float64) float64 { return l.gamma.LaplaceExcess(x) }

// String returns "erlang:k".
func (l Erlang) String() string { return fmt.Sprintf("erlang:%d", l.phases) }

// mostSummed is the number of exponential times whose sum takes about as long
// to draw as a gamma variable.
const mostSummed = 16

// sampler adds up exponential times, or draws a gamma variable where that is faster.
func (l Erlang) sampler() Sampler {
	if l.phases > mostSummed {
		return l.gamma.sampler()
	}
	phaseMean := l.Mean() / float64(l.phases)
	return samplerFunc(func(random *rand.Rand) float64 {
		sum := 0.0
		for range l.phases {
			sum += random.ExpFloat64()
		}
		return phaseMean * sum
	})
}
