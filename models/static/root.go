package static

import "math"

// lastStep is the size of a relative step after which no other is made: the
// secant has converged so well by then that what the step leaves is far below
// one unit in the last place.
const lastStep = 0x1p-50

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
		step := -atX * (math.Log(x/other) / (atX - atOther))
		next := x * math.Exp(step)
		if math.Abs(step) <= lastStep {
			return next
		}
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
