package rates

// The search for one multiplier.

import "math"

// point is the demand S of some pages at one multiplier: the residual R − S, R being
// their budget, and the slope −dS/d ln λ.
type point struct{ multiplier, residual, slope float64 }

// step returns η = (R−S)/slope: Newton's step from here, in −ln λ.
func (p point) step() float64 {
	if p.residual == 0 {
		return 0
	}
	return p.residual / p.slope
}

// search looks for the multiplier λ at which the demand S(λ), which does not
// increase, meets a budget R. It is Newton's method in λ^{−1/2}, in which the demand
// of [refresh.Random] is linear piece by piece and that of the others nearly so, kept
// between two multipliers that are known to lie on either side, with bisection
// where Newton's method makes no progress. It ends at the two float64 next to the root.
type search struct {
	over, under  point // S > R at over.multiplier, S ≤ R at under.multiplier
	last, before point
	observed     int     // number of points
	flips        int     // how many of the last steps led to the other side
	slow         bool    // the last step did not halve the residual
	reach        float64 // factor of the next step where one side is unknown
	stride       uint64  // float64 by which the next short step goes beyond Newton's point
}

// maxObservations ends a search that rounding keeps from its end.
const maxObservations = 500

// newSearch returns a search that knows the residual at λ = ∞.
func newSearch(atInfinity float64) search {
	return search{
		over:   point{multiplier: 0, residual: math.Inf(-1)},
		under:  point{multiplier: math.Inf(1), residual: atInfinity},
		reach:  4,
		stride: 1,
	}
}

// observe takes up the demand at a multiplier.
func (s *search) observe(p point) {
	if s.observed > 0 && (p.residual < 0) != (s.last.residual < 0) {
		s.flips++
		s.stride = 1
	} else {
		s.flips = 0
	}
	s.before = s.last
	s.slow = s.observed > 0 && !(math.Abs(p.residual) <= 0.5*math.Abs(s.last.residual))
	s.last = p
	s.observed++
	if p.residual >= 0 {
		s.under = p
	} else {
		s.over = p
	}
}

// closed reports whether the two sides are neighbours among the float64, or the budget is
// met, or there is nothing to search for, since the least rates are the whole budget.
func (s *search) closed() bool {
	low, high := s.over.multiplier, s.under.multiplier
	return s.under.residual == 0 || high <= low || low > 0 && high <= math.Nextafter(low, math.Inf(1))
}

// next returns the multiplier to look at.
func (s *search) next() float64 {
	low, high := s.over.multiplier, s.under.multiplier
	best := s.newton()
	if (s.flips > 1 || s.unsteady()) && math.Abs(s.last.step()) > shortStep {
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

// shortStep is the length of Newton's step, in ln λ, after which the next one ends within
// the rounding of λ.
const shortStep = 0x1p-26

// newton returns the multiplier of Newton's step, NaN where there is none. A short step is
// stretched to the other side of the root, by more each time until it gets there, so that
// the two sides close up around the root.
func (s *search) newton() float64 {
	eta := s.last.step()
	t := 1 + eta/2
	if !(t > 0) || math.IsInf(t, 1) {
		return math.NaN()
	}
	best := s.last.multiplier / (t * t)
	if math.Abs(eta) < shortStep && eta != 0 {
		bits := math.Float64bits(best) + s.stride
		if eta > 0 {
			bits -= 2 * s.stride
		}
		best = math.Float64frombits(bits)
		s.stride *= 4
	}
	return best
}

// unsteady reports whether Newton's last step, a short one, has left more than the
// order of its square: the demand falls by more than its slope says, where many
// pages are given up on the way.
func (s *search) unsteady() bool {
	before := math.Abs(s.before.step())
	return s.observed > 1 && before < 0.125 && math.Abs(s.last.step()) > 2*before*before
}

// secant returns the multiplier at which the line through the last two points, over
// λ^{−1/2}, meets the budget.
func (s *search) secant() float64 {
	a, b := 1/math.Sqrt(s.before.multiplier), 1/math.Sqrt(s.last.multiplier)
	t := b - s.last.residual*((b-a)/(s.last.residual-s.before.residual))
	return 1 / (t * t)
}

// settlement says which rates a search ends with: those at the multiplier At, each
// moved by Step times its slope, or, where Share is above 0, a mean of those at two
// multipliers, with that share of those at Other.
type settlement struct {
	At, Step     float64
	Other, Share float64
}

// end returns the settlement between the two sides. Where they are neighbours and the demand
// falls between them as its slopes say, it is Newton's step from one of them, taken in the
// rates. Else the demand jumps, as that of pages of equal merit does, or falls too steeply for
// the spacing of float64: every mean of the two sides has its marginal values between them,
// and one of them meets the budget.
func (s *search) end() settlement {
	if s.under.residual == 0 || s.over.multiplier == 0 {
		return settlement{At: s.under.multiplier}
	}
	drop, width := s.under.residual-s.over.residual, math.Log(s.under.multiplier/s.over.multiplier)
	if steepest := max(s.under.slope, s.over.slope); width < shortStep && drop <= 4*steepest*width {
		if step := s.under.step(); step <= 4*width {
			return settlement{At: s.under.multiplier, Step: step}
		}
	}
	return settlement{At: s.under.multiplier, Other: s.over.multiplier, Share: s.under.residual / drop}
}

// price returns a multiplier at which the demand is finite and near the rates.
func (e settlement) price() float64 {
	if math.IsInf(e.At, 1) && e.Share > 0 {
		return e.Other
	}
	return e.At
}

// multiplier returns the multiplier that belongs to the rates.
func (e settlement) multiplier() float64 { return e.price() * math.Exp(-e.Step) }

// priceOr returns the price. An infinite one means that all rates are at their least: then
// it returns greatest, the greatest marginal value.
func (e settlement) priceOr(greatest float64) float64 {
	if math.IsInf(e.At, 1) && e.Share == 0 {
		return greatest
	}
	return e.price()
}
