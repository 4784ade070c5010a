package rates

// The multiplier of a budget: that of the bandwidth, or of the cap of a host.
//
// The demand of [refresh.FixedOrder] falls so steeply where a page is given up, from some 3% of
// its change rate to nothing within the last 10⁻¹⁶ of λ, that with many pages there are such
// flanks everywhere, and the multiplier often lies on one. Newton's method then goes on in
// small steps. But on a short interval the demand of all pages but a few, the steep ones, is
// a cubic to the last digit. Hence one pass finds the steep pages of an interval and the
// cubic, and the multiplier is found with these alone.

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

const (
	longInterval   = 0x1p64  // how many times a guess the first interval for few pages reaches up; for the whole also down, by the same factor
	widestInterval = 0x1p-11 // half the longest interval, in ln λ: up to there, a cubic misses less than rounding does
	slowInterval   = 0x1p-5  // length of the longest interval that is tried where the search makes no progress
	usualInterval  = 0x1p-14 // half the shortest interval, unless one of that length does not do: few pages are steep on it
	leastInterval  = 0x1p-40 // half the shortest of all: below, rounding makes straight lines look bent
	window         = 0x1p-3  // half the interval around Newton's multiplier, in units of the last step
	narrower       = 0x1p-10 // length of the next interval, relative to one that does not do
)

// root is the multiplier at which some groups of pages, each within its cap, demand a budget.
type root struct {
	search
	from            int       // the first group
	caps            []float64 // of the groups
	atOver, atUnder []demand  // of the groups on both sides, or next to what was found on an interval
	end             prices
	rest            float64 // of the budget, in the end

	first   prices  // a long interval to begin with, on which all pages may be steep
	widest  float64 // half the next interval, at most
	half    float64 // half the interval on which the root was found; 0 for none
	shorter bool    // the next interval has to be shorter than that
}

// newRoot returns a root of groups. The search for it begins at start. floors are what the groups
// demand at any price.
func newRoot(from int, caps []float64, floors []demand, budget, start float64) *root {
	r := &root{from: from, caps: caps, atOver: make([]demand, len(caps)), atUnder: floors, widest: widestInterval}
	all := r.total(r.atUnder)
	r.search = newSearch(budget, max(0, all.Sum.Below(budget)), start) // least rates may exceed it by their rounding
	r.end = r.search.end()
	return r
}

// total returns the demand of all groups, each within its cap.
func (r *root) total(groups []demand) demand {
	all := demand{}
	for g, most := range r.caps {
		if groups[g].Sum.Below(most) < 0 {
			all.Sum.Add(most)
			continue
		}
		all.merge(&groups[g])
	}
	return all
}

// observe takes up the demand of each group at a multiplier.
func (r *root) observe(s *search, multiplier float64, groups []demand) {
	all := r.total(groups)
	s.observe(point{multiplier, all.Sum.Below(s.budget), all.Slope})
	if s.last.residual >= 0 {
		r.atUnder = groups
	} else {
		r.atOver = groups
	}
	r.end = s.end()
}

// next returns where to look: at both ends of an interval on which the root is likely to be,
// half of it in ln λ on either side of its middle, or at one multiplier.
func (r *root) next() (at prices, open bool) {
	if r.half > 0 && !r.shorter || r.closed() {
		return at, false
	}
	if at, r.first = r.first, at; at.High > 0 {
		return at, true
	}
	center, half := r.newton(), max(window*math.Abs(r.last.step()), usualInterval)
	if r.shorter {
		if center, half = r.end.High, r.half*narrower; half < leastInterval {
			r.widest = 0 // from now on, single multipliers only
		}
	}
	if r.observed > 0 && half <= r.widest {
		at.Low, at.High = max(center*math.Exp(-half), r.over.multiplier), min(center*math.Exp(half), r.under.multiplier)
		if at.Low > 0 && at.Low < at.High && !math.IsInf(at.High, 1) {
			return at, true
		}
	}
	if low, high := r.over.multiplier, r.under.multiplier; r.slow && r.widest == widestInterval && high <= (1+slowInterval)*low {
		return prices{Low: low, High: high}, true
	}
	multiplier := r.search.next()
	return prices{Low: multiplier, High: multiplier}, true
}

