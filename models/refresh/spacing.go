package refresh

import "math"

// Spacing says how long to wait between two accesses to a page when the price of an access
// changes.
//
// Let T be the time between accesses, Δ the change rate of the page, and z = ΔT. The page is up
// to date for the share (1 − e^{−z})/z of the time. An access at time τ after the last one gains
// (w/Δ)·g(Δτ), with g(z) = 1 − (1+z)e^{−z} (see [FixedOrder]). T is best for the price that equals
// this gain at τ = T. If the price is θ times as high, the best time T′ satisfies
// g(ΔT′) = θ·g(z). The freshness gives z, so that T′/T depends on neither weight nor change rate.
//
// The zero value is the limit z → 0, of pages that hardly change between accesses. Pages that change
// so often between accesses that no price explains how often they are accessed, such as those at
// a least rate, get the same intervals, so that they are accessed at any price.
type Spacing struct {
	changes float64 // z; 0: the limit
	gain    float64 // g(z)
}

// SpacingOf returns the spacing of a page that is up to date for a share of the time.
// A share that is not between 0 and 1 says nothing: it gives the zero value.
func SpacingOf(freshness float64) Spacing {
	if !(freshness > 0 && freshness < 1) {
		return Spacing{}
	}
	z := changesBetween(freshness)
	if s := (Spacing{z, newDecay(z).g}); s.gain < mostGain {
		return s
	}
	return Spacing{gain: 1}
}

// mostGain bounds g(z). Below it, a rate of accesses is taken to be the best one for some price; such
// rates are 3% of the change rate or more. From it on, the rate is taken to be a least one.
const mostGain = 1 - 0x1p-45

// changesBetween returns the z with (1−e^{−z})/z = freshness, by Newton's method, which
// comes to the root from one side: the left one of a convex function, or the right one
// of the concave 1 − e^{−z} − freshness·z.
func changesBetween(freshness float64) float64 {
	const rounds = 12 // 4 to 6 are enough
	if freshness > 0.5 {
		z := 2 * (1 - freshness)
		for range rounds {
			d := newDecay(z)
			step := (d.mean() - freshness) * z * z / d.g
			if z += step; !(step > 0x1p-50*z) {
				break
			}
		}
		return z
	}
	z := 1 / freshness
	for range rounds {
		e := math.Exp(-z)
		step := (1 - e - freshness*z) / (freshness - e)
		if z += step; !(step < -0x1p-50*z) {
			break
		}
	}
	return z
}

// Interval returns T′/T, the interval at a price θ ≥ 0 relative to that at the page's own
// price. It is +Inf where no access is worth the price.
func (s Spacing) Interval(price float64) float64 {
	if s.changes == 0 {
		return math.Sqrt(price) // g(z) → z²/2
	}
	return inverseFreshness(price*s.gain) / s.changes
}

// Worth returns the highest price that an access is worth: that of the first access to a
// page, before which there is no copy. It is +Inf for the zero value.
func (s Spacing) Worth() float64 { return 1 / s.gain }

// Value returns the freshness of a page at a price, times its weight and relative to the price
// of an access and the rate at price 1: at θ it is (1 − e^{−z′})/z′ · z/g(z), z′ being the
// changes in an interval, 0 where no access is worth the price. The zero value has 0, as its
// weight cannot be known.
func (s Spacing) Value(price float64) float64 {
	if s.changes == 0 {
		return 0
	}
	z := s.changes * s.Interval(price)
	if math.IsInf(z, 1) {
		return 0
	}
	return newDecay(z).mean() * s.changes / s.gain
}
