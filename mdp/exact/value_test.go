package exact

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
)

func fractionOf(numerator, denominator string) Value {
	read := func(text string) *big.Int {
		x, ok := new(big.Int).SetString(text, 0)
		if !ok {
			panic("exact: number " + text)
		}
		return x
	}
	return Value{numerator: read(numerator), denominator: read(denominator)}
}

func TestValue(t *testing.T) {
	third := fractionOf("-6", "18")
	assert.Equal(t, "-1/3", third.String())
	assert.Equal(t, -1.0/3, third.Float64())
	lower, upper := third.Bounds()
	assert.Equal(t, -1.0/3, upper) // the float64 is above −1/3
	assert.Equal(t, math.Nextafter(-1.0/3, -1), lower)

	half := fractionOf("3", "6")
	lower, upper = half.Bounds()
	assert.Equal(t, []float64{0.5, 0.5}, []float64{lower, upper})

	var zero Value
	assert.Equal(t, "0", zero.String())
	assert.Zero(t, zero.Float64())
	assert.Zero(t, zero.Infinity())
}

func TestInfinity(t *testing.T) {
	for _, sign := range []int{1, -1} {
		v := Value{infinity: int8(sign)}
		assert.Equal(t, sign, v.Infinity())
		assert.True(t, math.IsInf(v.Float64(), sign))
		lower, upper := v.Bounds()
		assert.True(t, math.IsInf(lower, sign))
		assert.True(t, math.IsInf(upper, sign))
		assert.Nil(t, v.Rat())
	}
	assert.Equal(t, "Infinity", Value{infinity: 1}.String())
	assert.Equal(t, "-Infinity", Value{infinity: -1}.String())
}

// Beyond the range of float64 bounds are the numbers next to it.
func TestBoundsOutOfRange(t *testing.T) {
	large := fractionOf("1"+zeroDigits(400), "1")
	lower, upper := large.Bounds()
	assert.Equal(t, math.MaxFloat64, lower)
	assert.True(t, math.IsInf(upper, 1))
	small := fractionOf("-1", "1"+zeroDigits(400))
	lower, upper = small.Bounds()
	assert.Equal(t, -math.SmallestNonzeroFloat64, lower)
	assert.Zero(t, upper)
	subnormal := fractionOf("1", "3"+zeroDigits(319))
	lower, upper = subnormal.Bounds()
	assert.Equal(t, lower, math.Nextafter(upper, 0))
	assert.Positive(t, lower)
}

func zeroDigits(count int) string {
	digits := make([]byte, count)
	for i := range digits {
		digits[i] = '0'
	}
	return string(digits)
}
