package refresh

import (
	"context"
	"math"
	"sync/atomic"
)

// The demand of [FixedOrder] falls so steeply where a page is given up, from some
// 3% of its change rate to nothing within the last 10⁻¹⁶ of λ, that with many
// pages there are such flanks everywhere, and the multiplier of the whole often
// lies on one. Newton's method then goes on in small steps, and the rates of the
// steep pages need the two float64 next to the multiplier. But on a short
// interval all others together are a cubic to the last digit. Hence one pass finds
// the steep pages of an interval and the cubic, the multiplier is found with these
// alone, and a pass there confirms it.

const (
	steepAfter  = 8       // observations of a few pages
	steepFrom   = 0x1p-8  // half the longest interval
	steepLate   = 0x1p-20 // half the longest one without trouble before
	steepWindow = 0x1p-4  // half the interval, in units of Newton's step
	steepLeast  = 0x1p-32 // and at least, beside one by the number of pages: rounding must not bend lines
	steepLinear = 0x1p-18 // relative deviation from a line that makes a page steep
	steepShare  = 512     // pages that are steep, in units of all times half the interval
	mostSteep   = 1 << 18 // pages
	steepTries  = 3
)

// isSteep reports whether the search for the whole needs help. A few pages are
// quicker looked at once more.
func (s *solver) isSteep() bool {
	w := &s.whole
	if s.Len() <= block && w.observed < steepAfter {
		return false
	}
	_, half := s.around()
	trouble := w.slow || w.unsteady() || half < steepLate && w.last.steepest > steepRate
	return trouble && w.observed >= s.steepened+2 && half >= steepLeast && half < steepFrom && steepShare*half*float64(s.Len()) <= mostSteep
}

// around returns where the root is likely to be: half an interval on either side
// of its middle, in ln λ. It is that between the two sides of the search where
// they are nearer to each other than Newton's step is long.
func (s *solver) around() (middle, half float64) {
	w := &s.whole
	if half = math.Log(w.under.multiplier/w.over.multiplier) / 2; half < math.Abs(w.last.step()) {
		return math.Sqrt(w.over.multiplier) * math.Sqrt(w.under.multiplier), half
	}
	return w.secant(), max(steepLeast, steepWindow*math.Abs(w.last.step()), 1/float64(s.Len()))
}

// steepen finds the multiplier of the whole on an interval, if it is there.
func (s *solver) steepen(ctx context.Context) {
	middle, half := s.around()
	low := max(middle*math.Exp(-half), s.whole.over.multiplier)
	high := min(middle*math.Exp(half), s.whole.under.multiplier)
	if !(low < high) {
		s.steepened = s.whole.observed
		s.look(s.whole.next())
		return
	}
	r := s.reduce(low, high)
	for try := 0; r != nil && try < steepTries && ctx.Err() == nil; try++ {
		local := r.search()
		if local.over.multiplier == 0 || math.IsInf(local.under.multiplier, 1) {
			break
		}
		if local.arrived(narrow) && !local.steep() {
			s.look(local.last.multiplier)
		} else {
			s.lookBoth(local.over.multiplier, local.under.multiplier, nil)
		}
		if s.whole.arrived(tolerances[s.tolerance]) || s.whole.closed() {
			break
		}
		r.offset += s.whole.last.residual - r.at(s.whole.last.multiplier).residual
	}
	s.steepened = s.whole.observed
}

// flanks are the steep pages of a run, and the slopes of the others at both ends
// of the interval.
type flanks struct {
	Problem
	low, high float64
}

// reduced is the demand on an interval: that of the steep pages, and a cubic.
type reduced struct {
	steep     *optimizer
	low, high point
	steepLow  accumulator // of low
	width     float64     // ln(high/low)
	drop      float64     // of the others' demand
	slopes    [2]float64  // of the others at both ends
	offset    float64     // of the residuals, by what the cubic has missed
}

// reduce looks at both ends of an interval, and returns nil where the root is not
// between them, or there is not the same for all hosts, or there are too many
// steep pages.
func (s *solver) reduce(low, high float64) *reduced {
	found := make([]flanks, len(s.runs))
	if !s.lookBoth(low, high, found) {
		return nil
	}
	r := &reduced{low: s.whole.over, high: s.whole.under, width: math.Log1p((high - low) / low)}
	if r.low.multiplier != low || r.high.multiplier != high || math.IsInf(r.low.residual, 0) {
		return nil
	}
	all := Problem{Objective: s.Objective, Bandwidth: s.Bandwidth}
	for i := range found {
		g, p := s.runs[i].group, &found[i]
		capped := s.over[g].sum.below(s.caps[g]) < 0
		if capped != (s.under[g].sum.below(s.caps[g]) < 0) {
			return nil
		}
		if capped {
			continue
		}
		all.ChangeRates = append(all.ChangeRates, p.ChangeRates...)
		all.Weights = append(all.Weights, p.Weights...)
		all.Least = append(all.Least, p.Least...)
		all.Greatest = append(all.Greatest, p.Greatest...)
		r.slopes[0] += p.low
		r.slopes[1] += p.high
	}
	r.steep = newOptimizer(&all, s.team)
	r.steep.mean = s.mean
	r.steepLow = r.steep.demandAt(low).sum
	steepHigh := r.steep.demandAt(high).sum
	r.drop = r.high.residual - r.low.residual - (r.steepLow.value() - steepHigh.value())
	return r
}

