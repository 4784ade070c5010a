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
// where Newton's method makes no progress. It ends at the two float64 next to the root, if
// not before at a demand that leaves next to nothing of the budget.
type search struct {
	budget      float64
	over, under point // S > R at over.multiplier, S ≤ R at under.multiplier
	last        point
	start       float64 // the first multiplier
	observed    int     // number of points
	slow        bool    // the last step did not halve the residual
	triedZero   bool    // λ = 0 is not asked about twice
}

// maxObservations ends a search that rounding keeps from its end.
const maxObservations = 500

// nothing is the part of a demand that may be left.
const nothing = 0x1p-52

// newSearch returns a search that knows how much of the budget is left at λ = ∞.
func newSearch(budget, left, start float64) search {
	return search{
		budget: budget,
		over:   point{multiplier: 0, residual: math.Inf(-1)},
		under:  point{multiplier: math.Inf(1), residual: left},
		start:  start,
	}
}

// observe takes up the demand at a multiplier.
func (s *search) observe(p point) {
	s.slow = s.observed > 0 && !(math.Abs(p.residual) <= 0.5*math.Abs(s.last.residual))
	s.last = p
	s.observed++
	if p.residual >= 0 {
		s.under = p
	} else {
		s.over = p
	}
}

// met reports whether the pages leave next to nothing of the budget at under.multiplier. What
// is left must also be next to nothing beside the slope: if few pages answer to the price, it
// may be worth a lot to them.
func (s *search) met() bool {
	return s.under.residual == 0 || s.under.residual <= nothing*s.budget && s.under.step() <= nothing
}

// closed reports whether the search is at its end.
func (s *search) closed() bool {
	low, high := s.over.multiplier, s.under.multiplier
	return s.met() || high <= low || low > 0 && high <= math.Nextafter(low, math.Inf(1)) || s.observed >= maxObservations
}

// next returns the multiplier to look at.
func (s *search) next() float64 {
	if s.observed == 0 {
		return s.start
	}
	low, high := s.over.multiplier, s.under.multiplier
	open := low == 0 || math.IsInf(high, 1)
	if best := s.newton(); low < best && best < high && (open || !s.slow) {
		return best
	}
	if low == 0 && !s.triedZero { // the budget may be more than the pages can use
		s.triedZero = true
		return 0
	}
	s.slow = false
	return middle(max(low, 0x1p-1000), min(high, 0x1p1000))
}

// middle returns the geometric mean of two multipliers.
func middle(low, high float64) float64 {
	middle := math.Sqrt(low) * math.Sqrt(high)
	if low < middle && middle < high {
		return middle
	}
	return low + (high-low)/2
}

// newton returns the multiplier of Newton's step, NaN where there is none. It is rounded up, to
// the side on which the budget is kept.
func (s *search) newton() float64 {
	t := 1 + s.last.step()/2
	if !(t > 0) || math.IsInf(t, 1) {
		return math.NaN()
	}
	return math.Nextafter(s.last.multiplier/(t*t), math.Inf(1))
}

// prices are what a pass asks some pages about: their demand at two multipliers, Low ≤ High, or
// at one. In the end they say what rates the pages get: those at High, and a Share of what they
// ask for at Low beyond that. If Low and High are equal, they get the rates there, changed by a
// Newton's step of length Share.
type prices struct{ Low, High, Share float64 }

// end returns what rates the pages get. If the budget is not met at one multiplier, the demand
// jumps, as that of pages of equal merit does, or falls too steeply for the spacing of float64.
// Then the pages get a weighted mean of the rates on both sides, the one that meets the budget.
// Its marginal values lie between the two multipliers.
func (s *search) end() prices {
	p := prices{Low: s.under.multiplier, High: s.under.multiplier}
	switch {
	case s.met():
		p.Share = s.under.step()
	case s.over.multiplier > 0:
		p.Low, p.Share = s.over.multiplier, s.under.residual/(s.under.residual-s.over.residual)
	}
	return p
}

// multiplier returns the price of the rates, one at which the demand is finite. Where the
// prices are infinite all rates are 0: then it is the greatest marginal value.
func (p prices) multiplier(greatest float64) float64 {
	switch {
	case !math.IsInf(p.High, 1):
		return p.High
	case p.Low < p.High:
		return p.Low
	}
	return greatest
}
