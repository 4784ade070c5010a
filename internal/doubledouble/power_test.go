package doubledouble_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

func ExampleNumber_Power() {
	mantissa, exponent := doubledouble.FromFloat(10).Power(1000)
	fmt.Printf("10^1000 = %.4f·2^%d\n", mantissa.Float(), exponent)
	// Output: 10^1000 = 0.9514·2^3322
}

func TestPower(t *testing.T) {
	const precision = 400
	wide := func(x number) *big.Float {
		sum := new(big.Float).SetPrec(precision).SetFloat64(x.Hi)
		return sum.Add(sum, new(big.Float).SetFloat64(x.Lo))
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		x := doubledouble.FromFloat(math.Exp(5 * random.NormFloat64())).Quo(doubledouble.FromFloat(3))
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
		off := new(big.Float).SetPrec(precision).Sub(wide(mantissa), want)
		relative, _ := off.Quo(off, want).Float64()
		require.LessOrEqual(t, math.Abs(relative), float64(n)*0x1p-102)
	}
	zero, _ := doubledouble.FromFloat(0).Power(5)
	assert.Zero(t, zero.Float())
	one, exponent := doubledouble.FromFloat(0).Power(0)
	assert.Equal(t, 1.0, math.Ldexp(one.Float(), exponent))
}
