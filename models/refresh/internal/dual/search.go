package dual

import "math"

// Point is the demand S of some pages at one multiplier: the residual R − S, R being
// their budget, and the slope −dS/d ln λ.
type Point struct {
	Multiplier, Residual, Slope float64
}

// step returns η = (R−S)/slope: Newton's step from here, in −ln λ.
func (p Point) step() float64 {
	if p.Residual == 0 {
		return 0
	}
	return p.Residual / p.Slope
}

// Search looks for the multiplier λ at which the demand S(λ), which does not
// increase, meets a budget R. It is Newton's method in λ^{−1/2}, in which the demand
// of refresh.Random is piecewise linear and that of the others nearly so, kept
// between two multipliers that are known to lie on either side, with bisection
// where Newton's method makes no progress.
type Search struct {
	over, under  Point // S > R at over.Multiplier, S ≤ R at under.Multiplier
	last, before Point
	observed     int     // number of points
	flips        int     // how many of the last steps led to the other side
	slow         bool    // the last step did not halve the residual
	reach        float64 // factor of the next step where one side is unknown
	nudge        float64 // how far beyond Newton's point the next step goes, in −ln λ
	steep        float64 // slope from which on no step of Newton's is the last
}

// NewSearch returns a search that knows the residual at λ = ∞. Where the slope is
// steep or more, it goes on to the two float64 next to the root.
func NewSearch(atInfinity, steep float64) Search {
	return Search{
		over:  Point{Multiplier: 0, Residual: math.Inf(-1)},
		under: Point{Multiplier: math.Inf(1), Residual: atInfinity},
		reach: 4,
		nudge: 0x1p-44,
		steep: steep,
	}
}

// Observe takes up the demand at a multiplier.
func (s *Search) Observe(p Point) {
	if s.observed > 0 && (p.Residual < 0) != (s.last.Residual < 0) {
		s.flips++
	} else {
		s.flips = 0
	}
	s.before = s.last
	s.slow = s.observed > 0 && !(math.Abs(p.Residual) <= 0.5*math.Abs(s.last.Residual))
	s.last = p
	s.observed++
	if p.Residual >= 0 {
		s.under = p
	} else {
		s.over = p
	}
}

// near reports whether Newton's step from the last point is short and may be the last.
func (s *Search) near(tolerance float64) bool {
	return s.observed > 0 && (s.last.Residual == 0 || s.last.Slope < s.steep && math.Abs(s.last.step()) <= tolerance)
}

// closed reports whether the two sides are neighbours among the float64, or there is
// nothing to search for, since the least rates are the whole budget.
func (s *Search) closed() bool {
	if math.IsInf(s.under.Multiplier, 1) {
		return s.under.Residual == 0
	}
	low, high := s.over.Multiplier, s.under.Multiplier
	return high <= low || low > 0 && high <= math.Nextafter(low, math.Inf(1))
}

// Finished reports whether Newton's step from the last point is within the
// tolerance, in ln λ, or the search has come to the two float64 next to the root.
func (s *Search) Finished(tolerance float64) bool { return s.near(tolerance) || s.closed() }

// Next returns the multiplier to look at.
func (s *Search) Next() float64 {
	low, high := s.over.Multiplier, s.under.Multiplier
	best := s.newton()
	if (s.flips > 1 || s.unsteady()) && math.Abs(s.last.step()) > 0x1p-40 {
		best = s.secant()
	}
	if low < best && best < high && !(s.slow && low > 0 && !math.IsInf(high, 1)) {
		return best
	}
	if low > 0 && !math.IsInf(high, 1) {
		s.slow = false
		return middle(low, high)
	}
	reach := s.reach
	s.reach = min(reach*reach, 0x1p256)
	if low == 0 {
		return high / reach
	}
	return low * reach
}

// middle returns the geometric mean of two multipliers.
func middle(low, high float64) float64 {
	middle := math.Sqrt(low) * math.Sqrt(high)
	if low < middle && middle < high {
		return middle
	}
	return low + (high-low)/2
}

// newton returns the multiplier of Newton's step, NaN where there is none. A step
// too short to reach the other side is stretched, more each time, so that the two
// sides close up around the root.
func (s *Search) newton() float64 {
	eta := s.last.step()
	if math.Abs(eta) < 0x1p-40 && s.last.Residual != 0 {
		eta += math.Copysign(s.nudge, eta)
		s.nudge *= 4
	}
	t := 1 + eta/2
	if !(t > 0) || math.IsInf(t, 1) {
		return math.NaN()
	}
	return s.last.Multiplier / (t * t)
}

// unsteady reports whether Newton's last step, a short one, has left more than the
// order of its square: the demand falls by more than its slope says, where many
// pages are given up on the way.
func (s *Search) unsteady() bool {
	before := math.Abs(s.before.step())
	return s.observed > 1 && before < 0.125 && math.Abs(s.last.step()) > 2*before*before
}

// secant returns the multiplier at which the line through the last two points, over
// λ^{−1/2}, meets the budget.
func (s *Search) secant() float64 {
	a, b := 1/math.Sqrt(s.before.Multiplier), 1/math.Sqrt(s.last.Multiplier)
	t := b - s.last.Residual*((b-a)/(s.last.Residual-s.before.Residual))
	return 1 / (t * t)
}

// Settlement says which rates a search ends with: those at the multiplier At, each
// moved by Step times its slope (Newton's last step, taken in the rates, where it is
// exact to second order and free of the rounding of λ), or, where Share is above 0,
// a mean of those at two multipliers, with that share of those at Other.
type Settlement struct {
	At, Step     float64
	Other, Share float64
	Rest         float64 // residual at At, which the move of the rates makes up for
}

// settlement returns that of Newton's step from a point.
func (p Point) settlement() Settlement {
	return Settlement{At: p.Multiplier, Step: p.step(), Rest: math.Abs(p.Residual)}
}

// End returns the settlement of a search that is finished, or has to end. Where the
// two sides have met, the demand jumps, as that of pages of equal merit does, or
// falls too steeply for the spacing of float64: every mean of the two sides has its
// marginal values between them, and one of them meets the budget.
func (s *Search) End(tolerance float64) Settlement {
	if s.near(tolerance) {
		return s.last.settlement()
	}
	return s.between()
}

// between returns the mean of the two sides that meets the budget.
func (s *Search) between() Settlement {
	if s.over.Multiplier == 0 {
		return Settlement{At: s.under.Multiplier}
	}
	share := s.under.Residual / (s.under.Residual - s.over.Residual)
	return Settlement{At: s.under.Multiplier, Other: s.over.Multiplier, Share: share, Rest: s.under.Residual}
}

// price returns a multiplier at which the demand is finite and near the rates.
func (e Settlement) price() float64 {
	if math.IsInf(e.At, 1) && e.Share > 0 {
		return e.Other
	}
	return e.At
}

// Multiplier returns the multiplier that belongs to the rates.
func (e Settlement) Multiplier() float64 {
	return e.price() * math.Exp(-e.Step)
}
