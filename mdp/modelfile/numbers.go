// This file reads, keeps and writes the numbers of a model: float64, and exact
// fractions where [Options.Exact] asks for them.

package modelfile

import (
	"bytes"
	"fmt"
	"math/big"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/lines"
	"github.com/mdpsolve/mdpsolve/internal/number"
)

// maxBits bounds numerator and denominator of an exact number, so that what is read
// can be written: as a decimal it has fewer than the 10,000 characters that are read
// (33,000·log₁₀2 < 9,935).
const maxBits = 33_000

// numberExample says what a number is.
const numberExample = number.Example

// value is one number; exact is nil where only the float64 is asked for.
type value struct {
	float float64
	exact *big.Rat
}

var (
	zero = new(big.Rat) // shared by all exact zeros
	one  = big.NewRat(1, 1)
)

// Digits says what is lost of the numbers of a file when they become float64.
type Digits struct {
	// Fractions says that there are fractions, or decimals of more than 17 digits, which
	// are no float64 that a program printed.
	Fractions bool

	// Rounded says that there are decimals of 16 or 17 digits other than those that
	// writers write for the float64 nearest to them.
	Rounded bool
}

// note looks at a number that is read, and at the float64 nearest to it.
func (d *Digits) note(text []byte, nearest float64) {
	const always = 15 // digits that float64 holds
	isFraction := bytes.IndexByte(text, '/') >= 0
	if len(text) <= always && !isFraction {
		return
	}
	switch digits := significant(text); {
	case isFraction || digits > 17:
		d.Fractions = true
	case digits > always && !d.Rounded:
		exact, _, err := number.ParseExact(string(text))
		again, _, _ := number.ParseExact(strconv.FormatFloat(nearest, 'g', -1, 64))
		d.Rounded = err == nil && exact.Cmp(again) != 0
	}
}

// significant returns how many digits a decimal has without zeros at its ends.
func significant(text []byte) int {
	mantissa, _, _ := bytes.Cut(bytes.ToLower(text), []byte{'e'})
	mantissa = bytes.ReplaceAll(bytes.Trim(mantissa, "+-"), []byte{'.'}, nil)
	return len(bytes.Trim(mantissa, "0"))
}

// numberReader turns text into values.
type numberReader struct {
	exact  bool
	digits *Digits             // nil if nobody asks
	known  map[string]*big.Rat // by text: files repeat few numbers many times
}

// read returns the value of a decimal number or a fraction of two.
func (r *numberReader) read(text []byte) (v value, fault *filepos.Error) {
	var err error
	if !r.exact {
		if v.float, err = number.Parse(string(text)); err != nil {
			return value{}, filepos.BadNumber(err)
		}
		if v.float += 0; r.digits != nil { // −0 becomes 0
			r.digits.note(text, v.float)
		}
		return v, nil
	}
	if exact, ok := r.known[string(text)]; ok {
		v.float, _ = exact.Float64()
		v.exact = exact
		return v, nil
	}
	if v.exact, v.float, err = number.ParseExact(string(text)); err != nil {
		return value{}, filepos.BadNumber(err)
	}
	if isLong(v.exact) {
		return value{}, filepos.Fault(quote(text), fmt.Sprintf("a fraction of at most %d bits", maxBits))
	}
	if r.known == nil {
		r.known = make(map[string]*big.Rat)
	}
	r.known[string(text)] = v.exact
	return v, nil
}

// readNumber reads the next word of a line, which stop ends too, as a number.
func readNumber(l *lines.Reader, numbers *numberReader, stop byte) value {
	l.SkipSpace()
	p := l.Place()
	word := l.WordBefore(stop)
	if len(word) == 0 {
		l.Unexpected(numberExample)
		return value{}
	}
	v, fault := numbers.read(word)
	l.FailAt(p, fault)
	return v
}

// readInterval reads "[LOW, HIGH]" where it comes next, and reports whether it does.
func readInterval(l *lines.Reader, numbers *numberReader) (low, high value, ok bool) {
	if !l.Accept('[') {
		return low, high, false
	}
	low = readNumber(l, numbers, ']')
	l.Expect(',')
	high = readNumber(l, numbers, ']')
	l.Expect(']')
	return low, high, true
}

// isLong reports whether a number has more digits than files may hold.
func isLong(x *big.Rat) bool {
	return max(x.Num().BitLen(), x.Denom().BitLen()) > maxBits
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

// rational returns number i exactly; an empty list consists of zeros.
func (n *Numbers) rational(i int) *big.Rat {
	switch {
	case len(n.Float) == 0:
		return zero
	case n.Exact == nil:
		return new(big.Rat).SetFloat64(n.Float[i])
	}
	return n.Exact[i]
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

// CountNonzero returns how many numbers are not 0.
func (n *Numbers) CountNonzero() int {
	count := 0
	for _, x := range n.Float {
		if x != 0 {
			count++
		}
	}
	return count
}
