package dual

import (
	"math"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// The demand of refresh.FixedOrder falls so steeply where a page is given up, from
// some 3% of its change rate to nothing within the last 10⁻¹⁶ of λ, that with many
// pages there are such flanks everywhere, and the multiplier of the whole often lies
// on one. Newton's method then goes on in small steps. But on a short interval the
// demand of all pages but a few, the steep ones, is a cubic to the last digit. Hence
// one pass finds the steep pages of an interval and the cubic, and the multiplier is
// found with these alone.

const (
	flankAfter   = 8       // observations of a few pages
	flankFrom    = 0x1p-10 // half the longest interval
	flankWindow  = 0x1p-4  // half the interval, in units of Newton's step
	flankLeast   = 0x1p-32 // and at least, beside one by the number of pages: rounding must not bend lines
	steepDefect  = 0x1p-18 // relative deviation from a line that makes a page steep
	steepDensity = 512     // pages that are steep, in units of all times half the interval
	mostSteep    = 1 << 18 // pages
)

// onFlank reports whether the search for the whole needs help. A few pages are
// quicker looked at once more.
func (s *solver) onFlank() bool {
	w, n := &s.whole, s.sweeper.problem.Len()
	if !w.slow && !w.unsteady() || n <= block && w.observed < flankAfter || w.observed < s.narrowed+2 {
		return false
	}
	_, half := s.around()
	return half >= flankLeast && half < flankFrom && steepDensity*half*float64(n) <= mostSteep
}

// around returns where the root is likely to be: half an interval on either side of
// its middle, in ln λ. It is that between the two sides of the search where they are
// nearer to each other than Newton's step is long.
func (s *solver) around() (middle, half float64) {
	w := &s.whole
	if half = math.Log(w.under.Multiplier/w.over.Multiplier) / 2; half < math.Abs(w.last.step()) {
		return math.Sqrt(w.over.Multiplier) * math.Sqrt(w.under.Multiplier), half
	}
	return w.secant(), max(flankLeast, flankWindow*math.Abs(w.last.step()), 1/float64(s.sweeper.problem.Len()))
}

// onInterval finds the end of the search for the whole on an interval, if it is
// there.
func (s *solver) onInterval() bool {
	middle, half := s.around()
	low := max(middle*math.Exp(-half), s.whole.over.Multiplier)
	high := min(middle*math.Exp(half), s.whole.under.Multiplier)
	if !(low < high) {
		s.narrowed = s.whole.observed
		return false
	}
	c := s.curveOn(low, high)
	s.narrowed = s.whole.observed
	return c != nil && s.searchOn(c)
}

// curve is the demand on an interval: that of the steep pages, and a cubic for the
// others.
type curve struct {
	steep      *sweeper
	low, high  Point
	steepAtLow doubledouble.Accumulator // demand of the steep pages
	width      float64                  // ln(high/low)
	drop       float64                  // of the others' demand
	slopes     [2]float64               // of the others at both ends
}

// curveOn looks at both ends of an interval. It returns nil where the root is not
// between them, or not the same hosts are capped at both, or there are too many
// steep pages.
func (s *solver) curveOn(low, high float64) *curve {
	found, few := s.lookAtEnds(low, high)
	c := &curve{low: s.whole.over, high: s.whole.under, width: math.Log1p((high - low) / low)}
	if !few || c.low.Multiplier != low || c.high.Multiplier != high || math.IsInf(c.low.Residual, 0) {
		return nil
	}
	p := s.sweeper.problem
	all := Problem{Objective: p.Objective, Bandwidth: p.Bandwidth, Fastest: p.Fastest}
	for r := range found {
		g, f := s.sweeper.layout.runs[r].group, &found[r]
		most := s.groups[g].cap
		capped := s.over[g].sum.Below(most) < 0
		if capped != (s.under[g].sum.Below(most) < 0) {
			return nil
		}
		if capped {
			continue
		}
		all.ChangeRates = append(all.ChangeRates, f.pages.ChangeRates...)
		all.Weights = append(all.Weights, f.pages.Weights...)
		all.Least = append(all.Least, f.pages.Least...)
		all.Greatest = append(all.Greatest, f.pages.Greatest...)
		c.slopes[0] += f.slopes[0]
		c.slopes[1] += f.slopes[1]
	}
	c.steep = newSweeper(&all, s.sweeper.team)
	c.steepAtLow = c.steep.demandAt(low).sum
	atHigh := c.steep.demandAt(high).sum
	c.drop = c.high.Residual - c.low.Residual - (c.steepAtLow.Sum() - atHigh.Sum())
	return c
}

// endsOfRun are the demands of a run at both ends of an interval, its steep pages,
// and the slopes of the others.
type endsOfRun struct {
	demands [2]demand
	pages   Problem
	slopes  [2]float64
}

// lookAtEnds observes the demand at both ends of an interval in one pass, the one
// nearer to the root last. It returns false if the steep pages are too many.
func (s *solver) lookAtEnds(low, high float64) (found []endsOfRun, few bool) {
	w := s.sweeper
	width := math.Log1p((high - low) / low)
	found = make([]endsOfRun, len(w.layout.runs))
	count := atomic.Int64{}
	w.pass(func(r int) {
		f := &found[r]
		w.chunks(r, func(b *buffer, from, to int) {
			n := to - from
			rates, slopes, others, otherSlopes := b.rates[:n], b.slopes[:n], b.others[:n], b.settled[:n]
			w.ask(b, rates, slopes, low)
			w.ask(b, others, otherSlopes, high)
			f.demands[0].add(rates, slopes)
			f.demands[1].add(others, otherSlopes)
			if count.Load() <= mostSteep {
				before := f.pages.Len()
				f.pickSteep(b, n, width, w.problem.Fastest)
				count.Add(int64(f.pages.Len() - before))
			}
		})
	})
	ends := [2][]demand{make([]demand, len(s.groups)), make([]demand, len(s.groups))}
	for r := range found {
		for end, d := range found[r].demands {
			ends[end][w.layout.runs[r].group].merge(d)
		}
	}
	if all := s.total(ends[0]); all.sum.Below(w.problem.Bandwidth) >= 0 {
		s.observe(high, ends[1])
		s.observe(low, ends[0])
	} else {
		s.observe(low, ends[0])
		s.observe(high, ends[1])
	}
	s.whole.slow = false // there is no progress from one to the other
	return found, count.Load() <= mostSteep
}

// pickSteep takes up those pages of the buffer whose demand is not linear on the
// interval, and the slopes of the others.
func (f *endsOfRun) pickSteep(b *buffer, n int, width, fastest float64) {
	rates, slopes, others, otherSlopes := b.rates[:n], b.slopes[:n], b.others[:n], b.settled[:n]
	p := &f.pages
	for i, rate := range rates {
		drop := rate - others[i]
		if line := (slopes[i] + otherSlopes[i]) / 2 * width; math.Abs(drop-line) > steepDefect*drop {
			weight := 1.0
			if b.weights != nil {
				weight = b.weights[i]
			}
			p.ChangeRates = append(p.ChangeRates, b.changeRates[i])
			p.Weights = append(p.Weights, weight)
			p.Least = append(p.Least, b.lowest(i))
			p.Greatest = append(p.Greatest, b.highest(i, fastest))
			slopes[i], otherSlopes[i] = 0, 0
		}
	}
	f.slopes[0] += plainSum(slopes)
	f.slopes[1] += plainSum(otherSlopes)
}

// at returns the demand at a multiplier of the interval.
func (c *curve) at(multiplier float64) Point {
	t := math.Log1p((multiplier-c.low.Multiplier)/c.low.Multiplier) / c.width
	// Hermite's cubic through 0 and drop.
	first, second := c.width*c.slopes[0], c.width*c.slopes[1]
	curvature := 3*c.drop - 2*first - second
	twist := first + second - 2*c.drop
	d := c.steep.demandAt(multiplier)
	fallen := c.steepAtLow
	fallen.Merge(d.sum.Neg())
	return Point{
		Multiplier: multiplier,
		Residual:   c.low.Residual + t*(first+t*(curvature+t*twist)) + fallen.Sum(),
		Slope:      (first+t*(2*curvature+3*t*twist))/c.width + d.slope,
	}
}

// searchOn sets the end of the whole to the root of a curve, if that is found. After
// a result that did not pass the test the search goes on with both sides of that root.
func (s *solver) searchOn(c *curve) bool {
	within := min(s.tolerance(), 0x1p-44)
	local := NewSearch(math.NaN(), c.slopes[0]+SteepSlope*s.sweeper.mean)
	local.Observe(c.at(c.low.Multiplier))
	local.Observe(c.at(c.high.Multiplier))
	if local.over.Multiplier == 0 || math.IsInf(local.under.Multiplier, 1) {
		return false
	}
	local.slow = false
	for n := 0; n < maxObservations && !local.Finished(within); n++ {
		multiplier := local.Next()
		if !(multiplier > c.low.Multiplier && multiplier < c.high.Multiplier) {
			return false
		}
		local.Observe(c.at(multiplier))
	}
	if s.level > 0 {
		s.lookAtEnds(local.over.Multiplier, local.under.Multiplier)
		return false
	}
	s.end = local.End(within)
	return true
}
