package static

import "math"

// lastStep is the relative size of a step from which on only [polish] follows.
// polishRise is the change of f over which polish measures the slope: small against
// the curvature of f, large against its rounding errors.
const (
	lastStep   = 0x1p-50
	polishRise = 0x1p-20
)

// increasingRoot returns the root x > 0 of a function that rises with x, by
// secants in ln x kept inside a bracket. f may be −Inf or +Inf. A bracket that
// turns out not to hold the root is widened.
//
// Steps multiply x, so x keeps its digits when it is close to 1. When a secant
// leaves the bracket or does not halve |f|, the bracket is halved instead, so
// that the search ends; it takes about 8 steps as a rule. If no number is left
// inside the bracket, the end with the smaller |f| is returned.
func increasingRoot(f func(x float64) float64, low, high float64) float64 {
	atLow, atHigh := f(low), f(high)
	for atLow > 0 {
		low, high, atHigh = low/4, low, atLow
		atLow = f(low)
	}
	for atHigh < 0 {
		low, high, atLow = high, high*4, atHigh
		atHigh = f(high)
	}
	x, atX := low, atLow
	other, atOther := high, atHigh
	halve := false
	for {
		perRise := math.Log(x/other) / (atX - atOther) // d ln x / df
		step := -atX * perRise
		if math.Abs(step) <= lastStep && !math.IsInf(atOther, 0) {
			return polish(f, x, atX, perRise)
		}
		next := x * math.Exp(step)
		if halve || !(next > low && next < high) {
			next = math.Sqrt(low) * math.Sqrt(high)
		}
		if !(next > low && next < high) {
			break
		}
		atNext := f(next)
		switch {
		case atNext < 0:
			low, atLow = next, atNext
		case atNext > 0:
			high, atHigh = next, atNext
		default:
			return next
		}
		halve = !(math.Abs(atNext) <= math.Abs(atX)/2)
		other, atOther, x, atX = x, atX, next, atNext
	}
	if -atLow < atHigh {
		return low
	}
	return high
}

// polish makes the last step from x, with a slope taken close by: the points of
// the last secant may have been far apart.
func polish(f func(x float64) float64, x, atX, perRise float64) float64 {
	aside := x * (1 + polishRise*perRise)
	perRise = math.Log(aside/x) / (f(aside) - atX)
	return x * math.Exp(-atX*perRise)
}
