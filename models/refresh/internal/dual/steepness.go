package refresh

import "math"

// A rate of slope s moves by η·s with a step η, but for about its square relative
// to the rate, and what rounding does to the multiplier moves it by 2⁻⁵²·s. Both
// are to stay below 1e−10 of the rate.
const (
	steepStep = 0x1p-19 // greatest η·s
	steepRate = 0x1p18  // greatest s
)

// steepest returns the greatest slope of a page in units of its rate, or of the
// mean rate of all where that is greater; at least known, and what no step that
// ends a search is too long for, so that hardly any page is looked at closely.
func steepest(known, mean float64, rates, slopes []float64) float64 {
	known = max(known, steepStep/longestStep)
	limit := known * mean
	for i, slope := range slopes {
		if slope > limit && slope > known*rates[i] {
			known = slope / max(rates[i], mean)
			limit = known * mean
		}
	}
	return known
}

// smooth reports whether Newton's step from here gives the rates of all pages.
func (p point) smooth() bool {
	return p.residual == 0 || p.steepest <= steepRate && math.Abs(p.step())*p.steepest <= steepStep
}

// arrived reports whether it may be the last.
func (s *search) arrived(tolerance float64) bool {
	return s.near(tolerance) && s.last.smooth()
}

// steep reports whether there is a steep page at either side, or a jump between
// them: more than their slopes can explain.
func (s *search) steep() bool {
	width := math.Log1p((s.under.multiplier - s.over.multiplier) / s.over.multiplier)
	return max(s.over.steepest, s.under.steepest) > steepRate ||
		s.under.residual-s.over.residual > 4*max(s.over.slope, s.under.slope)*width
}
