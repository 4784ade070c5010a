package dual

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// tally sums up the rates that a run or a group gets in the end.
type tally struct {
	used, value doubledouble.Accumulator
	size        float64 // sum of the absolute values
	gap         float64 // how far the dual may lie above the values
	residual    float64 // greatest relative violation of the conditions of optimality
	atBounds    float64 // that of pages at their least or greatest rate
	step        float64 // greatest step of a rate, relative to it or to the mean rate
	greatest    float64 // greatest marginal value of a page that could take more
	active      int     // pages with a rate above 0
}

// merge adds the tally of the next run.
func (t *tally) merge(next *tally) {
	t.used.Merge(next.used)
	t.value.Merge(next.value)
	t.size += next.size
	t.gap += next.gap
	t.residual = max(t.residual, next.residual)
	t.atBounds = max(t.atBounds, next.atBounds)
	t.step = max(t.step, next.step)
	t.greatest = max(t.greatest, next.greatest)
	t.active += next.active
}

// settlePass writes the rates that the settlements of the groups say, and returns a
// tally for each run.
func (w *sweeper) settlePass(rates []float64, settlements []Settlement) []tally {
	tallies := make([]tally, len(w.layout.runs))
	w.pass(func(run int) {
		e := settlements[w.layout.runs[run].group]
		t := tally{}
		w.chunks(run, func(b *buffer, from, to int) {
			settled := b.settled[:to-from]
			wanted := w.settleChunk(b, settled, e, &t)
			values, marginals := b.values[:to-from], b.marginals[:to-from]
			w.problem.Objective.Measure(values, marginals, b.changeRates, b.weights, settled)
			t.used.AddAll(settled)
			t.value.AddAll(values)
			w.check(b, &t, e.Multiplier(), e.price(), wanted)
			if w.layout.order == nil {
				copy(rates[from:to], settled)
				return
			}
			for i, page := range w.layout.order[from:to] {
				rates[page] = settled[i]
			}
		})
		tallies[run] = t
	})
	return tallies
}

// settleChunk fills in the rates of a chunk, and notes their greatest step along a
// slope. It returns the demand at e.price().
func (w *sweeper) settleChunk(b *buffer, settled []float64, e Settlement, t *tally) (wanted []float64) {
	n := len(settled)
	wanted, slopes := b.rates[:n], b.slopes[:n]
	w.ask(b, wanted, slopes, e.At)
	if e.Share > 0 {
		others := b.others[:n]
		w.ask(b, others, slopes, e.Other)
		for i, rate := range wanted {
			settled[i] = rate + e.Share*(others[i]-rate)
		}
		if math.IsInf(e.At, 1) {
			return others
		}
		return wanted
	}
	steepest := 0.0
	for i, rate := range wanted {
		settled[i] = min(max(rate+e.Step*slopes[i], b.lowest(i)), b.highest(i, w.problem.Fastest))
		if slopes[i] > steepest*w.mean {
			steepest = max(steepest, slopes[i]/max(rate, w.mean))
		}
	}
	t.step = max(t.step, steepest*max(math.Abs(e.Step), longestStep/SteepSlope))
	return wanted
}

// check adds to a tally by how much the rates of a chunk miss the conditions of
// optimality at the group's multiplier, and by how much the dual function at price
// may lie above their value. With x the rate and y the one that maximises
// f − price·x, concavity bounds that of each page:
//
//	f(y) − price·y ≤ f(x) − price·x + (f′(x) − price)·(y − x).
//
// The last term is small in itself, not a difference of large numbers.
func (w *sweeper) check(b *buffer, t *tally, multiplier, price float64, wanted []float64) {
	worst := 0.0 // of marginal − multiplier
	free, fastest := w.unbounded(b), w.problem.Fastest
	settled, values, marginals := b.settled[:len(wanted)], b.values[:len(wanted)], b.marginals[:len(wanted)]
	for i, want := range wanted {
		rate, marginal := settled[i], marginals[i]
		t.size += math.Abs(values[i])
		if free || rate < b.highest(i, fastest) {
			t.greatest = max(t.greatest, marginal)
		}
		if rate > 0 {
			t.active++
		}
		if rate != want {
			t.gap += (marginal - price) * (want - rate)
		}
		excess := marginal - multiplier
		if rate == 0 || !free {
			atLeast, atMost := rate == b.lowest(i), rate == b.highest(i, fastest)
			excess = violation(excess, atLeast, atMost)
			if excess != 0 && (atLeast || atMost) {
				t.atBounds = max(t.atBounds, math.Abs(excess)/multiplier)
			}
		}
		worst = max(worst, math.Abs(excess))
	}
	if worst > 0 {
		t.residual = max(t.residual, worst/multiplier)
	}
}

// violation returns by how much a page violates the conditions of optimality, whose
// marginal value exceeds the multiplier by so much.
func violation(excess float64, atLeast, atMost bool) float64 {
	switch {
	case atLeast && atMost, math.IsInf(excess, -1):
		return 0
	case atLeast:
		return max(0, excess)
	case atMost:
		return min(0, excess)
	}
	return excess
}
