// This file reads numbers as people write them.

package number

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// The limits of exact numbers: exact arithmetic on 1e999999999 would fill the memory.
const (
	maxLength   = 10_000 // characters
	maxExponent = 1_000  // of exact numbers, and inside fractions
)

// Example ends every message about a text that is not a number.
const Example = "a number such as 1.5, 1e-3 or 17/15"

// Error is a text that is not a number, or not an allowed one.
type Error struct {
	Found    string // the text in quotation marks, shortened
	Expected string
}

// Error returns "… is not valid: use …".
func (e *Error) Error() string { return wording.Invalid(e.Found, e.Expected) }

// IsNone reports whether an error is that of a text that is not a number at all.
func IsNone(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && strings.HasPrefix(e.Expected, Example)
}

// refuse returns an Error. It copies the text, so that callers can pass one that
// shares memory with a buffer.
func refuse(text, expected string) *Error {
	return &Error{wording.Quote(strings.Clone(text)), expected}
}

// Parse reads a decimal number, with or without an exponent, or a fraction of
// two of them (17/15, 1.5/2), and rounds the exact value once, to the nearest
// float64, ties to even.
//
// It refuses, with an [*Error] of one line, the empty text, spaces, NaN and
// infinities, hexadecimal numbers, a sign or a zero below the fraction bar, values
// beyond the range of float64, and values other than zero that would round to
// zero.
func Parse(text string) (float64, error) {
	if value, ok := parseDigits(text); ok {
		return value, nil
	}
	switch {
	case len(text) <= maxLength && isPlain(text):
	case strings.IndexByte(text, '/') >= 0:
		_, value, err := ParseExact(strings.Clone(text))
		return value, err
	default:
		return 0, refuse(text, Example)
	}
	value, err := strconv.ParseFloat(text, 64) // infinite for a number that is too large
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, refuse(text, Example)
	}
	return inRange(text, value, value == 0 && isZero(text))
}

// parseDigits reads digits, with or without a point, that make a float64 without the
// point. These are the most frequent texts of long files; it takes a third of the time of
// strconv.
func parseDigits(text string) (value float64, ok bool) {
	mantissa, below, point := uint64(0), 0, len(text)
	for i := range len(text) {
		switch digit := text[i] - '0'; {
		case digit <= 9 && len(text) <= 18: // which fit in a uint64; longer texts mostly have more digits than a float64
			mantissa = 10*mantissa + uint64(digit)
		case text[i] == '.' && point == len(text):
			point, below = i, len(text)-1-i
		default:
			return 0, false
		}
	}
	// The quotient of two float64 is rounded once.
	return float64(mantissa) / math.Pow10(below), mantissa <= 1<<53 && text != "" && text != "."
}

// ParseExact reads numbers as [Parse] does, of at most 10,000 characters with exponents
// up to ±1000, and returns the exact value and the nearest float64.
func ParseExact(text string) (exact *big.Rat, nearest float64, err error) {
	const expected = Example + ", of at most 10,000 characters and with exponents up to 1000"
	numerator, denominator, fraction := strings.Cut(text, "/")
	if exact = parseDecimal(numerator); exact == nil {
		return nil, 0, refuse(text, expected)
	}
	if fraction {
		below := parseDecimal(denominator)
		if below == nil || below.Sign() == 0 || denominator[0] == '+' || denominator[0] == '-' {
			return nil, 0, refuse(text, expected)
		}
		exact.Quo(exact, below)
	}
	nearest, _ = exact.Float64()
	nearest, err = inRange(text, nearest, exact.Sign() == 0)
	return exact, nearest, err
}

// parseDecimal returns the exact value of a decimal; nil if it refuses the text.
func parseDecimal(text string) *big.Rat {
	if len(text) > maxLength || !isPlain(text) {
		return nil
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		if exponent, err := strconv.Atoi(text[at+1:]); err != nil || max(exponent, -exponent) > maxExponent {
			return nil
		}
	}
	value, _ := new(big.Rat).SetString(text)
	return value
}

// isPlain reports whether a text has only characters of decimal numbers: strconv and
// big.Rat both accept more.
func isPlain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return false
		}
	}
	return true
}

// inRange returns a value, unless it overflows float64 or is not 0 and rounds to 0.
func inRange(text string, value float64, isZero bool) (float64, error) {
	switch {
	case math.IsInf(value, 0):
		return 0, refuse(text, fmt.Sprintf("a number from %.4g to %.4g", -math.MaxFloat64, math.MaxFloat64))
	case value == 0 && !isZero:
		return 0, refuse(text, fmt.Sprintf("0 or a number of magnitude from %.4g", math.SmallestNonzeroFloat64))
	}
	return value, nil
}

// isZero reports whether a decimal has no digit but 0 before its exponent.
func isZero(text string) bool {
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		text = text[:at]
	}
	return !strings.ContainsAny(text, "123456789")
}

// Nearest returns the float64 nearest to a rational.
func Nearest(x *big.Rat) float64 {
	float, _ := x.Float64()
	return float
}

// Short formats a fraction for messages: exactly if that is short, otherwise rounded.
func Short(x *big.Rat) string {
	const maxLength = 40
	if text := x.RatString(); len(text) <= maxLength {
		return text
	}
	return "about " + new(big.Float).SetPrec(100).SetRat(x).Text('g', 20)
}
