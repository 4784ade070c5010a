package estimate

import "math/big"

// The functions of this file compute with 300 bits.

func wide(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }

func plus(a, b *big.Float) *big.Float  { return wide(0).Add(a, b) }
func minus(a, b *big.Float) *big.Float { return wide(0).Sub(a, b) }
func times(a, b *big.Float) *big.Float { return wide(0).Mul(a, b) }
func over(a, b *big.Float) *big.Float  { return wide(0).Quo(a, b) }

func near(a *big.Float) float64 {
	x, _ := a.Float64()
	return x
}

// bigExp returns e^x: the series at x/2^k, squared k times.
func bigExp(x *big.Float) *big.Float {
	const halvings = 40
	small := wide(0).SetMantExp(x, -halvings)
	sum, term := wide(1), wide(1)
	for k := 1; k < 40; k++ {
		term = over(times(term, small), wide(float64(k)))
		sum = plus(sum, term)
	}
	for range halvings {
		sum = times(sum, sum)
	}
	return sum
}
