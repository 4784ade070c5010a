package dual

import (
	"math"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/internal/fixedpoint"
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
	flankWindow  = 0x1p-3  // half the interval, in units of Newton's step
	flankFirst   = 4       // half the interval after the first step, in units of its square, at least
	flankLeast   = 0x1p-32 // and at least, beside one by the number of pages: rounding must not bend lines
	steepDefect  = 0x1p-18 // relative deviation from a line that makes a page steep
	steepDensity = 128     // pages that are steep, in units of all times half the interval
	mostSteep    = 1 << 21 // pages
)

// onFlank reports whether the search for the whole needs help. A few pages are
// quicker looked at once more.
func (s *solver) onFlank() bool {
	w, n := &s.whole, s.sweeper.problem.Len()
	atOnce := s.early() && n > block
	if !atOnce && (!w.slow && !w.unsteady() || n <= block && w.observed < flankAfter || w.observed < s.narrowed+2) {
		return false
	}
	if length, _ := w.cells(w.last); length < 2 && w.grid < everyFloat {
		return false // the end is near
	}
	_, half := s.around()
	return half >= flankLeast && half < flankFrom && steepDensity*half*float64(n) <= mostSteep
}

// early reports whether the search is on its way to the first interval, which need not wait
// for trouble where there are flanks.
func (s *solver) early() bool {
	p := s.sweeper.problem
	return p.Flanks && p.Hosts == nil && s.narrowed == 0 && s.whole.observed > 0
}

// around returns where the root is likely to be: half an interval on either side of
// its middle, in ln λ. It is that between the two sides of the search where they are
// nearer to each other than Newton's step is long. What a first step of Newton's leaves is
// of the order of its square.
func (s *solver) around() (middle, half float64) {
	w, step := &s.whole, math.Abs(s.whole.last.step())
	if s.early() {
		if half = max(flankLeast, flankWindow*step); half < flankFirst*step*step {
			half = math.Inf(1)
		}
		if w.observed == 1 {
			return w.newton(), half
		}
		return w.secant(), half
	}
	if half = math.Log(w.under.Multiplier/w.over.Multiplier) / 2; half < step {
		return math.Sqrt(w.over.Multiplier) * math.Sqrt(w.under.Multiplier), half
	}
	return w.secant(), max(flankLeast, flankWindow*step, 1/float64(s.sweeper.problem.Len()))
}

// onInterval finds the next multiplier to look at on an interval, if the root is there.
func (s *solver) onInterval() {
	middle, half := s.around()
	low := max(s.grid().nearest(middle*math.Exp(-half)), s.whole.over.Multiplier)
	high := min(s.grid().nearest(middle*math.Exp(half)), s.whole.under.Multiplier)
	if low < high {
		if c := s.curveOn(low, high); c != nil {
			s.searchOn(c)
		}
	}
	s.narrowed = s.whole.observed
}

// curve is the demand on an interval: that of the steep pages, and a cubic for the
// others.
type curve struct {
	steep      *sweeper
	low, high  Point
	steepAtLow fixedpoint.Sum // demand of the steep pages
	width      float64        // ln(high/low)
	drop       float64        // of the others' demand
	slopes     [2]float64     // of the others at both ends
}

// curveOn looks at both ends of an interval. It returns nil where the root is not
// between them, or not the same hosts are capped at both, or there are too many
// steep pages.
func (s *solver) curveOn(low, high float64) *curve {
	found := s.lookAtEnds(low, high)
	c := &curve{low: s.whole.over, high: s.whole.under, width: math.Log1p((high - low) / low)}
	if tooMany(found) || c.low.Multiplier != low || c.high.Multiplier != high || math.IsInf(c.low.Residual, 0) {
		return nil
	}
	p := s.sweeper.problem
	all := Problem{Objective: p.Objective, Bandwidth: p.Bandwidth, Fastest: p.Fastest}
	for r := range found {
		g, f := s.sweeper.layout.runs[r].group, &found[r]
		most := s.groups[g].cap
		capped := s.over[g].Sum.Below(s.sweeper.scales[g], most) < 0
		if capped != (s.under[g].Sum.Below(s.sweeper.scales[g], most) < 0) {
			return nil
		}
		if capped {
			continue
		}
		all.ChangeRates = append(all.ChangeRates, f.Steep.ChangeRates...)
		all.Weights = append(all.Weights, f.Steep.Weights...)
		all.Least = append(all.Least, f.Steep.Least...)
		all.Greatest = append(all.Greatest, f.Steep.Greatest...)
		c.slopes[0] += f.Slopes[0]
		c.slopes[1] += f.Slopes[1]
	}
	c.steep = newSweeper(&all, s.sweeper.team)
	c.steepAtLow = c.steep.demandAt(low).Sum
	atHigh := c.steep.demandAt(high).Sum
	c.drop = c.high.Residual - c.low.Residual - c.steepAtLow.Minus(c.steep.scale, atHigh)
	return c
}

// Ends are the demands of a run at both ends of an interval, its steep pages,
// and the slopes of the others.
type Ends struct {
	Demands [2]Demand
	Steep   Pages
	TooMany bool // pages are steep: then Steep holds none
	Slopes  [2]float64
}

// limit leaves the steep pages out where they are more than most.
func (e *Ends) limit(most int) {
	if e.TooMany = e.TooMany || len(e.Steep.ChangeRates) > most; e.TooMany {
		e.Steep = Pages{}
	}
}

// tooMany reports whether the steep pages of all runs are too many.
func tooMany(found []Ends) bool {
	steep := 0
	for r := range found {
		if found[r].TooMany {
			return true
		}
		steep += len(found[r].Steep.ChangeRates)
	}
	return steep > mostSteep
}

