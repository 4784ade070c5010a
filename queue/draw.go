package queue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
)

// Sampler draws service times. [NewSampler] makes one of a law; another kind,
// such as recorded times that are played back, may be implemented elsewhere. A
// Sampler may have a state and is used by one goroutine at a time.
type Sampler interface {
	// Draw returns the next service time, a finite number of 0 or more.
	Draw(random *rand.Rand) float64
}

// samplerFunc is a Sampler without a state of its own.
type samplerFunc func(random *rand.Rand) float64

// Draw implements [Sampler].
func (f samplerFunc) Draw(random *rand.Rand) float64 { return f(random) }

// NewSampler returns a sampler of a law of this package, whose draws are
// independent, or an error for any other law. It has no state, so that several
// goroutines may share it, each with its own source of randomness.
//
// Methods: exponential times by the ziggurat of math/rand/v2; Erlang laws of up
// to 16 phases as sums of those; gamma laws by G. Marsaglia and W.W. Tsang, A
// simple method for generating gamma variables, ACM Transactions on
// Mathematical Software 26 (2000), 363-372; mixtures and samples by inversion of
// the discrete part; phase-type laws by walking through the phases.
func NewSampler(law Law) (Sampler, error) {
	switch l := law.(type) { // not any law with such a method: it may embed one of these
	case Exponential, Deterministic, Erlang, Gamma, Uniform, *Hyperexponential, *PhaseType, *Sample:
		return l.(interface{ sampler() Sampler }).sampler(), nil
	}
	return nil, fmt.Errorf("%v cannot be drawn from: use %s", law, LawSyntax)
}

// cumulated are the partial sums of weights.
type cumulated []float64

func cumulative(weights []float64) cumulated {
	sums, sum := make(cumulated, len(weights)), 0.0
	for i, weight := range weights {
		sum += weight
		sums[i] = sum
	}
	return sums
}

// draw returns an index with a probability proportional to its weight.
func (c cumulated) draw(random *rand.Rand) int {
	total := c[len(c)-1]
	u := total * random.Float64()
	if u >= total { // the product was rounded up
		u = math.Nextafter(total, 0)
	}
	return sort.Search(len(c), func(i int) bool { return c[i] > u })
}
