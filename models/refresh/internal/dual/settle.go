package dual

import (
	"math"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/exactsum"
	"github.com/mdpsolve/mdpsolve/internal/fixedpoint"
)

// Tally sums up the rates that a run or a group gets in the end.
type Tally struct {
	Used     fixedpoint.Sum // on the scale of the group
	Excess   float64        // greatest difference of marginal value and price where the rate is not that wanted at the price
	Residual float64        // greatest relative violation of the conditions of optimality
	AtBounds float64        // that of pages at their least or greatest rate
	Step     float64        // greatest step of a rate, relative to it or to the mean rate
	Greatest float64        // greatest marginal value of a page that could take more
	Active   int            // pages with a rate above 0
}

// merge adds the tally of other pages, whose rates are on the same scale.
func (t *Tally) merge(next *Tally) {
	t.Used.Merge(next.Used)
	t.worst(next)
}

// worst adds a tally but for the rates.
func (t *Tally) worst(next *Tally) {
	t.Excess = max(t.Excess, next.Excess)
	t.Residual = max(t.Residual, next.Residual)
	t.AtBounds = max(t.AtBounds, next.AtBounds)
	t.Step = max(t.Step, next.Step)
	t.Greatest = max(t.Greatest, next.Greatest)
	t.Active += next.Active
}

// Values are the sum of the values of pages, and of those of them below 0.
type Values struct{ All, Negative exactsum.Sum }

func (v *Values) add(values []float64) {
	v.All.AddAll(values)
	for _, value := range values {
		if value < 0 {
			v.Negative.Add(value)
		}
	}
}

func (v *Values) merge(other *Values) {
	v.All.Merge(&other.All)
	v.Negative.Merge(&other.Negative)
}

// size returns the sum of the absolute values.
func (v *Values) size() float64 { return v.All.Float() - 2*v.Negative.Float() }

// settlePass writes the rates that the settlements of the groups say, and returns a
// tally for each run, and the values.
func (w *sweeper) settlePass(rates []float64, settlements []Settlement) ([]Tally, *Values) {
	tallies := make([]Tally, len(w.layout.runs))
	all, mutex := new(Values), sync.Mutex{}
	if w.problem.Remote != nil {
		return remotely(w, tallies, func(r Remote) (found []Tally, err error) {
			found, all, err = r.Settle(settlements)
			return found, err
		}), all
	}
	w.pass(func(run int) {
		group := w.layout.runs[run].group
		e, on := settlements[group], w.scales[group]
		t, sum := Tally{}, new(Values)
		w.chunks(run, func(b *buffer, from, to int) {
			settled := b.settled[:to-from]
			wanted := w.settleChunk(b, settled, e, &t)
			values, marginals := b.values[:to-from], b.marginals[:to-from]
			w.problem.Objective.Measure(values, marginals, b.changeRates, b.weights, settled)
			if o, ok := w.problem.Objective.(Cornered); ok {
				o.Corner(marginals, b.changeRates, b.weights, settled, e.Multiplier())
			}
			t.Used.AddAll(on, settled)
			sum.add(values)
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
		mutex.Lock()
		defer mutex.Unlock()
		all.merge(sum)
	})
	return tallies, all
}

// settleChunk fills in the rates of a chunk, and notes their greatest step along a
// slope. It returns the demand at e.price().
func (w *sweeper) settleChunk(b *buffer, settled []float64, e Settlement, t *Tally) (wanted []float64) {
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
	t.Step = max(t.Step, steepest*max(math.Abs(e.Step), longestStep/SteepSlope))
	return wanted
}

// check adds to a tally by how much the rates of a chunk miss the conditions of
// optimality at the group's multiplier, and by how much the dual function at price
// may lie above their value. With x the rate and y the one that maximises
// f − price·x, concavity bounds that of each page:
//
//	f(y) − price·y ≤ f(x) − price·x + (f′(x) − price)·(y − x).
//
// The last term is small in itself, not a difference of large numbers. All rates of a
// group are moved the same way, so that Σ|y − x| is what the residual at the price says.
func (w *sweeper) check(b *buffer, t *Tally, multiplier, price float64, wanted []float64) {
	worst := 0.0 // of marginal − multiplier
	free, fastest := w.unbounded(b), w.problem.Fastest
	settled, marginals := b.settled[:len(wanted)], b.marginals[:len(wanted)]
	for i, want := range wanted {
		rate, marginal := settled[i], marginals[i]
		if free || rate < b.highest(i, fastest) {
			t.Greatest = max(t.Greatest, marginal)
		}
		if rate > 0 {
			t.Active++
		}
		if rate != want {
			t.Excess = max(t.Excess, math.Abs(marginal-price))
		}
		excess := marginal - multiplier
		if rate == 0 || !free {
			atLeast, atMost := rate == b.lowest(i), rate == b.highest(i, fastest)
			excess = violation(excess, atLeast, atMost)
			if excess != 0 && (atLeast || atMost) {
				t.AtBounds = max(t.AtBounds, math.Abs(excess)/multiplier)
			}
		}
		worst = max(worst, math.Abs(excess))
	}
	if worst > 0 {
		t.Residual = max(t.Residual, worst/multiplier)
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
