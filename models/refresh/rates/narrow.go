package rates

// The demand on a short interval.
//
// The demand of [refresh.FixedOrder] falls so steeply where a page is given up, from some 3% of its
// change rate to nothing within the last 10⁻¹⁶ of λ, that with many pages there are such
// flanks everywhere, and the multiplier often lies on one. Newton's method then goes on in
// small steps. But on a short interval the demand of all pages but a few, the steep ones, is
// a cubic to the last digit. Hence one pass finds the steep pages of an interval and the
// cubic, and the multiplier is found with these alone.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

const (
	widestInterval = 0x1p-11 // half the longest interval, in ln λ: rounding hides what a cubic misses
	leastInterval  = 0x1p-40 // half the shortest: rounding must not bend lines
	window         = 0x1p-3  // half the interval, in units of Newton's step
	squareWindow   = 4       // half the interval, in units of its square, at least
	narrower       = 0x1p-10 // factor of the next interval where one does not do
	steepDefect    = 0x1p-18 // relative deviation from a line that makes a page steep
	mostSteep      = 1 << 21 // pages
)

// steepPages are pages whose demand is not smooth on an interval.
type steepPages struct {
	Pages           refresh.Pages
	Least, Greatest []float64
}

func (p *steepPages) merge(other *steepPages) {
	p.Pages.ChangeRates = append(p.Pages.ChangeRates, other.Pages.ChangeRates...)
	p.Pages.Weights = append(p.Pages.Weights, other.Pages.Weights...)
	p.Pages.Recalls = append(p.Pages.Recalls, other.Pages.Recalls...)
	p.Pages.FalseRates = append(p.Pages.FalseRates, other.Pages.FalseRates...)
	p.Least = append(p.Least, other.Least...)
	p.Greatest = append(p.Greatest, other.Greatest...)
}

// between is the demand of a group at both ends of an interval, its steep pages, and the
// slopes of the others.
type between struct {
	Low, High demand
	Slopes    [2]float64
	Steep     *steepPages // nil: there are none
	TooMany   bool        // pages are steep: then Steep is nil
}

func (b *between) merge(other *between) {
	b.Low.merge(&other.Low)
	b.High.merge(&other.High)
	b.Slopes[0] += other.Slopes[0]
	b.Slopes[1] += other.Slopes[1]
	b.TooMany = b.TooMany || other.TooMany
	if other.Steep != nil {
		if b.Steep == nil {
			b.Steep = &steepPages{}
		}
		b.Steep.merge(other.Steep)
	}
	b.limit(mostSteep)
}

// size returns the number of steep pages.
func (b *between) size() int {
	if b.Steep == nil {
		return 0
	}
	return b.Steep.Pages.Len()
}

// limit leaves the steep pages out where they are more than most.
func (b *between) limit(most int) {
	if b.TooMany = b.TooMany || b.size() > most; b.TooMany {
		b.Steep = nil
	}
}

// add takes up the pages of a buffer, whose rates and slopes at both ends are known.
func (b *between) add(of *buffer, n int, width float64) {
	rates, slopes, others, otherSlopes := of.rates[:n], of.slopes[:n], of.others[:n], of.otherSlopes[:n]
	b.Low.add(rates, slopes)
	b.High.add(others, otherSlopes)
	for i, rate := range rates {
		drop := rate - others[i]
		if line := (slopes[i] + otherSlopes[i]) / 2 * width; math.Abs(drop-line) > steepDefect*drop {
			if b.Steep == nil {
				b.Steep = &steepPages{}
			}
			b.Steep.append(of, i)
			slopes[i], otherSlopes[i] = 0, 0
		}
	}
	b.Slopes[0] += plainSum(slopes)
	b.Slopes[1] += plainSum(otherSlopes)
}

// append adds page i of a buffer.
func (p *steepPages) append(of *buffer, i int) {
	p.Pages.ChangeRates = append(p.Pages.ChangeRates, of.pages.ChangeRates[i])
	p.Pages.Weights = append(p.Pages.Weights, of.pages.Weight(i))
	p.Pages.Recalls = append(p.Pages.Recalls, of.pages.Recall(i))
	p.Pages.FalseRates = append(p.Pages.FalseRates, of.pages.FalseRate(i))
	p.Least = append(p.Least, of.lowest(i))
	p.Greatest = append(p.Greatest, of.highest(i))
}

// curve is the demand of each group on an interval: that of its steep pages, and Hermite's
// cubic for the others.
type curve struct {
	low    float64
	width  float64 // ln(high/low)
	groups []between
	drops  []float64 // of the demand of the others
	steep  *memory   // the steep pages
	atLow  []demand  // of them
}

