package refresh

import "math"

// point is the demand of a group of pages at one multiplier: the sum S of its
// rates, as budget − residual, D = −dS/d ln λ, and the greatest slope of a page in
// proportion to its rate (see steepest).
type point struct {
	multiplier, residual, slope float64
	steepest                    float64
}

// step returns η = (R−S)/D: Newton's step from here, in −ln λ.
func (p point) step() float64 {
	if p.residual == 0 {
		return 0
	}
	return p.residual / p.slope
}

// search looks for the multiplier λ at which the demand S(λ), which does not
// increase, meets a budget R. It is Newton's method in λ^{−1/2}, in which the
// demand of [Random] is piecewise linear and that of the others nearly so, kept
// between two multipliers that are known to lie on either side and helped by
// bisection where it makes no progress.
type search struct {
	over, under  point // S > R at over.multiplier, S ≤ R at under.multiplier
	last, before point
	observed     int     // number of points
	flips        int     // how many of the last steps led to the other side
	slow         bool    // the last step did not halve the residual
	halving      bool    // the next point is from next's halving of the interval
	halved       int     // the side that the last halving moved: +1 for under, −1 for over
	gallop       int     // how many halvings moved the same side before
	reach        float64 // factor of the next step into the unknown
	nudge        float64 // how far beyond Newton's point the next step goes, in −ln λ
}

// newSearch returns a search that knows what S is where nothing is given that
// need not be: infeasible residuals are the caller's to refuse.
func newSearch(atInfinity float64) search {
	return search{
		over:  point{multiplier: 0, residual: math.Inf(-1)},
		under: point{multiplier: math.Inf(1), residual: atInfinity},
		reach: 4,
		nudge: narrow,
	}
}

// narrow is the relative width at which an interval of multipliers is as good
// as a point, unless there are pages that are too steep for that.
const narrow = 0x1p-44

func (s *search) observe(p point) {
	if s.observed > 0 && (p.residual < 0) != (s.last.residual < 0) {
		s.flips++
	} else {
		s.flips = 0
	}
	s.before = s.last
	s.slow = s.observed > 0 && !(math.Abs(p.residual) <= 0.5*math.Abs(s.last.residual))
	s.last = p
	s.observed++
	side := -1
	if p.residual >= 0 {
		s.under, side = p, +1
	} else {
		s.over = p
	}
	if s.halving && side == s.halved {
		s.gallop++
	} else if s.halving {
		s.halved, s.gallop = side, 0
	}
	s.halving = false
}

// near reports whether Newton's step from the last point is short.
func (s *search) near(tolerance float64) bool {
	return s.observed > 0 && (s.last.residual == 0 || math.Abs(s.last.step()) <= tolerance)
}

// closed reports whether the two sides have met, or there is nothing to search
// for: what need be given is the whole budget. With steep pages they have to be
// neighbours among the float64. The rates are then a function of the demand at
// these two, whatever the way there, and move no more than the demand does.
func (s *search) closed() bool {
	low, high := s.over.multiplier, s.under.multiplier
	if !(high <= low*(1+narrow)) {
		return math.IsInf(high, 1) && s.under.residual == 0
	}
	return !s.steep() || high <= math.Nextafter(low, math.Inf(1))
}

// next returns the multiplier to look at.
func (s *search) next() float64 {
	low, high := s.over.multiplier, s.under.multiplier
	best := s.newton()
	if (s.flips > 1 || s.unsteady()) && math.Abs(s.last.step()) > 0x1p-40 {
		best = s.secant()
	}
	if low < best && best < high && !(s.slow && low > 0 && !math.IsInf(high, 1)) {
		return best
	}
	if low > 0 && !math.IsInf(high, 1) {
		s.slow, s.halving = false, true
		return s.middle(low, high)
	}
	reach := s.reach
	s.reach = min(reach*reach, 0x1p256)
	if low == 0 {
		return high / reach
	}
	return low * reach
}

// middle returns the geometric mean of two multipliers, or, where one side has
// stayed where it is for some halvings, a point that much nearer to it: the
// demand of [FixedOrder] may fall from large to nothing in the last 1e-12 before
// the multiplier at which a page is given up.
func (s *search) middle(low, high float64) float64 {
	if s.gallop > 0 {
		part := math.Ldexp(high-low, -1<<min(s.gallop, 5))
		near := low + part
		if s.halved < 0 {
			near = high - part
		}
		if low < near && near < high {
			return near
		}
	}
	middle := math.Sqrt(low) * math.Sqrt(high)
	if low < middle && middle < high {
		return middle
	}
	return low + (high-low)/2
}

// newton returns the multiplier of Newton's step, NaN where there is none. A
// step too short to reach the other side is stretched, more each time, so that
// the two sides close up around it.
func (s *search) newton() float64 {
	eta := s.last.step()
	if math.Abs(eta) < 0x1p-40 && s.last.residual != 0 {
		eta += math.Copysign(s.nudge, eta)
		s.nudge *= 4
	}
	t := 1 + eta/2
	if !(t > 0) || math.IsInf(t, 1) {
		return math.NaN()
	}
	return s.last.multiplier / (t * t)
}

// unsteady reports whether Newton's last step, a short one, has left more than
// the order of its square: the demand falls by more than its slope says, where
// many pages are given up on the way.
func (s *search) unsteady() bool {
	before := math.Abs(s.before.step())
	return s.observed > 1 && before < 0.125 && math.Abs(s.last.step()) > 2*before*before
}

// secant returns the multiplier at which the line through the last two points,
// over λ^{−1/2}, meets the budget.
func (s *search) secant() float64 {
	a, b := 1/math.Sqrt(s.before.multiplier), 1/math.Sqrt(s.last.multiplier)
	t := b - s.last.residual*((b-a)/(s.last.residual-s.before.residual))
	return 1 / (t * t)
}

// settlement says which rates a search ends with: those at multiplier at, each
// moved by step times its slope (Newton's last step, taken in the rates, where
// it is exact to second order and no rounding of λ gets in the way), or a mean
// of those at two multipliers, with the given share of those at other.
type settlement struct {
	at, step     float64
	other, share float64
}

// settle ends the search where the last point is near.
func (s *search) settle() settlement {
	return settlement{at: s.last.multiplier, step: s.last.step()}
}

// blend ends it where both sides have met, or must do. Where the demand jumps,
// as that of pages of equal merit does, or rises too steeply for the spacing of
// float64, every mean of the two sides has its marginal values between them, and
// one of them meets the budget.
func (s *search) blend() settlement {
	if s.over.multiplier == 0 {
		return settlement{at: s.under.multiplier}
	}
	share := s.under.residual / (s.under.residual - s.over.residual)
	return settlement{at: s.under.multiplier, other: s.over.multiplier, share: share}
}

// end is settle where the last point may be the last, else blend.
func (s *search) end(tolerance float64) settlement {
	if s.arrived(tolerance) {
		return s.settle()
	}
	return s.blend()
}

// price returns the multiplier at which the demand was last known; see
// [optimizer.settleChunk].
func (e settlement) price() float64 {
	if math.IsInf(e.at, 1) && e.share > 0 {
		return e.other
	}
	return e.at
}

// multiplier returns the multiplier that belongs to the rates.
func (e settlement) multiplier() float64 {
	return e.price() * math.Exp(-e.step)
}
