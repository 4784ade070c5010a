package number_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

const precision = 400

func wide(x number.Double) *big.Float {
	sum := new(big.Float).SetPrec(precision).SetFloat64(x.Hi)
	return sum.Add(sum, new(big.Float).SetFloat64(x.Lo))
}

// relative is |got/want − 1|.
func relative(got number.Double, want *big.Float) float64 {
	difference := new(big.Float).SetPrec(precision).Sub(wide(got), want)
	value, _ := difference.Quo(difference, want).Float64()
	return math.Abs(value)
}

func TestDoubleArithmetic(t *testing.T) {
	const tolerance = 0x1p-102
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a := number.Quotient(random.Float64()+0.1, math.Exp(40*random.NormFloat64()))
		b := number.Quotient(random.Float64()+0.1, math.Exp(40*random.NormFloat64()))
		wideA, wideB := wide(a), wide(b)
		fresh := func() *big.Float { return new(big.Float).SetPrec(precision) }
		assert.LessOrEqual(t, relative(a.Add(b), fresh().Add(wideA, wideB)), tolerance)
		assert.LessOrEqual(t, relative(a.Mul(b), fresh().Mul(wideA, wideB)), tolerance)
		assert.LessOrEqual(t, relative(a.Div(b), fresh().Quo(wideA, wideB)), tolerance)
		assert.Equal(t, 0.0, a.Sub(a).Float())
	}
}

func TestDoublePower(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		x := number.Quotient(math.Exp(5*random.NormFloat64()), 3)
		n := int(math.Exp(14 * random.Float64()))
		mantissa, exponent := x.Power(n)
		want := new(big.Float).SetPrec(precision).SetInt64(1)
		square := wide(x)
		for left := n; left > 0; left >>= 1 {
			if left&1 == 1 {
				want.Mul(want, square)
			}
			square = new(big.Float).SetPrec(precision).Mul(square, square)
		}
		want.SetMantExp(want, -exponent)
		assert.LessOrEqual(t, relative(mantissa, want), float64(n)*0x1p-102)
	}
	zero, _ := number.FromFloat(0).Power(5)
	assert.Equal(t, 0.0, zero.Float())
	one, exponent := number.FromFloat(0).Power(0)
	assert.Equal(t, 1.0, math.Ldexp(one.Float(), exponent))
}
