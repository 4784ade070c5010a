package refresh

import (
	"math/big"
)

// The functions of this file compute with 300 bits, by series that have nothing
// in common with the code under test.

const bigBits = 300

func wide(x float64) *big.Float { return new(big.Float).SetPrec(bigBits).SetFloat64(x) }

func plus(a, b *big.Float) *big.Float  { return wide(0).Add(a, b) }
func minus(a, b *big.Float) *big.Float { return wide(0).Sub(a, b) }
func times(a, b *big.Float) *big.Float { return wide(0).Mul(a, b) }
func over(a, b *big.Float) *big.Float  { return wide(0).Quo(a, b) }
func root(a *big.Float) *big.Float     { return wide(0).Sqrt(a) }

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

// bigFreshness returns 1 − (1+z)e^{−z}, and its derivative ze^{−z}.
func bigFreshness(z *big.Float) (value, slope *big.Float) {
	e := bigExp(wide(0).Neg(z))
	return minus(wide(1), times(plus(wide(1), z), e)), times(z, e)
}

// bigAge returns z²/2 − 1 + (1+z)e^{−z}, and its derivative z(1−e^{−z}).
func bigAge(z *big.Float) (value, slope *big.Float) {
	e := bigExp(wide(0).Neg(z))
	value = plus(minus(over(times(z, z), wide(2)), wide(1)), times(plus(wide(1), z), e))
	return value, times(z, minus(wide(1), e))
}

// bigInverse solves f(z) = c by Newton's method from a float64 solution.
func bigInverse(f func(*big.Float) (value, slope *big.Float), c *big.Float, start float64) *big.Float {
	z := wide(start)
	for range 9 {
		value, slope := f(z)
		z = minus(z, over(minus(value, c), slope))
	}
	return z
}

// interpolate returns the coefficients, in powers of u − center, of the
// polynomial that equals f at the Chebyshev nodes of an interval.
func interpolate(f func(u *big.Float) *big.Float, center, halfWidth float64, nodes []float64) []float64 {
	n := len(nodes)
	at, difference := make([]*big.Float, n), make([]*big.Float, n)
	for i, node := range nodes {
		at[i] = times(wide(halfWidth), wide(node))
		difference[i] = f(plus(wide(center), at[i]))
	}
	for order := 1; order < n; order++ { // Newton's divided differences
		for i := n - 1; i >= order; i-- {
			difference[i] = over(minus(difference[i], difference[i-1]), minus(at[i], at[i-order]))
		}
	}
	powers := make([]*big.Float, n)
	for i := range powers {
		powers[i] = wide(0)
	}
	for i := n - 1; i >= 0; i-- { // Horner's scheme for Newton's form
		for k := n - 1; k > 0; k-- {
			powers[k] = minus(powers[k-1], times(powers[k], at[i]))
		}
		powers[0] = minus(wide(0), times(powers[0], at[i]))
		powers[0] = plus(powers[0], difference[i])
	}
	coefficients := make([]float64, n)
	for i, power := range powers {
		coefficients[i] = near(power)
	}
	return coefficients
}
