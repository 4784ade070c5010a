package refresh

import "math"

// tally is what a run or a group gets in the end.
type tally struct {
	used, value accumulator
	size        float64 // sum of the absolute values
	gap         float64 // how far the dual may lie above the values
	residual    float64 // greatest relative violation of the conditions of optimality
	atBounds    float64 // that of pages at their least or greatest rate
	greatest    float64 // greatest marginal value of a page that could take more
	active      int     // pages with a rate above 0
}

// merge adds the tally of the next run.
func (t *tally) merge(next *tally) {
	t.used.merge(next.used)
	t.value.merge(next.value)
	t.size += next.size
	t.gap += next.gap
	t.residual = max(t.residual, next.residual)
	t.atBounds = max(t.atBounds, next.atBounds)
	t.greatest = max(t.greatest, next.greatest)
	t.active += next.active
}

// settlePass writes the rates that the settlements of the groups say, and
// returns a tally for each run.
func (o *optimizer) settlePass(rates []float64, settlements []settlement) []tally {
	o.passes++
	tallies := make([]tally, len(o.runs))
	o.each(o.team, func(r int) {
		e := settlements[o.runs[r].group]
		t := tally{}
		o.chunks(o.runs[r], func(b *buffer, from, to int) {
			settled := b.settled[:to-from]
			price, wanted := o.settleChunk(b, settled, e)
			values, marginals := b.values[:to-from], b.marginals[:to-from]
			o.Objective.Measure(values, marginals, b.pages, settled)
			t.used.add(settled)
			t.value.add(values)
			o.check(b, &t, e.multiplier(), price, wanted)
			if o.order == nil {
				copy(rates[from:to], settled)
				return
			}
			for i, page := range o.order[from:to] {
				rates[page] = settled[i]
			}
		})
		tallies[r] = t
	})
	return tallies
}

// settleChunk fills in the rates of a chunk. It returns a multiplier and the
// demand at it, from which the rates are not far.
func (o *optimizer) settleChunk(b *buffer, settled []float64, e settlement) (price float64, wanted []float64) {
	n := len(settled)
	wanted, slopes := b.rates[:n], b.slopes[:n]
	o.ask(b, wanted, slopes, e.at)
	if e.share > 0 {
		others := b.others[:n]
		o.ask(b, others, slopes, e.other)
		for i, rate := range wanted {
			settled[i] = rate + e.share*(others[i]-rate)
		}
		if math.IsInf(e.at, 1) {
			return e.other, others
		}
		return e.at, wanted
	}
	for i, rate := range wanted {
		settled[i] = min(max(rate+e.step*slopes[i], b.lowest(i)), b.highest(i, o.fastest))
	}
	return e.at, wanted
}

// check adds to a tally by how much the rates of a chunk miss the conditions of
// optimality at the group's multiplier, and by how much the dual function at
// price may lie above their value. With x the rate and y the one that maximises
// f − price·x, concavity bounds that of each page:
//
//	f(y) − price·y ≤ f(x) − price·x + (f′(x) − price)·(y − x).
//
// The last term is small in itself, not a difference of large numbers.
func (o *optimizer) check(b *buffer, t *tally, multiplier, price float64, wanted []float64) {
	worst := 0.0 // of marginal − multiplier
	free := b.least == nil && b.greatest == nil && math.IsInf(o.fastest, 1)
	settled, values, marginals := b.settled[:len(wanted)], b.values[:len(wanted)], b.marginals[:len(wanted)]
	for i, want := range wanted {
		rate, marginal := settled[i], marginals[i]
		t.size += math.Abs(values[i])
		if free || rate < b.highest(i, o.fastest) {
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
			excess = o.excess(b, i, rate, excess)
			if excess != 0 && (rate == b.lowest(i) || rate == b.highest(i, o.fastest)) {
				t.atBounds = max(t.atBounds, math.Abs(excess)/multiplier)
			}
		}
		worst = max(worst, math.Abs(excess))
	}
	if worst > 0 {
		t.residual = max(t.residual, worst/multiplier)
	}
}

// excess returns by how much the marginal value of a page violates the
// conditions of optimality, given by how much it exceeds the multiplier.
func (o *optimizer) excess(b *buffer, i int, rate, excess float64) float64 {
	low, high := rate == b.lowest(i), rate == b.highest(i, o.fastest)
	switch {
	case low && high, math.IsInf(excess, -1):
		return 0
	case low:
		return max(0, excess)
	case high:
		return min(0, excess)
	}
	return excess
}