// take takes up what a pass has found at the multipliers that next returned.
func (r *root) take(at prices, found []look, objective refresh.Objective, team *parallel.Team) {
	r.half, r.shorter = 0, false
	low, high := make([]demand, len(found)), make([]demand, len(found))
	for g := range found {
		low[g], high[g] = found[g].Low, found[g].High
	}
	if at.Low == at.High {
		r.observe(&r.search, at.Low, low)
		return
	}
	if all := r.total(low); all.Sum.Below(r.budget) >= 0 { // the end that is nearer to the root comes last
		r.observe(&r.search, at.High, high)
		r.observe(&r.search, at.Low, low)
	} else {
		r.observe(&r.search, at.Low, low)
		r.observe(&r.search, at.High, high)
	}
	r.slow = false // from one end to the other no progress is expected
	if r.over.multiplier != at.Low || r.under.multiplier != at.High || r.closed() {
		return
	}
	half := math.Log1p((at.High-at.Low)/at.Low) / 2
	c := newCurve(objective, at, found, team)
	if c == nil {
		r.widest = min(widestInterval, half/4)
		return
	}
	local := r.search
	for local.observed = 1; !local.closed(); {
		multiplier := local.next()
		r.observe(&local, multiplier, c.at(multiplier))
	}
	r.half = half
}

// columnsOf returns the numbers of pages.
func columnsOf(p *refresh.Pages) [len(absent)]*[]float64 {
	return [...]*[]float64{&p.ChangeRates, &p.Weights, &p.Recalls, &p.FalseRates, &p.LeastRates, &p.GreatestRates}
}

// absent has what each column stands for if it is nil.
var absent = [...]float64{0, 1, 0, 0, 0, math.Inf(1)}

// join appends pages to p. A column is nil only if it was nil in both.
func join(p, more *refresh.Pages) {
	size, columns := p.Len(), columnsOf(more)
	for c, column := range columnsOf(p) {
		added := *columns[c]
		switch {
		case *column == nil && added != nil:
			*column = slices.Repeat(absent[c:c+1], size)
		case *column != nil && added == nil:
			added = slices.Repeat(absent[c:c+1], more.Len())
		}
		*column = append(*column, added...)
	}
}

// look is the demand of a group at one multiplier, as Low, or at both ends of an interval. For
// an interval it also has the pages whose demand is not smooth there, and the slopes of the
// others.
type look struct {
	Low, High demand
	Slopes    [2]float64
	Steep     *refresh.Pages // nil: there are none
	TooMany   bool           // too many pages are steep, and Steep is nil
}

func (l *look) merge(other *look) {
	l.Low.merge(&other.Low)
	l.High.merge(&other.High)
	l.Slopes[0] += other.Slopes[0]
	l.Slopes[1] += other.Slopes[1]
	switch l.TooMany = l.TooMany || other.TooMany; {
	case l.TooMany:
		l.Steep = nil
	case l.Steep == nil:
		l.Steep = other.Steep
	case other.Steep != nil:
		join(l.Steep, other.Steep)
	}
}

const (
	steepDefect = 0x1p-18 // relative deviation from a line that makes a page steep
	mostSteep   = 1 << 21 // pages in all
)

// split finds the steep pages of a buffer, whose demand at both ends of an interval is known.
// If l then had more than most of them, it has TooMany.
func (l *look) split(b *buffer, n int, width float64, most int) {
	rates, slopes, others, otherSlopes := b.rates[:n], b.slopes[:n], b.others[:n], b.otherSlopes[:n]
	columns := columnsOf(&b.Pages)
	for i, rate := range rates {
		drop := rate - others[i]
		if line := (slopes[i] + otherSlopes[i]) / 2 * width; !(math.Abs(drop-line) > steepDefect*drop) {
			continue
		}
		slopes[i], otherSlopes[i] = 0, 0
		if l.Steep == nil {
			l.Steep = &refresh.Pages{}
		}
		if l.TooMany = l.TooMany || len(l.Steep.ChangeRates) >= most; l.TooMany {
			continue
		}
		for c, column := range columnsOf(l.Steep) {
			if numbers := *columns[c]; numbers != nil {
				*column = append(*column, numbers[i])
			}
		}
	}
	l.Slopes[0] += plainSum(slopes)
	l.Slopes[1] += plainSum(otherSlopes)
}

// curve is the demand of each group on an interval: that of its steep pages, and Hermite's
// cubic for the others.
type curve struct {
	low    float64
	width  float64 // ln(high/low)
	groups []look
	drops  []float64 // of the demand of the others
	steep  *memory   // the steep pages
	atLow  []demand  // of them
}

// newCurve returns the demand between two multipliers, nil where too many pages are steep.
func newCurve(objective refresh.Objective, at prices, groups []look, team *parallel.Team) *curve {
	all := look{Steep: &refresh.Pages{}}
	starts := []int{0}
	for g := range groups {
		all.merge(&groups[g])
		if all.TooMany {
			return nil
		}
		starts = append(starts, all.Steep.Len())
	}
	c := &curve{low: at.Low, width: math.Log1p((at.High - at.Low) / at.Low), groups: groups, drops: make([]float64, len(groups))}
	c.steep = newMemory(objective, *all.Steep, team)
	c.steep.cut(starts)
	c.atLow = c.steep.demandAt(at.Low)
	for g, atHigh := range c.steep.demandAt(at.High) {
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
