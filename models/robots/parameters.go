package robots

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Parameters describe a search engine whose robots bring pages to an indexing
// queue: a single server with exponential service times and a finite buffer.
// Each active robot brings pages as a Poisson process.
//
// Source: Talim, Liu, Nain and Coffman, Controlling Robots of Web Search
// Engines, 1999, sections 2 and 3.1.
type Parameters struct {
	Robots           int     // N ≥ 1, robots that may be active together
	Buffer           int     // K ≥ 2, pages in the system, the one in service included
	ArrivalRate      float64 // λ > 0, pages per unit of time of one active robot
	ServiceRate      float64 // μ > 0, pages indexed per unit of time
	StarvationWeight float64 // γ > 0, cost per unit of time with an empty queue; a lost page costs 1
}

// ParameterError says which field of [Parameters] has a value that is not
// allowed.
type ParameterError struct {
	Field   string // name of the field
	Value   any    // the value found
	Allowed string // what is allowed
}

// Error returns a line with the field, the value found and what is allowed.
func (e *ParameterError) Error() string {
	return fmt.Sprintf("robots: %s is %v; allowed is %s", e.Field, e.Value, e.Allowed)
}

// Validate returns a [*ParameterError] for the first field whose value is not
// allowed: Robots ≥ 1 and Buffer ≥ 2 are, and rates and weight that are
// positive and finite, as is λN + μ.
func (p Parameters) Validate() error {
	if p.Robots < 1 {
		return &ParameterError{"Robots", p.Robots, "at least 1"}
	}
	if p.Buffer < 2 {
		return &ParameterError{"Buffer", p.Buffer, "at least 2"}
	}
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"ArrivalRate", p.ArrivalRate},
		{"ServiceRate", p.ServiceRate},
		{"StarvationWeight", p.StarvationWeight},
	} {
		if !(f.value > 0) || math.IsInf(f.value, 1) {
			return &ParameterError{f.name, f.value, "a positive finite number"}
		}
	}
	if math.IsInf(p.UniformizationRate(), 1) {
		return &ParameterError{"ArrivalRate", p.ArrivalRate, "a number for which λN + μ is finite"}
	}
	return nil
}

// UniformizationRate returns ν = λN + μ, the rate of the events (departures,
// arrivals and fictitious ones) at which decisions are made.
func (p Parameters) UniformizationRate() float64 {
	return p.ArrivalRate*float64(p.Robots) + p.ServiceRate
}

// checkSize returns [mdp.ErrTooLarge] unless perPair values for each of the (K+1)(N+1)
// pairs of a queue length and a number of active robots can be numbered by int32.
func (p Parameters) checkSize(perPair int64) error {
	const most = math.MaxInt32
	if p.Robots < most && int64(p.Buffer) < most/(perPair*(int64(p.Robots)+1)) {
		return nil
	}
	return fmt.Errorf("robots: %w: Robots is %d and Buffer is %d; allowed are values with %d·(Robots+1)·(Buffer+1) ≤ %d",
		mdp.ErrTooLarge, p.Robots, p.Buffer, perPair, most)
}

// nextEvents are the probabilities of the next event, and the expected cost of
// that step, after a decision that leaves a queue of a given length and
// r = 0 … N active robots.
type nextEvents struct {
	departure  float64   // μ/ν, and 0 where the queue is empty
	arrival    []float64 // λr/ν
	fictitious []float64 // the rest
	cost       []float64 // γ·1(q=0) + λr·1(q=K)
}

// law holds the next events of all queue lengths, of which there are three kinds.
type law struct {
	parameters         Parameters
	rate               float64 // ν
	empty, inner, full nextEvents
}

func newLaw(p Parameters) *law {
	rate, n := p.UniformizationRate(), p.Robots+1
	arrival, rest, restEmpty := make([]float64, n), make([]float64, n), make([]float64, n)
	starvation, none, loss := make([]float64, n), make([]float64, n), make([]float64, n)
	for r := range n {
		arrival[r] = p.ArrivalRate * float64(r) / rate
		idle := p.ArrivalRate * float64(p.Robots-r)
		rest[r] = idle / rate
		restEmpty[r] = (idle + p.ServiceRate) / rate
		starvation[r] = p.StarvationWeight
		loss[r] = p.ArrivalRate * float64(r)
	}
	departure := p.ServiceRate / rate
	return &law{
		parameters: p,
		rate:       rate,
		empty:      nextEvents{0, arrival, restEmpty, starvation},
		inner:      nextEvents{departure, arrival, rest, none},
		full:       nextEvents{departure, arrival, rest, loss},
	}
}

// at returns the next events at queue length q.
func (l *law) at(q int) *nextEvents {
	switch q {
	case 0:
		return &l.empty
	case l.parameters.Buffer:
		return &l.full
	}
	return &l.inner
}

// relativeError bounds the relative error of every rate and cost of a model, in
// units of 2⁻⁵³ one each for rounding λ, μ or γ to float64, for λ·r, for adding
// μ, and for the division by ν. The error of ν itself is common to all rates.
const relativeError = 4.0000001 * 0x1p-53
