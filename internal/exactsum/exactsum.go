// Package exactsum adds float64 without any rounding: a sum does not depend on the order of
// its terms, and sums of parts are merged exactly.
//
// It is the small superaccumulator of R.M. Neal, Fast exact summation using small and large
// superaccumulators (2015), arXiv:1505.05571, with numbers added by the chunk.
package exactsum

import (
	"math"
	"math/big"
)

const (
	limbBits = 32
	limbs    = 67      // 2⁻¹⁰⁷⁴ … 2¹⁰²³ and 2⁴⁶ terms
	room     = 1 << 29 // terms until carries have to be passed on
)

// A Sum is an exact sum. The zero value is 0.
type Sum struct {
	// Limbs are digits to the base 2³², of either sign, the first in units of 2⁻¹⁰⁷⁴.
	Limbs [limbs]int64
	// Special is the sum of the terms that are infinite or NaN.
	Special float64

	terms int // added since carries were passed on
}

// Add adds one number.
func (s *Sum) Add(x float64) {
	bits := math.Float64bits(x)
	exponent, mantissa := int(bits>>52&0x7ff), int64(bits&(1<<52-1))
	switch exponent {
	case 0x7ff:
		s.Special += x
		return
	case 0:
		exponent = 1
	default:
		mantissa |= 1 << 52
	}
	if x < 0 {
		mantissa = -mantissa
	}
	limb, shift := (exponent-1)/limbBits, (exponent-1)%limbBits
	low := mantissa & (1<<limbBits - 1) << shift
	high := mantissa >> limbBits << shift
	s.Limbs[limb] += low & (1<<limbBits - 1)
	s.Limbs[limb+1] += low>>limbBits + high&(1<<limbBits-1)
	s.Limbs[limb+2] += high >> limbBits
	if s.terms++; s.terms >= room {
		s.carry()
	}
}

// carry leaves in each limb but the last a digit of 0 … 2³²−1.
func (s *Sum) carry() {
	for i := range s.Limbs[:limbs-1] {
		s.Limbs[i+1] += s.Limbs[i] >> limbBits
		s.Limbs[i] &= 1<<limbBits - 1
	}
	s.terms = 1
}

// chunk is the number of terms whose parts of 43 bits have a sum of 52.
const chunk = 512

// AddAll adds numbers. Those near the greatest of them, which are nearly all as a rule, are
// divided into two parts that floating-point numbers add exactly.
func (s *Sum) AddAll(numbers []float64) {
	for from := 0; from < len(numbers); from += chunk {
		s.addChunk(numbers[from:min(from+chunk, len(numbers))])
	}
}

func (s *Sum) addChunk(numbers []float64) {
	greatest := 0.0
	for _, x := range numbers {
		greatest = max(greatest, math.Abs(x))
	}
	if !(greatest >= 0x1p-900 && greatest < 0x1p900) {
		for _, x := range numbers {
			s.Add(x)
		}
		return
	}
	unit := math.Ldexp(0x1.8p52, math.Ilogb(greatest)-42)
	unit2 := unit * 0x1p-44
	var high, low float64
	for _, x := range numbers {
		p := x + unit - unit
		q := x - p + unit2 - unit2
		high += p
		low += q
		if rest := x - p - q; rest != 0 {
			s.Add(rest)
		}
	}
	s.Add(high)
	s.Add(low)
}

// Merge adds another sum.
func (s *Sum) Merge(other *Sum) {
	if s.terms+other.terms >= room {
		s.carry()
	}
	s.terms += other.terms
	for i := range other.Limbs {
		s.Limbs[i] += other.Limbs[i]
	}
	s.Special += other.Special
}

// Float returns the sum, rounded to the nearest float64.
func (s *Sum) Float() float64 {
	if s.Special != 0 {
		return s.Special
	}
	sum, digit := new(big.Int), new(big.Int)
	for i := limbs - 1; i >= 0; i-- {
		sum.Lsh(sum, limbBits)
		sum.Add(sum, digit.SetInt64(s.Limbs[i]))
	}
	float := new(big.Float).SetInt(sum) // with as many bits as it takes
	nearest, _ := float.SetMantExp(float, -1074).Float64()
	return nearest
}
