package mdpio

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"
)

const (
	// maxNumber bounds the length of a number, and maxExponent its exponent
	// where it is read exactly: 1e999999999 would fill the memory. What is
	// read can be written: maxBits bounds numerator and denominator, and as
	// decimals they are shorter than maxNumber (33,000·log₁₀2 < 9,935).
	maxNumber   = 10_000
	maxExponent = 1_000
	maxBits     = 33_000

	allowedNumber = "a number such as 0.5, 1e-3 or 1/3"
)

// value is one number; exact is nil where only the float64 is asked for.
type value struct {
	float float64
	exact *big.Rat
}

// zero is shared by all exact zeros.
var zero = new(big.Rat)

// numberReader turns text into values.
type numberReader struct {
	exact bool
	known map[string]*big.Rat // by text: files repeat few numbers many times
}

// read returns the value of a decimal number or a fraction of two.
func (r *numberReader) read(text []byte) (value, *fault) {
	if r.exact || bytes.IndexByte(text, '/') >= 0 {
		return r.readExact(text)
	}
	if !isDecimal(text) {
		return value{}, &fault{quote(text), allowedNumber}
	}
	float, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !math.IsInf(float, 0) {
		return value{}, &fault{quote(text), allowedNumber}
	}
	if f := checkRange(text, float, float == 0 && isZero(text)); f != nil {
		return value{}, f
	}
	return value{float: float + 0}, nil // −0 becomes 0
}

// readExact goes by way of the rational, which is rounded once.
func (r *numberReader) readExact(text []byte) (value, *fault) {
	exact, ok := r.known[string(text)]
	if !ok {
		if exact = parseRational(text); exact == nil {
			return value{}, &fault{quote(text), allowedNumber +
				fmt.Sprintf(", of at most %d characters and with exponents up to %d,", maxNumber, maxExponent)}
		}
		if r.exact {
			if r.known == nil {
				r.known = make(map[string]*big.Rat)
			}
			r.known[string(text)] = exact
		}
	}
	float, _ := exact.Float64()
	if f := checkRange(text, float, exact.Sign() == 0); f != nil {
		return value{}, f
	}
	if !r.exact {
		exact = nil
	}
	return value{float, exact}, nil
}

// checkRange refuses numbers that float64 cannot tell from 0 or infinity.
func checkRange(text []byte, float float64, isZero bool) *fault {
	switch {
	case math.IsInf(float, 0):
		return &fault{quote(text), fmt.Sprintf("a number from %.4g to %.4g", -math.MaxFloat64, math.MaxFloat64)}
	case float == 0 && !isZero:
		return &fault{quote(text), fmt.Sprintf("0 or a number of magnitude from %.4g", math.SmallestNonzeroFloat64)}
	}
	return nil
}

// isDecimal reports whether text consists of the characters of decimal numbers
// alone: the parsers of strconv and math/big take more than those.
func isDecimal(text []byte) bool {
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return false
		}
	}
	return len(text) > 0
}

// isZero reports whether a decimal has no digit but 0 before its exponent.
func isZero(text []byte) bool {
	if at := bytes.IndexAny(text, "eE"); at >= 0 {
		text = text[:at]
	}
	return !bytes.ContainsAny(text, "123456789")
}

// parseRational returns nil for what is not a number, or too long a one.
func parseRational(text []byte) *big.Rat {
	numerator, denominator, fraction := bytes.Cut(text, []byte{'/'})
	result := parseDecimal(numerator)
	if result == nil {
		return nil
	}
	if fraction {
		below := parseDecimal(denominator)
		if below == nil || below.Sign() <= 0 {
			return nil
		}
		result.Quo(result, below)
	}
	if isLong(result) {
		return nil
	}
	return result
}

// isLong reports whether a number has more digits than files may hold.
func isLong(x *big.Rat) bool {
	return max(x.Num().BitLen(), x.Denom().BitLen()) > maxBits
}

// parseDecimal returns the exact value of a decimal number, nil for no number.
func parseDecimal(text []byte) *big.Rat {
	if len(text) > maxNumber || !isDecimal(text) {
		return nil
	}
	if at := bytes.IndexAny(text, "eE"); at >= 0 {
		exponent, err := strconv.Atoi(string(text[at+1:]))
		if err != nil || exponent < -maxExponent || exponent > maxExponent {
			return nil
		}
	}
	result, ok := new(big.Rat).SetString(string(text))
	if !ok {
		return nil
	}
	return result
}

// put sets number i, which is beyond those that were set before. Lists of zeros
// stay empty.
func (n *Numbers) put(i int, v value) {
	if v.float == 0 {
		return
	}
	n.fill(i)
	n.add(v)
}

// fill lengthens the list by zeros.
func (n *Numbers) fill(length int) {
	for len(n.Float) < length {
		n.Float = append(n.Float, 0)
		if n.Exact != nil {
			n.Exact = append(n.Exact, zero)
		}
	}
}

// add appends a number.
func (n *Numbers) add(v value) {
	if v.exact != nil {
		if n.Exact == nil { // all before are zeros
			n.Exact = make([]*big.Rat, len(n.Float))
			for i := range n.Exact {
				n.Exact[i] = zero
			}
		}
		n.Exact = append(n.Exact, v.exact)
	}
	n.Float = append(n.Float, v.float)
}

// value returns number i; an empty list consists of zeros.
func (n *Numbers) value(i int) value {
	switch {
	case len(n.Float) == 0:
		return value{}
	case n.Exact == nil:
		return value{float: n.Float[i]}
	}
	return value{n.Float[i], n.Exact[i]}
}

// isZero reports whether number i is 0.
func (n *Numbers) isZero(i int) bool { return len(n.Float) == 0 || n.Float[i] == 0 }

// append appends number i to a text: exact numbers as fractions, others as the
// shortest decimal that reads back the same.
func (n *Numbers) append(text []byte, i int) []byte {
	switch {
	case len(n.Float) == 0:
		return append(text, '0')
	case n.Exact == nil:
		return strconv.AppendFloat(text, n.Float[i], 'g', -1, 64)
	case n.Exact[i].IsInt():
		return n.Exact[i].Num().Append(text, 10)
	}
	text = n.Exact[i].Num().Append(text, 10)
	return n.Exact[i].Denom().Append(append(text, '/'), 10)
}

// shortRat writes a number exactly where that is short, rounded otherwise.
func shortRat(x *big.Rat) string {
	if text := x.RatString(); len(text) <= maxQuoted {
		return text
	}
	return "about " + x.FloatString(20)
}
