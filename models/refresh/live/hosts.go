package live

// Hosts with caps. At the multiplier λ of bandwidth a host whose pages would ask for
// more than its cap has a multiplier of its own, at which they ask for the cap. Until
// the windows of the open pages move, most hosts are on one side for certain: their
// pages are open, or they ask for their cap in any case. A critical host may be on
// either side.

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/models/refresh/internal/dual"
)

// host is a host of a [Set].
type host struct {
	most     float64 // its cap
	pages    []int32
	least    doubledouble.Accumulator // the sum of the least rates
	overfull bool                     // which is more than the cap
	group    group                    // of the pages, unless they are open

	state hostState
	level int                      // on which the state holds
	place int32                    // in the hosts of that level, or the critical ones
	edge  doubledouble.Accumulator // what the pages ask for at the edge of that level's window

	capped bool    // if critical: it asks for more than its cap where the search for all has ended
	share  float64 // and where that is between two multipliers: of the second one
}

type hostState int8

const (
	isCritical hostState = iota
	isOpen               // asks for no more than its cap all over the window
	isCapped             // asks for its cap or more all over the window
)

// uncapped reports whether there is no cap: the pages are open, whatever the windows.
func (h *host) uncapped() bool { return math.IsInf(h.most, 1) }

// joinHost adds a page to a host.
func (s *Set) joinHost(page, number int32) {
	h := s.hosts[number]
	s.hostOf[page], s.inHost[page] = number, int32(len(h.pages))
	h.pages = append(h.pages, page)
	s.shiftLeast(h, s.lowest(page))
	s.shiftEdge(h, page, 1)
	if h.state == isOpen {
		s.add(&s.open, page, h.level)
		if h.edge.Below(h.most) < 0 {
			s.displace(number)
			s.place(number, h.level+1)
		}
		return
	}
	s.add(&h.group, page, 0)
	if h.state == isCritical {
		s.open.solved = false
	}
}

// leaveHost takes a page out of its host.
func (s *Set) leaveHost(page int32) {
	number := s.hostOf[page]
	h := s.hosts[number]
	if h.state == isOpen {
		s.remove(&s.open, page)
	} else {
		s.remove(&h.group, page)
	}
	last := h.pages[len(h.pages)-1]
	h.pages[s.inHost[page]], s.inHost[last] = last, s.inHost[page]
	h.pages = h.pages[:len(h.pages)-1]
	s.hostOf[page] = 0
	s.shiftLeast(h, -s.lowest(page))
	s.shiftEdge(h, page, -1)
	switch {
	case h.state == isCapped && h.edge.Below(h.most) > 0:
		s.displace(number)
		s.place(number, h.level+1)
	case h.state == isCritical:
		s.open.solved = false
	}
}

// shiftLeast changes the sum of the least rates of a host.
func (s *Set) shiftLeast(h *host, by float64) {
	h.least.Add(by)
	overfull := h.least.Below(h.most) < 0
	if overfull && !h.overfull {
		s.overfull++
	}
	if !overfull && h.overfull {
		s.overfull--
	}
	h.overfull = overfull
}

// shiftEdge adds what a page asks for, times sign, at the edge that matters.
func (s *Set) shiftEdge(h *host, page int32, sign float64) {
	if h.state == isCritical || h.uncapped() {
		return
	}
	rate, _ := s.demand(page, s.edgeOf(h.level, h.state))
	h.edge.Add(sign * h.counted(rate))
}

// counted returns a rate, or where it is infinite or exceeds the cap by much, a number
// that exceeds it, too.
func (h *host) counted(rate float64) float64 { return min(rate, 2*h.most+1) }

// edgeOf returns the multiplier at which hosts of a state ask for most, or for least.
func (s *Set) edgeOf(level int, state hostState) float64 {
	if state == isOpen {
		return s.open.levels[level].at(-1)
	}
	return s.open.levels[level].at(1)
}

// changeCap gives a host another cap.
func (s *Set) changeCap(number int32, most float64) {
	s.displace(number)
	h := s.hosts[number]
	h.most = most
	s.shiftLeast(h, 0)
	h.group.solved, s.open.solved = false, false
	s.place(number, 0)
}

// displace makes a host critical: its pages are no longer open.
func (s *Set) displace(number int32) {
	h := s.hosts[number]
	if h.state == isCritical {
		return
	}
	if !h.uncapped() {
		l := s.open.levels[h.level]
		s.cutHost(&l.hosts, h)
		if h.state == isCapped {
			l.capped.Add(-h.most)
		}
	}
	if h.state == isOpen {
		for _, page := range h.pages {
			s.remove(&s.open, page)
		}
		s.rest(h)
	}
	s.makeCritical(number)
}

// makeCritical lists a host among the critical ones.
func (s *Set) makeCritical(number int32) {
	h := s.hosts[number]
	h.state, h.place = isCritical, int32(len(s.critical))
	s.critical = append(s.critical, number)
	s.open.solved = false
}

// rest makes the pages of a host a group of their own.
func (s *Set) rest(h *host) {
	h.group.levels, h.group.rest = nil, append(h.group.rest[:0], h.pages...)
	h.group.solved = false
	for place, page := range h.pages {
		s.levelOf[page], s.places[page] = atRest, int32(place)
	}
}

