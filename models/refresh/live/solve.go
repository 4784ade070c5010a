package refresh

import (
	"context"
	"math"
)

// liveTolerance is the length of Newton's step, in ln λ, at which a search on a
// window ends; what it leaves is of the order of its square.
const liveTolerance = 0x1p-46

// liveRest is what may be left of the bandwidth, in units of the mean rate, with no
// regard to pages that begin to be accessed on Newton's last step: it would make no
// difference to them.
const liveRest = 0x1p-33

// liveRounding is how much of the bandwidth the sums of a window may be off by
// rounding. A page that joins and leaves at once, with a rate of 10¹⁶ times the
// bandwidth, is enough to pass it.
const liveRounding = 0x1p-50

// solve finds the multiplier on the window, and a new window where it is not
// there.
func (s *LiveSet) solve(ctx context.Context) error {
	if s.solved {
		return nil
	}
	if !math.IsNaN(s.window.middle) && s.rounding <= liveRounding*s.bandwidth && s.solveOnWindow() {
		s.solved = true
		return nil
	}
	return s.rebuild(ctx)
}

func (s *LiveSet) solveOnWindow() bool {
	polynomial := s.interpolate()
	search := newSearch(s.bandwidth)
	multiplier := s.window.middle
	if s.end.at > 0 {
		multiplier = s.end.multiplier()
	}
	mean := s.bandwidth / float64(s.pages.Len()-len(s.free))
	for range maxObservations {
		u := s.window.position(multiplier)
		if !(u >= -1 && u <= 1) {
			return false
		}
		more, slope := polynomial.at(u)
		all := demand{sum: s.sums[0], slope: slope / -halfWidth}
		all.sum.addOne(more)
		for _, page := range s.critical {
			rate, slope := s.demand(int(page), multiplier)
			all.sum.addOne(rate)
			all.slope += slope
			if slope > steepRate*mean { // less does not matter to a step of liveTolerance
				all.steepest = max(all.steepest, slope/max(rate, mean))
			}
		}
		search.observe(point{multiplier, all.sum.below(s.bandwidth), all.slope, all.steepest})
		if search.arrived(liveTolerance) {
			s.end = search.settle()
			if math.Abs(search.last.residual) <= liveRest*mean || !s.leavesBound(s.end) {
				return true
			}
		}
		if search.closed() {
			s.end = search.blend()
			return true
		}
		multiplier = search.next()
	}
	return false
}

// leavesBound reports whether Newton's last step passes, but for rounding, the
// multiplier at which a page leaves a bound, perhaps with a jump.
func (s *LiveSet) leavesBound(end settlement) bool {
	if end.step < 0 && math.IsInf(s.fastest, 1) {
		return false // the multiplier rises, and no page comes down from a bound
	}
	end.step += math.Copysign(0x1p-50, end.step)
	multiplier := end.multiplier()
	for _, page := range s.critical {
		if rate, slope := s.demand(int(page), end.at); slope == 0 {
			if after, _ := s.demand(int(page), multiplier); after != rate {
				return true
			}
		}
	}
	return false
}