// newCurve returns the demand between two multipliers, nil where too many pages are steep.
func newCurve(p *refresh.Problem, low, high float64, groups []between, team *parallel.Team) *curve {
	all := &steepPages{}
	starts := []int{0}
	for g := range groups {
		if groups[g].TooMany || all.Pages.Len()+groups[g].size() > mostSteep {
			return nil
		}
		if groups[g].Steep != nil {
			all.merge(groups[g].Steep)
		}
		starts = append(starts, all.Pages.Len())
	}
	c := &curve{low: low, width: math.Log1p((high - low) / low), groups: groups, drops: make([]float64, len(groups))}
	c.steep = newMemory(&refresh.Problem{Pages: all.Pages, Objective: p.Objective, Bandwidth: p.Bandwidth, Least: all.Least, Greatest: all.Greatest}, team)
	c.steep.cut(starts)
	c.atLow = c.steep.demandAt(low)
	for g, atHigh := range c.steep.demandAt(high) {
		drop := groups[g].Low.Sum
		for _, part := range []doubledouble.Accumulator{groups[g].High.Sum.Neg(), c.atLow[g].Sum.Neg(), atHigh.Sum} {
			drop.Merge(part)
		}
		c.drops[g] = drop.Sum()
	}
	return c
}

// at returns the demand of each group at a multiplier of the interval.
func (c *curve) at(multiplier float64) []demand {
	t := math.Log1p((multiplier-c.low)/c.low) / c.width
	found := c.steep.demandAt(multiplier)
	for g := range found {
		d, of := &found[g], &c.groups[g]
		first, second := c.width*of.Slopes[0], c.width*of.Slopes[1]
		curvature := 3*c.drops[g] - 2*first - second
		twist := first + second - 2*c.drops[g]
		d.Sum.Merge(of.Low.Sum)
		d.Sum.Merge(c.atLow[g].Sum.Neg())
		d.Sum.Add(-t * (first + t*(curvature+t*twist)))
		d.Slope += (first + t*(2*curvature+3*t*twist)) / c.width
	}
	return found
}

// interval returns where the root is likely to be: half an interval on either side of its
// middle, in ln λ.
func (s *solver) interval() (center, half float64) {
	if s.root > 0 {
		return s.root, s.half * narrower
	}
	w := &s.whole
	if w.observed == 0 || w.observed < s.tried+2 {
		return 0, math.Inf(1)
	}
	step := math.Abs(w.last.step())
	if half = math.Log(w.under.multiplier/w.over.multiplier) / 2; half < window*step {
		return middle(w.over.multiplier, w.under.multiplier), half
	}
	if center = w.newton(); w.observed > 1 {
		center = w.secant()
	}
	return center, max(window*step, squareWindow*step*step, leastInterval)
}

// narrow looks for the root on a short interval. It reports whether it is there.
func (s *solver) narrow() (found bool, err error) {
	center, half := s.interval()
	s.root = 0
	if s.size.pages <= block || !(half <= s.widest && half >= leastInterval) {
		return false, nil
	}
	w := &s.whole
	low, high := max(center*math.Exp(-half), w.over.multiplier), min(center*math.Exp(half), w.under.multiplier)
	if !(low < high && low > 0 && !math.IsInf(high, 1)) {
		return false, nil
	}
	groups, err := s.pages.between(low, high)
	if err != nil {
		return false, err
	}
	s.passes++
	atLow, atHigh := make([]demand, len(groups)), make([]demand, len(groups))
	for g := range groups {
		atLow[g], atHigh[g] = groups[g].Low, groups[g].High
	}
	if all := s.total(atLow); all.Sum.Below(s.problem.Bandwidth) >= 0 { // the one nearer to the root comes last
		s.observe(high, atHigh)
		s.observe(low, atLow)
	} else {
		s.observe(low, atLow)
		s.observe(high, atHigh)
	}
	w.slow = false // there is no progress from one to the other
	s.tried = w.observed
	if w.over.multiplier != low || w.under.multiplier != high {
		return false, nil
	}
	c := newCurve(s.problem, low, high, groups, s.team)
	if c == nil {
		s.widest = half / 4
		return false, nil
	}
	local := newSearch(0)
	over, under := atLow, atHigh
	local.over, local.under, local.last, local.observed = w.over, w.under, w.last, 1
	for n := 0; n < maxObservations && !local.closed(); n++ {
		multiplier := local.next()
		totals := c.at(multiplier)
		local.observe(s.point(multiplier, totals))
		if local.last.residual >= 0 {
			under = totals
		} else {
			over = totals
		}
	}
	s.end, s.over, s.under = local.end(), over, under
	s.root, s.half = local.under.multiplier, half
	return true, nil
}