// cutHost takes a host out of the list that has it.
func (s *Set) cutHost(list *[]int32, h *host) {
	last := (*list)[len(*list)-1]
	(*list)[h.place], s.hosts[last].place = last, h.place
	*list = (*list)[:len(*list)-1]
}

// place finds the widest level, of those from the given one on, on which a critical
// host is open or capped.
func (s *Set) place(number int32, from int) {
	h := s.hosts[number]
	if h.uncapped() {
		s.cutHost(&s.critical, h)
		h.state, h.level = isOpen, 0
	}
	for k := from; k < len(s.open.levels) && h.state == isCritical; k++ {
		s.placeOn(number, k)
	}
	if h.state == isOpen {
		for _, page := range h.pages {
			s.add(&s.open, page, h.level)
		}
	}
}

// placeOn puts a critical host on a level, if it is open or capped there.
func (s *Set) placeOn(number int32, k int) bool {
	h := s.hosts[number]
	for _, state := range []hostState{isOpen, isCapped} {
		edge := s.asksFor(h, s.edgeOf(k, state))
		if rest := edge.Below(h.most); state == isOpen && rest < 0 || state == isCapped && rest > 0 {
			continue
		}
		s.cutHost(&s.critical, h)
		l := s.open.levels[k]
		h.state, h.level, h.edge, h.place = state, k, edge, int32(len(l.hosts))
		l.hosts = append(l.hosts, number)
		if state == isCapped {
			l.capped.Add(h.most)
		}
		s.open.solved = false
		return true
	}
	return false
}

// asksFor returns what the pages of a host ask for at a multiplier, as far as it is
// counted.
func (s *Set) asksFor(h *host, multiplier float64) (sum doubledouble.Accumulator) {
	s.several.gather(s, h.pages)
	s.ask(&s.several, multiplier)
	for _, rate := range s.several.rates {
		sum.Add(h.counted(rate))
	}
	return sum
}

// displaceFrom makes the hosts on the levels from k on critical. It returns those of
// the pages that remain open.
func (s *Set) displaceFrom(k int, pages []int32) (open []int32) {
	displaced := false
	for _, l := range s.open.levels[k:] {
		for _, number := range l.hosts {
			h := s.hosts[number]
			if h.state == isOpen {
				s.rest(h)
			}
			s.makeCritical(number)
			displaced = true
		}
	}
	if !displaced {
		return pages
	}
	open = pages[:0]
	for _, page := range pages {
		if number := s.hostOf[page]; number == 0 || s.hosts[number].state == isOpen {
			open = append(open, page)
		}
	}
	return open
}

// placeHosts puts the critical hosts on the last level where they are open or capped
// there. It returns the pages with those that have become open.
func (s *Set) placeHosts(pages []int32) []int32 {
	k := len(s.open.levels) - 1
	for _, number := range slices.Backward(s.critical) { // what is put on the level is replaced by the last
		if h := s.hosts[number]; s.placeOn(number, k) && h.state == isOpen {
			pages = append(pages, h.pages...)
		}
	}
	return pages
}

// addHosts adds the demand of all hosts that are not open.
func (s *Set) addHosts(sum *doubledouble.Accumulator, multiplier float64) (slope, smoothSlope float64) {
	for _, l := range s.open.levels {
		sum.Merge(l.capped)
	}
	for _, number := range s.critical {
		h := s.hosts[number]
		asked := doubledouble.Accumulator{}
		more, smooth := s.askHost(&asked, h, multiplier)
		if asked.Below(h.most) < 0 {
			sum.Add(h.most)
			continue
		}
		sum.Merge(asked)
		slope += more
		smoothSlope += smooth
	}
	return slope, smoothSlope
}

// askHost adds what the pages of a critical host ask for at a multiplier.
func (s *Set) askHost(sum *doubledouble.Accumulator, h *host, multiplier float64) (slope, smoothSlope float64) {
	s.moveTo(&h.group, multiplier)
	s.narrow(&h.group, multiplier)
	return s.addTo(sum, &h.group, multiplier)
}

// settleCritical decides, after the search for all has ended, which critical hosts are
// capped.
func (s *Set) settleCritical() {
	end := s.open.end
	for _, number := range s.critical {
		h := s.hosts[number]
		asked := doubledouble.Accumulator{}
		slope, _ := s.askHost(&asked, h, end.At)
		if end.Step != 0 {
			asked.Add(end.Step * slope)
		}
		h.capped, h.share = asked.Below(h.most) < 0, end.Share
		if end.Share == 0 || h.capped {
			continue
		}
		others := doubledouble.Accumulator{}
		s.askHost(&others, h, end.Other)
		if high := others.Below(h.most); high < 0 {
			// Capped on the other side only: the part of that side that fills the cap.
			low := asked.Below(h.most)
			h.share *= low / (low - high)
		}
	}
}

// endOf returns how the search for the multiplier has ended that the pages of a host
// see.
func (s *Set) endOf(number int32) dual.Settlement {
	if number == 0 {
		return s.open.end
	}
	h := s.hosts[number]
	switch {
	case h.state == isOpen:
		return s.open.end
	case h.state == isCritical && !h.capped:
		end := s.open.end
		end.Share = h.share
		return end
	}
	s.solveHost(h)
	return h.group.end
}
