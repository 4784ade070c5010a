package ui

// Intervals for people.

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Interval returns the numbers from lower to upper as a person reads them: "1 ± 3e-15"
// if they are close to each other, "between 0 and 0.874" if they are not, and one number if
// they are equal. The printed interval contains the shortest decimals for lower and upper,
// and is at most a quarter wider.
func Interval(lower, upper float64) string {
	switch {
	case lower == upper:
		return ShortText(lower, -1)
	case math.IsNaN(lower) || math.IsNaN(upper):
		return "not known"
	case lower > upper: // in a wrong result
		return "between " + ShortText(lower, -1) + " and " + ShortText(upper, -1)
	case math.IsInf(lower, 0) || math.IsInf(upper, 0):
		return "between " + LowerText(lower) + " and " + UpperText(upper)
	case isClose(lower, upper):
		return plusMinus(fractionOf(lower), fractionOf(upper), big.NewRat(1, 4))
	}
	low, high := fractionOf(lower), fractionOf(upper)
	most := scaled(new(big.Rat).Sub(high, low), big.NewRat(1, 8))
	return "between " + outward10(low, -1, most) + " and " + outward10(high, 1, most)
}

// ValueText returns the value found with its proved interval, or the interval alone if it
// is short enough to give the value.
func ValueText(found, lower, upper float64) string {
	interval := Interval(lower, upper)
	if lower <= found && found <= upper && isClose(lower, upper) {
		return interval
	}
	return PlainText(found) + ", proved to be " + interval
}

// EstimateText returns a simulated mean with its confidence interval, if there is one.
func EstimateText(mean, lower, upper float64) string {
	if !(lower < upper) || math.IsInf(upper-lower, 0) {
		return PlainText(mean)
	}
	return plusMinus(fractionOf(lower), fractionOf(upper), big.NewRat(1, 20))
}

// isClose reports whether an interval is so short that its middle stands for it.
func isClose(lower, upper float64) bool {
	const most = 1e-5
	return lower == upper || (upper-lower)/most <= max(math.Abs(lower), math.Abs(upper))
}

// fractionOf returns the shortest decimal that reads back as x.
func fractionOf(x float64) *big.Rat {
	value, _ := new(big.Rat).SetString(ExactText(x))
	return value
}

// plusMinus writes an interval as its middle and the distance to its ends, with as few
// digits as widen it by at most the given share.
func plusMinus(low, high, share *big.Rat) string {
	half := scaled(new(big.Rat).Sub(high, low), big.NewRat(1, 2))
	middle, most := new(big.Rat).Add(low, half), new(big.Rat).Add(half, scaled(half, share))
	for digits := 1; ; digits++ {
		centre := rounded(middle, digits, 0)
		radius := new(big.Rat).Sub(high, centre)
		if below := new(big.Rat).Sub(centre, low); below.Cmp(radius) > 0 {
			radius = below
		}
		for significant := 1; significant <= 3; significant++ {
			if written := rounded(radius, significant, 1); written.Cmp(most) <= 0 {
				return decimalText(centre) + " ± " + decimalText(written)
			}
		}
	}
}

// outward10 writes an end of an interval as a decimal that is further out by at most most.
func outward10(end *big.Rat, direction int, most *big.Rat) string {
	const fewest = 4
	for significant := fewest; ; significant++ {
		written := rounded(end, significant, direction)
		if off := new(big.Rat).Sub(written, end); off.Abs(off).Cmp(most) <= 0 {
			return decimalText(written)
		}
	}
}

// rounded returns x rounded to significant decimal digits: to nearest (direction 0), up (1)
// or down (−1).
func rounded(x *big.Rat, significant, direction int) *big.Rat {
	text := float(x).Text('e', significant-1)
	value, _ := new(big.Rat).SetString(text)
	if x.Sign() == 0 || direction == 0 || value.Cmp(x) != -direction {
		return value
	}
	_, exponent, _ := strings.Cut(text, "e")
	last, _ := strconv.Atoi(exponent)
	unit, _ := new(big.Rat).SetString("1e" + strconv.Itoa(last-significant+1)) // of the last digit
	return value.Add(value, scaled(unit, big.NewRat(int64(direction), 1)))
}

// decimalText writes a number of few decimal digits, with an exponent if it is very large
// or small.
func decimalText(x *big.Rat) string {
	const small, large = 1e-4, 1e15
	if size, _ := new(big.Rat).Abs(x).Float64(); size >= small && size < large || x.Sign() == 0 {
		return float(x).Text('f', -1)
	}
	return float(x).Text('e', -1)
}

// float returns x with more digits than any interval of float64 needs.
func float(x *big.Rat) *big.Float {
	const precision = 256 // bits
	return new(big.Float).SetPrec(precision).SetRat(x)
}

func scaled(x, factor *big.Rat) *big.Rat { return new(big.Rat).Mul(x, factor) }