// lookBoth observes the demand at two multipliers in one pass, the one nearer to
// the root last. It collects the steep pages where found is not nil, and returns
// false if they are too many.
func (s *solver) lookBoth(low, high float64, found []flanks) bool {
	width := math.Log1p((high - low) / low)
	demands := make([][2]demand, len(s.runs))
	count := atomic.Int64{}
	s.passes++
	s.each(s.team, func(r int) {
		s.chunks(s.runs[r], func(b *buffer, from, to int) {
			n := to - from
			rates, slopes, others, otherSlopes := b.rates[:n], b.slopes[:n], b.others[:n], b.settled[:n]
			s.ask(b, rates, slopes, low)
			s.ask(b, others, otherSlopes, high)
			s.note(&demands[r][0], rates, slopes)
			s.note(&demands[r][1], others, otherSlopes)
			if found != nil && count.Load() <= mostSteep {
				before := found[r].Len()
				s.findSteep(&found[r], b, width)
				count.Add(int64(found[r].Len() - before))
			}
		})
	})
	atLow, atHigh := make([]demand, s.groups), make([]demand, s.groups)
	for r, d := range demands {
		atLow[s.runs[r].group].merge(d[0])
		atHigh[s.runs[r].group].merge(d[1])
	}
	if all := s.total(atLow); all.sum.below(s.Bandwidth) >= 0 {
		s.observe(high, atHigh)
		s.observe(low, atLow)
	} else {
		s.observe(low, atLow)
		s.observe(high, atHigh)
	}
	s.whole.slow = false // there is no progress from one to the other
	return count.Load() <= mostSteep
}

// findSteep adds those pages of the buffer to p whose demand is not linear between
// two multipliers, and the slopes of the others.
func (s *solver) findSteep(p *flanks, b *buffer, width float64) {
	n := b.pages.Len()
	rates, slopes, others, otherSlopes := b.rates[:n], b.slopes[:n], b.others[:n], b.settled[:n]
	for i, rate := range rates {
		drop := rate - others[i]
		if line := (slopes[i] + otherSlopes[i]) / 2 * width; math.Abs(drop-line) > steepLinear*drop {
			p.ChangeRates = append(p.ChangeRates, b.pages.ChangeRates[i])
			p.Weights = append(p.Weights, b.pages.Weight(i))
			p.Least = append(p.Least, b.lowest(i))
			p.Greatest = append(p.Greatest, b.highest(i, s.fastest))
			slopes[i], otherSlopes[i] = 0, 0
		}
	}
	p.low += plainSum(slopes)
	p.high += plainSum(otherSlopes)
}

// at returns the demand at a multiplier of the interval.
func (r *reduced) at(multiplier float64) point {
	t := math.Log1p((multiplier-r.low.multiplier)/r.low.multiplier) / r.width
	// Hermite's cubic through 0 and drop.
	first, second := r.width*r.slopes[0], r.width*r.slopes[1]
	curvature := 3*r.drop - 2*first - second
	twist := first + second - 2*r.drop
	d := r.steep.demandAt(multiplier)
	fallen := r.steepLow
	fallen.merge(accumulator{-d.sum.high, -d.sum.low})
	return point{
		multiplier: multiplier,
		residual:   r.low.residual + r.offset + t*(first+t*(curvature+t*twist)) + fallen.value(),
		slope:      (first+t*(2*curvature+3*t*twist))/r.width + d.slope,
		steepest:   d.steepest,
	}
}

// search finds the root on the interval.
func (r *reduced) search() search {
	local := newSearch(math.NaN())
	local.observe(r.at(r.low.multiplier))
	local.observe(r.at(r.high.multiplier))
	local.slow = false
	for n := 0; n < maxObservations && !local.arrived(0) && !local.closed(); n++ {
		multiplier := local.next()
		if !(multiplier > r.low.multiplier && multiplier < r.high.multiplier) {
			break
		}
		local.observe(r.at(multiplier))
	}
	return local
}
