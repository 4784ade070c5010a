// Package doubledouble computes with about 106 bits: a number is the
// unevaluated sum of two float64.
//
// It is for inner loops in which one float64 cannot distinguish two close values, and for
// bounds that must be rounded outward. All functions are branch-free (except comparisons
// and directed roundings), allocate nothing, and all but the longest are inlined.
//
// # Error bounds
//
// With u = 2^−53, the computed result of an operation is (1+ε) times the exact
// result on the operands as they are, where
//
//	TwoSum, TwoProduct   ε = 0
//	Neg, Abs             ε = 0
//	AddFloat             |ε| ≤ 2u²                  Algorithm 4
//	Add, Sub             |ε| ≤ 3u²/(1−4u)           Algorithm 6
//	MulFloat             |ε| ≤ 2u²                  Algorithm 9
//	Mul                  |ε| ≤ 5u²                  Algorithm 12
//
// The algorithm numbers and the bounds are those of Joldes, Muller and
// Popescu (2017). The bounds on sums are relative to the exact sum also when
// its terms cancel.
//
// They hold if nothing overflows or underflows. Sums cannot underflow. The
// low parts of a product can: that adds an absolute error of at most 2^−1073,
// which is negligible once the product reaches 2^−900. An
// operation that overflows gives a Number whose Lo is infinite or NaN.
//
// Sources: T.J. Dekker, "A floating-point technique for extending the
// available precision", Numerische Mathematik 18 (1971), 224-242; M. Joldes,
// J.-M. Muller and V. Popescu, "Tight and rigorous error bounds for basic
// building blocks of double-word arithmetic", ACM Transactions on
// Mathematical Software 44(2), 2017, article 15.
//
// # Speed
//
// math.FMA is compiled to one instruction where the target has it: always on
// arm64, and on amd64 from GOAMD64=v3. With the default GOAMD64=v1 it stays an
// intrinsic, guarded by a test of one byte that the processor predicts.
package doubledouble

import "math"

// Number is the value Hi + Lo, where Hi is that sum rounded to the nearest
// float64. The zero value is 0. Every function here expects Numbers of that
// normal form and returns them; TwoSum makes one of any two float64.
type Number struct {
	Hi, Lo float64
}

// FromFloat returns x as a Number.
func FromFloat(x float64) Number {
	return Number{Hi: x}
}

// TwoSum returns a + b exactly. It is Knuth's form, which does not need to know which of
// the two is greater.
func TwoSum(a, b float64) Number {
	s := a + b
	t := s - a
	return Number{s, (a - (s - t)) + (b - t)}
}

// fastTwoSum returns a + b exactly if |a| ≥ |b| or a = 0 (Dekker 1971).
func fastTwoSum(a, b float64) Number {
	s := a + b
	return Number{s, b - (s - a)}
}

// TwoProduct returns a·b exactly.
func TwoProduct(a, b float64) Number {
	p := a * b
	return Number{p, math.FMA(a, b, -p)}
}

// Float returns the float64 nearest to x.
func (x Number) Float() float64 {
	return x.Hi
}

// Neg returns −x.
func (x Number) Neg() Number {
	return Number{-x.Hi, -x.Lo}
}

// Abs returns |x|.
func (x Number) Abs() Number {
	if x.Hi < 0 {
		return x.Neg()
	}
	return x
}

// AddFloat returns x + y.
func (x Number) AddFloat(y float64) Number {
	s := TwoSum(x.Hi, y)
	return fastTwoSum(s.Hi, x.Lo+s.Lo)
}

// Add returns x + y.
func (x Number) Add(y Number) Number {
	s := TwoSum(x.Hi, y.Hi)
	t := TwoSum(x.Lo, y.Lo)
	v := fastTwoSum(s.Hi, s.Lo+t.Hi)
	return fastTwoSum(v.Hi, t.Lo+v.Lo)
}

// Sub returns x − y.
func (x Number) Sub(y Number) Number {
	return x.Add(y.Neg())
}

// MulFloat returns x·y.
func (x Number) MulFloat(y float64) Number {
	p := TwoProduct(x.Hi, y)
	return fastTwoSum(p.Hi, math.FMA(x.Lo, y, p.Lo))
}

// Mul returns x·y.
func (x Number) Mul(y Number) Number {
	p := TwoProduct(x.Hi, y.Hi)
	t := math.FMA(x.Hi, y.Lo, x.Lo*y.Lo)
	return fastTwoSum(p.Hi, p.Lo+math.FMA(x.Lo, y.Hi, t))
}

// Less reports whether x < y. It is exact, and false if either is NaN.
func (x Number) Less(y Number) bool {
	return x.Hi < y.Hi || x.Hi == y.Hi && x.Lo < y.Lo
}

// Cmp returns −1, 0 or +1 as x is less than, equal to or greater than y. It is
// exact, and 0 if either is NaN.
func (x Number) Cmp(y Number) int {
	switch {
	case x.Less(y):
		return -1
	case y.Less(x):
		return +1
	}
	return 0
}

// RoundDown returns the greatest float64 that is not above x, so that it
// bounds x from below.
//
// Special cases are:
//
//	RoundDown(±Inf + 0) = ±Inf
//	RoundDown(x) = NaN if Hi is NaN, or Lo is NaN or infinite (an overflow)
func (x Number) RoundDown() float64 {
	bound := x.Hi
	if x.Lo < 0 {
		bound = math.Nextafter(bound, math.Inf(-1))
	}
	return bound + 0*x.Lo // 0·Lo is NaN after an overflow
}

// RoundUp returns the least float64 that is not below x, so that it bounds x
// from above. Its special cases are those of RoundDown.
func (x Number) RoundUp() float64 {
	bound := x.Hi
	if x.Lo > 0 {
		bound = math.Nextafter(bound, math.Inf(+1))
	}
	return bound + 0*x.Lo // 0·Lo is NaN after an overflow
}