// lookAtEnds observes the demand at both ends of an interval in one pass.
func (s *solver) lookAtEnds(low, high float64) []Ends {
	found := s.sweeper.ends(low, high)
	ends := [2][]Demand{make([]Demand, len(s.groups)), make([]Demand, len(s.groups))}
	for r := range found {
		for end, d := range found[r].Demands {
			ends[end][s.sweeper.layout.runs[r].group].merge(d)
		}
	}
	s.observeEnds(low, high, ends[0], ends[1])
	return found
}

// observeEnds takes up the demand at both ends of an interval, the one nearer to the root
// last.
func (s *solver) observeEnds(low, high float64, atLow, atHigh []Demand) {
	if all := s.total(atLow); all.Sum.Below(s.sweeper.scale, s.sweeper.problem.Bandwidth) >= 0 {
		s.observe(high, atHigh)
		s.observe(low, atLow)
	} else {
		s.observe(low, atLow)
		s.observe(high, atHigh)
	}
	s.whole.slow = false // there is no progress from one to the other
}

// ends looks at both ends of an interval.
func (w *sweeper) ends(low, high float64) []Ends {
	if w.problem.Remote != nil {
		return remotely(w, make([]Ends, len(w.layout.runs)), func(r Remote) ([]Ends, error) { return r.Ends(low, high) })
	}
	width := math.Log1p((high - low) / low)
	found := make([]Ends, len(w.layout.runs))
	count := atomic.Int64{}
	w.pass(func(r int) {
		f, on := &found[r], w.scales[w.layout.runs[r].group]
		w.chunks(r, func(b *buffer, from, to int) {
			n := to - from
			rates, slopes, others, otherSlopes := b.rates[:n], b.slopes[:n], b.others[:n], b.settled[:n]
			w.ask(b, rates, slopes, low)
			w.ask(b, others, otherSlopes, high)
			f.Demands[0].add(on, rates, slopes)
			f.Demands[1].add(on, others, otherSlopes)
			if count.Load() <= mostSteep {
				before := len(f.Steep.ChangeRates)
				f.pickSteep(b, n, width, w.problem.Fastest)
				count.Add(int64(len(f.Steep.ChangeRates) - before))
			}
		})
	})
	return found
}

// pickSteep takes up those pages of the buffer whose demand is not linear on the
// interval, and the slopes of the others.
func (e *Ends) pickSteep(b *buffer, n int, width, fastest float64) {
	rates, slopes, others, otherSlopes := b.rates[:n], b.slopes[:n], b.others[:n], b.settled[:n]
	p := &e.Steep
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
	e.Slopes[0] += plainSum(slopes)
	e.Slopes[1] += plainSum(otherSlopes)
}

// at returns the demand at a multiplier of the interval.
func (c *curve) at(multiplier float64) Point {
	t := math.Log1p((multiplier-c.low.Multiplier)/c.low.Multiplier) / c.width
	// Hermite's cubic through 0 and drop.
	first, second := c.width*c.slopes[0], c.width*c.slopes[1]
	curvature := 3*c.drop - 2*first - second
	twist := first + second - 2*c.drop
	d := c.steep.demandAt(multiplier)
	return Point{
		Multiplier: multiplier,
		Residual:   c.low.Residual + t*(first+t*(curvature+t*twist)) + c.steepAtLow.Minus(c.steep.scale, d.Sum),
		Slope:      (first+t*(2*curvature+3*t*twist))/c.width + d.Slope.Float(c.steep.scale),
	}
}

// searchOn looks for the root of a curve, which is near the next multiplier to look at.
// Where the demand jumps there, it looks at both neighbours on the grid.
func (s *solver) searchOn(c *curve) {
	const within = 0x1p-50
	local := NewSearch(math.NaN(), c.slopes[0]+SteepSlope*s.sweeper.mean)
	local.Observe(c.at(c.low.Multiplier))
	local.Observe(c.at(c.high.Multiplier))
	if local.over.Multiplier == 0 || math.IsInf(local.under.Multiplier, 1) {
		return
	}
	local.slow = false
	for n := 0; n < maxObservations && !local.Finished(within); n++ {
		multiplier := local.Next()
		if !(multiplier > c.low.Multiplier && multiplier < c.high.Multiplier) {
			return
		}
		local.Observe(c.at(multiplier))
	}
	end := local.End(within)
	if s.next = end.Multiplier(); end.Share > 0 {
		s.jump = local.over.Multiplier
		s.lookAtJump()
	}
}

// lookAtJump looks at the two points of the grid beside a jump of the demand that a curve
// has shown, and, in the same pass, at those beside it on all finer grids.
func (s *solver) lookAtJump() {
	low := s.grid().step(s.jump, 0)
	high := s.grid().step(low, 1)
	s.next = 0
	if low >= s.whole.over.Multiplier && high <= s.whole.under.Multiplier {
		if s.ahead[low] == nil || s.ahead[high] == nil {
			var points []float64
			for _, on := range grids[s.level:] {
				below := on.step(s.jump, 0)
				points = append(points, below, on.step(below, 1))
			}
			s.lookAhead(points)
		}
		atLow, atHigh := make([]Demand, len(s.groups)), make([]Demand, len(s.groups))
		s.demandsAt(low, atLow)
		s.demandsAt(high, atHigh)
		s.observeEnds(low, high, atLow, atHigh)
	}
	if s.grid() == everyFloat {
		s.jump = 0
	}
}
