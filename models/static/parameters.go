package static

// The parameters of a fixed number of robots, and their checks.

import (
	"fmt"
	"math"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/queue"
)

const (
	// MaxBuffer is the greatest buffer for exponential services, where all
	// formulas are closed.
	MaxBuffer = 1_000_000_000
	// MaxBufferOfLaw is the greatest buffer for other laws, whose steady state
	// takes time and memory.
	MaxBufferOfLaw = 1_000_000
	// MaxRobots is the greatest number of robots, 2⁵³: float64 tells numbers up to it
	// from their neighbours. Where int has 32 bits it is the greatest int.
	MaxRobots = math.MaxInt>>(10*wide) + wide
	wide      = strconv.IntSize / 64 // 1 where int has 64 bits, 0 where it has 32

	// meanTolerance is how far the mean of the service law may be from 1/μ.
	meanTolerance = 1e-9
)

// Parameters describe a search engine and its costs.
type Parameters struct {
	ArrivalRate      float64   // λ > 0, pages per unit of time of one robot
	ServiceRate      float64   // μ > 0, pages indexed per unit of time
	StarvationWeight float64   // γ > 0, cost per unit of time with an empty queue
	Buffer           int       // K ≥ 2, pages in the system, the one in service included
	Service          queue.Law // law of the indexing time, with mean 1/μ; nil: exponential
	Cost             Cost      // the charge for lost pages
	Unlimited        bool      // K → ∞: Buffer and Service are ignored
}

// ParameterError says which field of [Parameters], or which argument, has a
// value that is not allowed.
type ParameterError struct {
	Field   string // name of the field or argument
	Value   any    // the value found
	Allowed string // what is allowed
}

// Error returns a line with the field, the value found and what is allowed.
func (e *ParameterError) Error() string {
	return "static: " + e.Field + ": " + wording.Invalid(e.Value, e.Allowed)
}

// Validate returns a [*ParameterError] for the first field whose value is not
// allowed: rates and weight must be positive and finite, the buffer a whole
// number from 2 to [MaxBuffer] ([MaxBufferOfLaw] where the service law is not
// exponential), the law's mean 1/ServiceRate to a relative 1e-9, and Cost one
// of the two constants.
func (p Parameters) Validate() error {
	if err := p.validateRates(); err != nil {
		return err
	}
	if p.Unlimited {
		return nil
	}
	greatest := MaxBuffer
	if !p.exponential() {
		greatest = MaxBufferOfLaw
	}
	if p.Buffer < 2 || p.Buffer > greatest {
		return &ParameterError{"Buffer", p.Buffer, fmt.Sprintf("a whole number from 2 to %d", greatest)}
	}
	if p.Service != nil && !(math.Abs(p.Service.Mean()*p.ServiceRate-1) <= meanTolerance) {
		return &ParameterError{
			"Service", fmt.Sprintf("%v with mean %v", p.Service, p.Service.Mean()),
			fmt.Sprintf("a law with mean 1/ServiceRate = %v", 1/p.ServiceRate),
		}
	}
	return nil
}

// validateRates checks all that does not concern the queue's buffer and law.
func (p Parameters) validateRates() error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"ArrivalRate", p.ArrivalRate},
		{"ServiceRate", p.ServiceRate},
		{"StarvationWeight", p.StarvationWeight},
	} {
		if !(f.value > 0) || math.IsInf(f.value, 1) {
			return &ParameterError{f.name, f.value, "a finite number above 0"}
		}
	}
	if p.Cost != LossRate && p.Cost != LossProbability {
		return &ParameterError{"Cost", p.Cost, fmt.Sprintf("%v or %v", LossRate, LossProbability)}
	}
	return nil
}

// exponential reports whether the closed forms of M/M/1/K apply.
func (p Parameters) exponential() bool {
	return p.Service == nil || queue.IsExponential(p.Service)
}
