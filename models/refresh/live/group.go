package live

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/internal/dual"
)

// group is pages that see one multiplier: those of a host whose cap matters, or all
// whose hosts' caps do not. Each page is on the level of the widest window on which its
// rate is smooth, or at rest, where it is asked for its rate whenever it is needed.
type group struct {
	levels []*level // each narrower than the one before
	rest   []int32
	limit  int // of pages at rest, from which on narrower windows are made
	end    dual.Settlement
	solved bool
}

// level is a window with what is summed up on it.
type level struct {
	window
	pages  []int32                  // not listed on the widest level of the open pages
	hosts  []int32                  // whose caps matter, or do not, all over the window
	capped doubledouble.Accumulator // the caps of those for which they do
}

// What levelOf says of pages that are on no level.
const (
	atRest = -1
	gone   = -2 // it has left the set
)

const (
	widest    = 0x1p-5  // half-width of a window, in ln λ
	narrowest = 0x1p-20 // and below it rounding moves the nodes
	narrowing = 8       // from one level to the next
	mostRest  = 64      // pages at rest that take no more time than a level
)

// demands is room for the demand of some pages, whose numbers lie next to each other.
type demands struct {
	pages                    refresh.Pages
	least, greatest          []float64
	rates, slopes, marginals []float64
}

// gather copies the numbers of some pages.
func (d *demands) gather(s *Set, pages []int32) {
	n := len(pages)
	for _, numbers := range []*[]float64{&d.pages.ChangeRates, &d.pages.Weights, &d.least, &d.greatest, &d.rates, &d.slopes, &d.marginals} {
		*numbers = slices.Grow((*numbers)[:0], n)[:n]
	}
	for i, page := range pages {
		d.pages.ChangeRates[i], d.pages.Weights[i] = s.pages.ChangeRates[page], s.pages.Weights[page]
		d.least[i], d.greatest[i] = s.lowest(page), s.highest(page)
	}
}

func (s *Set) lowest(page int32) float64 {
	if s.least == nil {
		return 0
	}
	return s.least[page]
}

func (s *Set) highest(page int32) float64 {
	if s.greatest == nil {
		return s.fastest
	}
	return min(s.fastest, s.greatest[page])
}

// ask finds the rates and slopes of the pages that d has gathered, within their bounds.
func (s *Set) ask(d *demands, multiplier float64) {
	s.objective.Demand(d.rates, d.slopes, d.pages, multiplier)
	for i, rate := range d.rates {
		if rate >= d.greatest[i] {
			d.rates[i], d.slopes[i] = d.greatest[i], 0
		}
		if rate <= d.least[i] {
			d.rates[i], d.slopes[i] = d.least[i], 0
		}
	}
}

// demand returns the rate of a page and its slope.
func (s *Set) demand(page int32, multiplier float64) (rate, slope float64) {
	s.several.gather(s, []int32{page})
	s.ask(&s.several, multiplier)
	return s.several.rates[0], s.several.slopes[0]
}

// smooth reports whether the rates at both margins of a window, the greater one first,
// are those of a page without a kink between them: always at the least rate, always at
// the greatest, or always between them.
func smooth(low, high, least, greatest float64) bool {
	return low <= least || high >= greatest && !math.IsInf(high, 1) || high > least && low < greatest
}

// add adds a page to the sums of the widest level, of those from the given one on, on
// which it is smooth.
func (s *Set) add(g *group, page int32, from int) {
	g.solved = false
	for k := from; k < len(g.levels); k++ {
		l := g.levels[k]
		low, _ := s.demand(page, l.low)
		high, _ := s.demand(page, l.high)
		if !smooth(low, high, s.lowest(page), s.highest(page)) {
			continue
		}
		s.shift(l, page, 1)
		s.levelOf[page] = int8(k)
		if s.lists(g, k) {
			s.places[page] = int32(len(l.pages))
			l.pages = append(l.pages, page)
		}
		return
	}
	s.levelOf[page], s.places[page] = atRest, int32(len(g.rest))
	g.rest = append(g.rest, page)
}

// remove takes a page out of the sums.
func (s *Set) remove(g *group, page int32) {
	g.solved = false
	if s.levelOf[page] == atRest {
		s.cutOut(&g.rest, page)
		return
	}
	k := int(s.levelOf[page])
	s.shift(g.levels[k], page, -1)
	if s.lists(g, k) {
		s.cutOut(&g.levels[k].pages, page)
	}
}

// lists reports whether a level of a group lists its pages.
func (s *Set) lists(g *group, k int) bool { return k > 0 || g != &s.open }

// cutOut takes a page out of a list that places refer to.
func (s *Set) cutOut(list *[]int32, page int32) {
	last := (*list)[len(*list)-1]
	place := s.places[page]
	(*list)[place], s.places[last] = last, place
	*list = (*list)[:len(*list)-1]
}

