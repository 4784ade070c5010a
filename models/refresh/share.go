package refresh

// What rates of access come to, page by page: intervals, and the share of time in which a
// page is up to date.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Freshness returns the share of time in which each page is up to date, with accesses at
// its rate. The formula depends on how accesses are spaced, which the objective says: [Age] takes
// the formula of [FixedOrder], [Harmonic] that of [Random], and any other objective its own, or 1
// minus its own if it counts obsolescence. The result is written to the list freshness, which may
// be pages.Weights, or to a new list if that is nil.
func Freshness(objective Objective, pages Pages, rates, freshness []float64, workers int) []float64 {
	switch objective.(type) {
	case Age:
		objective = FixedOrder{}
	case Harmonic:
		objective = Random{}
	}
	const block = 1 << 12
	if freshness == nil {
		freshness = make([]float64, pages.Len())
	}
	parallel.For(workers, (pages.Len()+block-1)/block, func(part int) {
		from, to := part*block, min((part+1)*block, pages.Len())
		var marginals [block]float64
		values := freshness[from:to]
		unweighted := pages.Slice(from, to)
		unweighted.Weights = nil
		objective.Measure(values, marginals[:to-from], unweighted, rates[from:to])
		if objective.Minimizes() {
			for i, obsolescence := range values {
				values[i] = 1 - obsolescence
			}
		}
	})
	return freshness
}

// Interval returns 1/rate, or 0, which stands for none, of a rate of 0 and of one so
// small that no number is as large.
func Interval(rate float64) float64 {
	if interval := 1 / rate; !math.IsInf(interval, 0) {
		return interval
	}
	return 0
}
