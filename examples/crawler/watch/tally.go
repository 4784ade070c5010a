// This file computes what a pool costs: so far, in the last minute, and how sure that is.

package watch

import (
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/internal/confidence"
)

// tally measures the runs of a pool, without their times to warm up.
type tally struct {
	gamma, unit float64    // of the cost; unit in seconds
	before      crawl.Sums // of the runs that have ended

	// Of the present run.
	meter       *crawl.Meter
	from, until time.Time  // what is counted of it
	base        crawl.Sums // of the meter at from
	counting    bool       // from has passed

	seconds int            // whole ones counted, over all runs
	minute  [61]crawl.Sums // at the last whole seconds, a ring
	batches batches
}

// forever is the length of a run of which nobody knows when it ends.
const forever = math.MaxInt64 / 2 * time.Nanosecond

// start begins a run. The one before has been advanced to now.
func (t *tally) start(r Run, now time.Time) {
	if t.meter != nil {
		t.before = t.sums(now)
	}
	t.gamma, t.unit = r.Gamma, r.Unit.Seconds()
	t.meter, t.counting, t.base = crawl.NewMeter(r.Switch, now), r.WarmUp == 0, crawl.Sums{}
	length := r.Length
	if length == 0 {
		length = forever
	}
	t.from, t.until = now.Add(r.WarmUp), now.Add(length)
	t.batches.length = max(t.batches.length, 1)
}

// sums returns the sums of all that has been counted until now, to which the tally has been advanced.
func (t *tally) sums(now time.Time) crawl.Sums {
	if now.After(t.until) {
		now = t.until
	}
	if !t.counting {
		return t.before
	}
	run := t.meter.Sums(now).Minus(t.base)
	return run.Minus(crawl.Sums{}.Minus(t.before))
}

// advance lets the time pass until now, which is not after the end of the run.
func (t *tally) advance(now time.Time) {
	if now.Before(t.from) {
		return
	}
	if !t.counting {
		t.base, t.counting = t.meter.Sums(t.from), true
	}
	for {
		left := float64(t.seconds+1) - t.before.Time
		next := t.from.Add(time.Duration(left * float64(time.Second)))
		if next.After(now) {
			return
		}
		t.seconds++
		sums := t.sums(next)
		t.minute[t.seconds%len(t.minute)] = sums
		if t.seconds%t.batches.length == 0 {
			t.batches.add(t.cost(sums.Minus(t.batches.from)))
			t.batches.from = sums
		}
	}
}

// cost returns γS + L per unit of time; NaN if no time has passed.
func (t *tally) cost(s crawl.Sums) float64 { return t.gamma*s.Starvation() + s.LossRate()*t.unit }

// lastMinute returns the cost of the last minute; NaN if less has been counted.
func (t *tally) lastMinute(now crawl.Sums) float64 {
	if t.seconds < len(t.minute)-1 {
		return math.NaN()
	}
	return t.cost(now.Minus(t.minute[(t.seconds+1)%len(t.minute)]))
}

const (
	mostBatches  = 40 // then neighbours are put together
	leastBatches = 10 // before there is an interval
)

// batches are the costs of stretches of equal length. The longer all runs, the longer they are,
// so that their costs hardly depend on each other.
type batches struct {
	length int        // of a batch, in seconds
	from   crawl.Sums // at the end of the last batch
	costs  []float64
}

func (b *batches) add(cost float64) {
	b.costs = append(b.costs, cost)
	if len(b.costs) < mostBatches {
		return
	}
	for i := range mostBatches / 2 {
		b.costs[i] = (b.costs[2*i] + b.costs[2*i+1]) / 2
	}
	b.costs = b.costs[:mostBatches/2]
	b.length *= 2
}

// halfWidth returns that of the 95 % confidence interval of the mean; NaN as long as there are
// too few batches for one.
func (b *batches) halfWidth() float64 {
	if len(b.costs) < leastBatches {
		return math.NaN()
	}
	_, half := confidence.Mean(b.costs, 0.95)
	return half
}
