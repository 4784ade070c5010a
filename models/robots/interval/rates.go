// This file holds the ranges of the rates, and the choices of nature.

package interval

import "fmt"

// Range is the closed interval of numbers that a rate may have. Low may be High.
type Range struct{ Low, High float64 }

// Middle returns the number halfway between the ends.
func (r Range) Middle() float64 { return r.Low/2 + r.High/2 }

// Rates are the ranges of the rates of a [robots.Parameters].
type Rates struct {
	Arrival Range // of λ, pages per unit of time of one active robot; positive
	Service Range // of μ, pages indexed per unit of time of service; positive
}

// Nature chooses the rates in every state, always at the ends of the ranges.
type Nature struct {
	robots int
	rates  [][2]float64 // λ and μ by state, as [robots.Model] numbers them
}

// Rates returns the rates for a number of pages in the system and of active robots, in the
// state after the last decision. If no robot is active, the arrival rate has no effect; if
// the queue is empty, the service rate has none. Rates panics if there is no such state.
func (a *Nature) Rates(queue, active int) (arrival, service float64) {
	index := queue*(a.robots+1) + active - 1
	if queue < 0 || active < 0 || active > a.robots || index < 0 || index >= len(a.rates) {
		panic(fmt.Sprintf("interval: %d pages and %d active robots are not a state", queue, active))
	}
	return a.rates[index][0], a.rates[index][1]
}