// shift adds the rates of a page, times sign, to the sums of a level.
func (s *Set) shift(l *level, page int32, sign float64) {
	s.several.gather(s, []int32{page})
	for j, multiplier := range l.multipliers {
		s.ask(&s.several, multiplier)
		l.sums[j].Add(sign * s.several.rates[0])
		l.rounding += 0x1p-53 * math.Abs(l.sums[j].Rounding())
	}
	l.stale = true
}

// moveTo makes the windows of a group cover a multiplier. It returns false where
// the widest window of the open pages does not.
func (s *Set) moveTo(g *group, multiplier float64) bool {
	for k, l := range g.levels {
		if !l.covers(multiplier) {
			if !s.lists(g, k) {
				return false
			}
			s.refine(g, k, multiplier)
			break
		}
	}
	return true
}

// refine replaces the levels from k on by ones around a multiplier, each narrower,
// until few pages are at rest.
func (s *Set) refine(g *group, k int, multiplier float64) {
	pages := g.rest
	for _, l := range g.levels[k:] {
		pages = append(pages, l.pages...)
	}
	if g == &s.open {
		pages = s.displaceFrom(k, pages)
	}
	half := widest * math.Pow(narrowing, -float64(k))
	g.levels = g.levels[:k]
	for s.effort(g, pages) > mostRest && half >= narrowest && (multiplier > 0 || len(g.levels) == 0) {
		l := &level{window: windowAround(multiplier, half)}
		g.levels = append(g.levels, l)
		if g == &s.open {
			pages = s.placeHosts(pages)
		}
		pages = s.fill(g, l, pages)
		half /= narrowing
	}
	g.rest = pages
	for place, page := range pages {
		s.levelOf[page], s.places[page] = atRest, int32(place)
	}
	g.limit = max(2*mostRest, 2*s.effort(g, pages))
}

// narrow makes narrower windows where many pages have come to rest.
func (s *Set) narrow(g *group, multiplier float64) {
	if s.effort(g, g.rest) <= g.limit {
		return
	}
	k := len(g.levels)
	if widest*math.Pow(narrowing, -float64(k)) < narrowest {
		k--
	}
	s.refine(g, k, multiplier)
}

// effort returns how many pages it takes to ask for the demand of a group with these
// pages at rest.
func (s *Set) effort(g *group, rest []int32) int {
	effort := len(rest)
	if g == &s.open {
		for _, number := range s.critical {
			effort += min(len(s.hosts[number].pages), 2*mostRest)
		}
	}
	return effort
}

// chunk is the number of pages whose demand is asked for at a time.
const chunk = 512

// fill adds those of the pages that are smooth on the last level of a group to its
// sums, and returns the others.
func (s *Set) fill(g *group, l *level, pages []int32) (rest []int32) {
	type part struct {
		sums  [nodes]doubledouble.Accumulator
		kinks []bool
	}
	cuts := parallel.Cuts(len(pages), 16*chunk)
	parts := make([]part, len(cuts)-1)
	parallel.For(s.workers, len(parts), func(block int) {
		p, d := &parts[block], &demands{}
		for some := range slices.Chunk(pages[cuts[block]:cuts[block+1]], chunk) {
			d.gather(s, some)
			p.kinks = append(p.kinks, s.sumSmooth(d, &l.window, &p.sums)...)
		}
	})
	k := len(g.levels) - 1
	listed := s.lists(g, k)
	rest = pages[:0]
	for block := range parts {
		for j := range l.sums {
			l.sums[j].Merge(parts[block].sums[j])
		}
		for i, kinked := range parts[block].kinks {
			page := pages[cuts[block]+i]
			if kinked {
				rest = append(rest, page)
				continue
			}
			s.levelOf[page] = int8(k)
			if listed {
				s.places[page] = int32(len(l.pages))
				l.pages = append(l.pages, page)
			}
		}
	}
	return rest
}

// sumSmooth adds the rates at the nodes of those of the gathered pages that are smooth
// on a window to sums, and reports which are not.
func (s *Set) sumSmooth(d *demands, w *window, sums *[nodes]doubledouble.Accumulator) (kinked []bool) {
	s.ask(d, w.low)
	low := slices.Clone(d.rates)
	s.ask(d, w.high)
	kinked = make([]bool, len(low))
	for i := range low {
		kinked[i] = !smooth(low[i], d.rates[i], d.least[i], d.greatest[i])
	}
	for j, multiplier := range w.multipliers {
		s.ask(d, multiplier)
		for i := range d.rates {
			if kinked[i] {
				d.rates[i] = 0
			}
		}
		sums[j].AddAll(d.rates)
	}
	return kinked
}

// addTo adds the demand of a group at a multiplier that its windows cover to sum, and
// returns −d/d ln λ of it: of all pages, and of those that are on levels.
func (s *Set) addTo(sum *doubledouble.Accumulator, g *group, multiplier float64) (slope, smoothSlope float64) {
	for _, l := range g.levels {
		smoothSlope += l.addTo(sum, multiplier)
	}
	slope = smoothSlope
	s.several.gather(s, g.rest)
	s.ask(&s.several, multiplier)
	for i, rate := range s.several.rates {
		sum.Add(rate)
		slope += s.several.slopes[i]
	}
	return slope, smoothSlope
}
