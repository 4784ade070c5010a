package ui

// Numbers and words for people.

import (
	"math"
	"strconv"
)

// digits is the number of significant digits in text: fewer than rounding can change.
const digits = 10

// ExactText returns the shortest decimal that reads back as x.
func ExactText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// PlainText returns x with 10 significant digits.
func PlainText(x float64) string { return ShortText(x, digits) }

// ShortText returns x with the given number of significant digits, or ∞.
func ShortText(x float64, significant int) string {
	switch {
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "−∞"
	}
	return strconv.FormatFloat(x, 'g', significant, 64)
}

// Digits returns [ShortText] for a number of significant digits.
func Digits(significant int) func(float64) string {
	return func(x float64) string { return ShortText(x, significant) }
}

// PercentText returns a share as a percentage.
func PercentText(x float64) string {
	for significant := 4; ; significant++ {
		text := ShortText(100*x, significant)
		if x >= 1 || text != "100" { // all but 100% is not 100%
			return text + "%"
		}
	}
}

// LowerText rounds a lower bound down, so that the text is a bound too.
func LowerText(x float64) string { return outward(x, -1) }

// UpperText rounds an upper bound up.
func UpperText(x float64) string { return outward(x, 1) }

func outward(x float64, direction int) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return PlainText(x)
	}
	return decimalText(rounded(fractionOf(x), digits, direction))
}
