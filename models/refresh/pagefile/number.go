package pagefile

import (
	"math"
	"math/bits"
	"strconv"
)

// powersOfFive are 5⁰ … 5²⁷, all that a uint64 holds with room to spare.
var powersOfFive = func() (powers [28]uint64) {
	powers[0] = 1
	for k := 1; k < len(powers); k++ {
		powers[k] = 5 * powers[k-1]
	}
	return powers
}()

// powersOfTen are the powers of ten that a float64 holds exactly.
var powersOfTen = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// A decimal is (−1)^negative·mantissa·10^exponent, as a text has it.
type decimal struct {
	mantissa uint64
	exponent int
	negative bool
	exact    bool // mantissa and exponent hold all digits
}

// parseNumber reads a decimal number, with or without a sign, a point and an
// exponent, rounded once to the nearest float64, ties to even. NaN, infinities,
// hexadecimal numbers, underscores and spaces are not numbers here, nor is what
// leaves the range of float64 or, not being zero, rounds to zero.
//
// Up to 19 digits and moderate exponents are rounded here; the rest goes to
// strconv, which is slower by half.
func parseNumber(text []byte) (value float64, ok bool) {
	d, ok := scanDecimal(text)
	if !ok {
		return 0, false
	}
	if d.exact {
		if value, ok := d.round(); ok {
			if d.negative {
				value = -value
			}
			return value, true
		}
	}
	value, err := strconv.ParseFloat(string(text), 64)
	return value, err == nil && (value != 0 || d.mantissa == 0)
}

// scanDecimal takes a text apart. A mantissa that is not exact is not 0 unless
// the number is.
func scanDecimal(text []byte) (d decimal, ok bool) {
	i := 0
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		d.negative = text[i] == '-'
		i++
	}
	start, point := i, -1
	digits := 0 // those that count: without leading zeros
	for ; i < len(text); i++ {
		c := text[i] - '0'
		if c > 9 {
			if text[i] != '.' || point >= 0 {
				break
			}
			point = i
			continue
		}
		if digits < 19 {
			d.mantissa = 10*d.mantissa + uint64(c)
		}
		if digits > 0 || c > 0 {
			digits++
		}
	}
	seen := i - start
	if point >= 0 {
		seen--
		d.exponent = point + 1 - i
	}
	if seen == 0 {
		return d, false
	}
	d.exact = digits <= 19
	if i == len(text) {
		return d, true
	}
	if text[i] != 'e' && text[i] != 'E' {
		return d, false
	}
	exponent, ok := scanExponent(text[i+1:])
	d.exponent += exponent
	return d, ok
}

// scanExponent reads a whole number with or without a sign; those beyond a
// million may come out as any number beyond a million.
func scanExponent(text []byte) (exponent int, ok bool) {
	negative := false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	for _, c := range text {
		if c -= '0'; c > 9 {
			return 0, false
		}
		if exponent < 1_000_000 {
			exponent = 10*exponent + int(c)
		}
	}
	if negative {
		exponent = -exponent
	}
	return exponent, len(text) > 0
}

// round returns mantissa·10^exponent, correctly rounded, where that is easy.
func (d *decimal) round() (value float64, ok bool) {
	switch m := d.mantissa; {
	case m == 0:
		return 0, true
	case m < 1<<53 && d.exponent >= -22 && d.exponent <= 0: // W.D. Clinger: one rounding
		return float64(m) / powersOfTen[-d.exponent], true
	case m < 1<<53 && d.exponent > 0 && d.exponent <= 22:
		return float64(m) * powersOfTen[d.exponent], true
	case d.exponent < 0 && d.exponent > -len(powersOfFive):
		return divide(m, powersOfFive[-d.exponent], d.exponent), true
	}
	return 0, false
}

// divide returns m/divisor·2^exponent, correctly rounded, for −27 ≤ exponent ≤ 0:
// no subnormal numbers come out.
//
// Both are shifted until their top bit is set, M and D; the quotient
// ⌊M·2⁶³/D⌋ then has 63 or 64 bits, and whether the division leaves a rest says
// on which side of a tie the exact value is.
func divide(m, divisor uint64, exponent int) float64 {
	shift, divisorShift := bits.LeadingZeros64(m), bits.LeadingZeros64(divisor)
	M, D := m<<shift, divisor<<divisorShift
	quotient, rest := bits.Div64(M>>1, M<<63, D)
	excess := bits.Len64(quotient) - 53
	mantissa := quotient >> excess
	below, tie := quotient&(1<<excess-1), uint64(1)<<(excess-1)
	if below > tie || below == tie && (rest != 0 || mantissa&1 == 1) {
		mantissa++
	}
	exponent += excess - 63 + divisorShift - shift
	return float64(mantissa) * math.Float64frombits(uint64(1023+exponent)<<52)
}
