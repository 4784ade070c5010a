// This file holds the probabilities of the next event.

package sweep

// Next holds the probabilities of the next event, and the expected cost of that
// step, after a decision that leaves a queue of a given length and r = 0 … N
// active robots.
type Next struct {
	Departure  float64   // μ/ν, and 0 where the queue is empty
	Arrival    []float64 // λr/ν
	Fictitious []float64 // the rest
	Cost       []float64 // γ·1(q=0) + λr·1(q=K)
}

// Rows returns next for lo ≤ r < hi.
func (next Next) Rows(lo, hi int) Next {
	next.Arrival, next.Fictitious, next.Cost = next.Arrival[lo:hi], next.Fictitious[lo:hi], next.Cost[lo:hi]
	return next
}

// Law holds the next events of all queue lengths, of which there are three kinds.
type Law struct {
	Rate               float64 // ν = λN + μ
	buffer             int
	empty, inner, full Next
}

// NewLaw returns the law of a process with N robots, a buffer K, rates λ and μ
// and weight γ.
func NewLaw(robots, buffer int, arrivalRate, serviceRate, starvationWeight float64) *Law {
	rate, n := arrivalRate*float64(robots)+serviceRate, robots+1
	arrival, rest, restEmpty := make([]float64, n), make([]float64, n), make([]float64, n)
	starvation, none, loss := make([]float64, n), make([]float64, n), make([]float64, n)
	for r := range n {
		arrival[r] = arrivalRate * float64(r) / rate
		idle := arrivalRate * float64(robots-r)
		rest[r] = idle / rate
		restEmpty[r] = (idle + serviceRate) / rate
		starvation[r] = starvationWeight
		loss[r] = arrivalRate * float64(r)
	}
	departure := serviceRate / rate
	return &Law{
		Rate:   rate,
		buffer: buffer,
		empty:  Next{0, arrival, restEmpty, starvation},
		inner:  Next{departure, arrival, rest, none},
		full:   Next{departure, arrival, rest, loss},
	}
}

// At returns the next events at queue length q.
func (l *Law) At(q int) *Next {
	switch q {
	case 0:
		return &l.empty
	case l.buffer:
		return &l.full
	}
	return &l.inner
}

// RelativeError bounds the relative error of every rate and cost of a law: one
// unit of 2⁻⁵³ each for rounding λ, μ or γ to float64, for λ·r, for adding μ,
// and for the division by ν. The error of ν itself is common to all rates.
const RelativeError = 4.0000001 * 0x1p-53
