package number

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxLength bounds the text that [Parse] looks at, and maxExponent the
// exponents inside a fraction: exact arithmetic on 1e999999999 would fill the
// memory before it is rounded.
const (
	maxLength   = 1000
	maxExponent = 1000
)

// allowed is the second half of every message of [Parse].
const allowed = "a number such as 1.5, 1e-3 or 17/15 is allowed"

// Parse reads a decimal number, with or without an exponent, or a fraction of
// two of them (17/15, 1.5/2), and rounds the exact value once, to the nearest
// float64, ties to even.
//
// What is refused, with an error of one line that quotes the text and says
// what is allowed: the empty text, spaces, NaN and infinities, hexadecimal
// numbers, a sign or a zero below the fraction bar, values beyond the range of
// float64, and values other than zero that would round to zero.
func Parse(text string) (float64, error) {
	if len(text) > maxLength {
		return 0, fmt.Errorf("%q… (%d characters) found; %s, of at most %d characters",
			text[:20], len(text), allowed, maxLength)
	}
	numerator, denominator, fraction := strings.Cut(text, "/")
	if !isDecimal(numerator, true) || fraction && !isDecimal(denominator, false) {
		return 0, fmt.Errorf("%q found; %s", text, allowed)
	}
	if !fraction {
		value, err := strconv.ParseFloat(numerator, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is beyond ±%.4g; %s", text, math.MaxFloat64, allowed)
		}
		if value == 0 && !isZero(numerator) {
			return 0, tooSmall(text)
		}
		return value, nil
	}
	return parseFraction(text, numerator, denominator)
}

// parseFraction divides exactly and rounds once.
func parseFraction(text, numerator, denominator string) (float64, error) {
	if isZero(denominator) {
		return 0, fmt.Errorf("%q divides by zero; %s", text, allowed)
	}
	for _, part := range []string{numerator, denominator} {
		if !hasModestExponent(part) {
			return 0, fmt.Errorf("%q found; in a fraction, exponents up to ±%d are allowed", text, maxExponent)
		}
	}
	// Both parts are decimals by now, so SetString takes them.
	above, _ := new(big.Rat).SetString(numerator)
	below, _ := new(big.Rat).SetString(denominator)
	value, _ := above.Quo(above, below).Float64()
	if math.IsInf(value, 0) {
		return 0, fmt.Errorf("%q is beyond ±%.4g; %s", text, math.MaxFloat64, allowed)
	}
	if value == 0 && above.Sign() != 0 {
		return 0, tooSmall(text)
	}
	return value, nil
}

func tooSmall(text string) error {
	return fmt.Errorf("%q is closer to 0 than %.4g; 0 itself or a larger number is allowed",
		text, math.SmallestNonzeroFloat64)
}

// isDecimal reports whether text is digits with at most one point, and an
// exponent or none; strconv and big.Rat both take more than that.
func isDecimal(text string, signed bool) bool {
	if signed && text != "" && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	mantissa, exponent, hasExponent := cutExponent(text)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || !isDigits(whole+fraction) {
		return false
	}
	if !hasExponent {
		return true
	}
	if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
		exponent = exponent[1:]
	}
	return exponent != "" && isDigits(exponent)
}

func cutExponent(text string) (mantissa, exponent string, found bool) {
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		return text[:at], text[at+1:], true
	}
	return text, "", false
}

func isDigits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}

// isZero reports whether a decimal has no digit but 0 before its exponent.
func isZero(text string) bool {
	mantissa, _, _ := cutExponent(text)
	return !strings.ContainsAny(mantissa, "123456789")
}

func hasModestExponent(text string) bool {
	_, exponent, found := cutExponent(text)
	if !found {
		return true
	}
	value, err := strconv.Atoi(exponent)
	return err == nil && value >= -maxExponent && value <= maxExponent
}
