package queue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/special"
)

// Sample is the empirical law of measured service times: each of them is
// equally likely. It is scaled to a given mean.
type Sample struct {
	name          string
	probabilities []float64
	scaled        []float64 // distinct times, ascending
	mean          float64
}

// NewSample returns the empirical law of the times, scaled to the given mean.
// The name, that of a file as a rule, is what [Sample.String] shows. It
// returns an error if there are no times, if one is negative, NaN or infinite,
// or if all are 0.
func NewSample(name string, times []float64, mean float64) (*Sample, error) {
	if err := checkMean(mean); err != nil {
		return nil, err
	}
	for i, time := range times {
		if !(time >= 0) || math.IsInf(time, 1) {
			return nil, fmt.Errorf("time %d of the sample is %v: use a finite number of 0 or more", i+1, time)
		}
	}
	sorted := slices.Sorted(slices.Values(times))
	if len(sorted) == 0 || sorted[len(sorted)-1] == 0 {
		return nil, fmt.Errorf("a sample of %d times has none above 0: use at least one", len(times))
	}
	l := &Sample{name: name, mean: mean}
	var distinct []float64
	var counts []float64
	for i, time := range sorted {
		if i == 0 || time != sorted[i-1] {
			distinct, counts = append(distinct, time), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	l.probabilities = normalized(counts)
	var err error
	l.scaled, err = scaledToMean(l.probabilities, distinct, mean)
	return l, err
}

// Mean implements [Law].
func (l *Sample) Mean() float64 { return l.mean }

// Variance returns the mean squared distance from the mean; the divisor is
// the size of the sample.
func (l *Sample) Variance() float64 {
	return l.mix(func(time float64) float64 { return (time - l.mean) * (time - l.mean) })
}

// Laplace implements [Law]: the mean of e^{−x·time}.
func (l *Sample) Laplace(x float64) float64 {
	return l.mix(func(time float64) float64 { return samplePoint(pointLaplace, x, time) })
}

// LaplaceComplement implements [Law].
func (l *Sample) LaplaceComplement(x float64) float64 {
	return l.mix(func(time float64) float64 { return samplePoint(pointComplement, x, time) })
}

// LaplaceExcess is as for [Deterministic].
func (l *Sample) LaplaceExcess(x float64) float64 {
	return l.mix(func(time float64) float64 { return samplePoint(special.ExpExcess, x, time) })
}

// samplePoint returns f(x·time), where a time of 0 gives f(0) even for an
// infinite x.
func samplePoint(f func(float64) float64, x, time float64) float64 {
	if time == 0 && x >= 0 {
		return f(0)
	}
	if x < 0 {
		return math.NaN()
	}
	return f(x * time)
}

func (l *Sample) mix(f func(time float64) float64) float64 {
	return mixed(l.probabilities, l.scaled, f)
}

// Arrivals implements [Law]; the number of arrivals is a mixture of Poisson
// ones. It takes time proportional to n for each distinct time.
func (l *Sample) Arrivals(rate float64, n int) Arrivals {
	return mixedArrivals(rate, n, l.probabilities, l.scaled, func(branch Arrivals, time float64) {
		branch.fillPoisson(rate * time)
	})
}

func (l *Sample) sampler() Sampler {
	index := cumulative(l.probabilities)
	return samplerFunc(func(random *rand.Rand) float64 { return l.scaled[index.draw(random)] })
}

// String returns "sample:" and the name.
func (l *Sample) String() string { return "sample:" + l.name }
