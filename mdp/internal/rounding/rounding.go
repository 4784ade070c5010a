// Package rounding bounds rounding errors, and moves results outward by them.
package rounding

import "math"

const (
	// Unit is u = 2⁻⁵³, the largest relative error of rounding to float64.
	Unit = 0x1p-53

	// Extended is 2⁻¹⁰⁶, with room for terms of higher order: the unit in which
	// the errors of double-double arithmetic are counted.
	Extended = 0x1.0001p-106

	// Tiny is a magnitude below which the second part of a product in double-double
	// may be lost.
	Tiny = 0x1p-900

	// Subnormal bounds the error of a product in double-double whose second part is
	// subnormal.
	Subnormal = 0x1p-1070
)

// Underflow returns the number of products times [Subnormal]. It composes the bits of the result,
// because processors take over a hundred cycles to compute a subnormal product.
func Underflow(products int) float64 { return math.Float64frombits(uint64(products) << 4) }

// IsFinite reports whether x is neither infinite nor NaN.
func IsFinite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

// LessBy returns a lower bound on every number that differs from x by at most a
// relative error.
func LessBy(x, relativeError float64) float64 {
	if x == 0 || relativeError == 0 {
		return x
	}
	return math.Nextafter(x-relativeError*math.Abs(x)*(1+4*Unit), math.Inf(-1))
}

// QuotientDown returns x/y, rounded down if it is not exact.
func QuotientDown(x, y float64) float64 {
	q := x / y
	if x == 0 || y == 1 || math.IsInf(x, 0) || math.Abs(x) > Tiny && math.FMA(-q, y, x) == 0 {
		return q
	}
	return math.Nextafter(q, math.Inf(-1))
}

// Between returns the estimate x if it is between the bounds, otherwise a number that is.
func Between(x, lower, upper float64) float64 {
	switch {
	case lower <= x && x <= upper:
		return x
	case lower == upper || math.IsInf(upper, 1):
		return lower
	case math.IsInf(lower, -1):
		return upper
	}
	return lower + (upper-lower)/2
}
