package catalogue

import (
	"fmt"
	"math/big"
	"strings"
)

// Arithmetic on exact numbers that reads like formulas: every function returns
// a new number and does not change its arguments.

var (
	zero = new(big.Rat)
	one  = big.NewRat(1, 1)
)

func whole(n int) *big.Rat { return big.NewRat(int64(n), 1) }

func ratio(a, b int) *big.Rat { return big.NewRat(int64(a), int64(b)) }

func add(x ...*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, y := range x {
		sum.Add(sum, y)
	}
	return sum
}

func sub(x, y *big.Rat) *big.Rat { return new(big.Rat).Sub(x, y) }

func mul(x ...*big.Rat) *big.Rat {
	product := big.NewRat(1, 1)
	for _, y := range x {
		product.Mul(product, y)
	}
	return product
}

func quo(x, y *big.Rat) *big.Rat { return new(big.Rat).Quo(x, y) }

// power returns x^n for n ≥ 0.
func power(x *big.Rat, n int) *big.Rat {
	product := big.NewRat(1, 1)
	for range n {
		product.Mul(product, x)
	}
	return product
}

// sumOver returns the sum of term(i) for first ≤ i ≤ last.
func sumOver(first, last int, term func(i int) *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := first; i <= last; i++ {
		sum.Add(sum, term(i))
	}
	return sum
}

// numbers reads numbers that are separated by spaces.
func numbers(text string) []*big.Rat {
	var x []*big.Rat
	for field := range strings.FieldsSeq(text) {
		y, ok := new(big.Rat).SetString(field)
		if !ok {
			panic(fmt.Sprintf("catalogue: %q is no number", field))
		}
		x = append(x, y)
	}
	return x
}

// number reads one number.
func number(text string) *big.Rat { return numbers(text)[0] }

// isFloat reports whether x is a float64.
func isFloat(x *big.Rat) bool {
	_, exact := x.Float64()
	return exact
}

// nearest returns the float64 nearest to x.
func nearest(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// rational returns x exactly; nil for infinities and NaN.
func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func larger(x, y *big.Rat) *big.Rat {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}
