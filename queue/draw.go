package queue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
	switch l := law.(type) {
	case Exponential:
		return samplerFunc(func(random *rand.Rand) float64 { return l.mean * random.ExpFloat64() }), nil
	case Deterministic:
		return samplerFunc(func(*rand.Rand) float64 { return l.mean }), nil
	case Erlang:
		if l.phases > mostSummed {
			return gammaSampler(l.gamma), nil
		}
		return erlangSampler(l), nil
	case Gamma:
		return gammaSampler(l), nil
	case *Hyperexponential:
		branch := cumulative(l.probabilities)
		return samplerFunc(func(random *rand.Rand) float64 {
			return l.scaled[branch.draw(random)] * random.ExpFloat64()
		}), nil
	case *Sample:
		index := cumulative(l.probabilities)
		return samplerFunc(func(random *rand.Rand) float64 { return l.scaled[index.draw(random)] }), nil
	case *PhaseType:
		return phaseTypeSampler(l), nil
	case Uniform:
		return l, nil
	}
	return nil, fmt.Errorf("%v found; a law that can be drawn from is allowed: %s", law, LawSyntax)
}

// mostSummed is the number of exponential times whose sum takes about as long
// to draw as a gamma variable.
const mostSummed = 16

func erlangSampler(l Erlang) Sampler {
	phaseMean := l.Mean() / float64(l.phases)
	return samplerFunc(func(random *rand.Rand) float64 {
		sum := 0.0
		for range l.phases {
			sum += random.ExpFloat64()
		}
		return phaseMean * sum
	})
}

// gammaSampler rejects from a cubed normal variable. A shape below 1 is raised
// by 1 and the draw multiplied by U^{1/shape}.
func gammaSampler(l Gamma) Sampler {
	shape := l.shape
	if shape < 1 {
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	scale := l.mean / l.shape
	return samplerFunc(func(random *rand.Rand) float64 {
		for {
			x := random.NormFloat64()
			v := 1 + c*x
			if v <= 0 {
				continue
			}
			v = v * v * v
			if math.Log(1-random.Float64()) >= x*x/2+d-d*v+d*math.Log(v) {
				continue
			}
			if l.shape < 1 {
				return scale * d * v * math.Pow(1-random.Float64(), 1/l.shape)
			}
			return scale * d * v
		}
	})
}

// phaseTypeSampler walks from phase to phase up to the end.
func phaseTypeSampler(l *PhaseType) Sampler {
	n := len(l.start)
	first, next, leave := cumulative(l.start), make([]cumulated, n), make([]float64, n)
	for i := range n {
		outs := append(slices.Clone(l.moves[i]), l.exits[i])
		next[i] = cumulative(outs)
		for _, rate := range outs {
			leave[i] += rate
		}
	}
	return samplerFunc(func(random *rand.Rand) float64 {
		time := 0.0
		for phase := first.draw(random); phase < n; phase = next[phase].draw(random) {
			time += random.ExpFloat64() / leave[phase]
		}
		return time
	})
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
