package queue_test

import (
	"math"
	"math/big"
)

// Slow reference computations in some hundreds of bits.

const precision = 1200

func wide(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
func zero() *big.Float          { return new(big.Float).SetPrec(precision) }

func plus(x, y *big.Float) *big.Float  { return zero().Add(x, y) }
func minus(x, y *big.Float) *big.Float { return zero().Sub(x, y) }
func times(x, y *big.Float) *big.Float { return zero().Mul(x, y) }
func over(x, y *big.Float) *big.Float  { return zero().Quo(x, y) }

// exponential returns e^{−x} by the Taylor series of e^{x/2^64}.
func exponential(x *big.Float) *big.Float {
	small := zero().SetMantExp(x, -64)
	term, sum := wide(1), wide(1)
	for k := 1; k < 60; k++ {
		term = over(times(term, small), wide(float64(k)))
		sum = plus(sum, term)
	}
	for range 64 {
		sum = times(sum, sum)
	}
	return over(wide(1), sum)
}

// poisson returns P(A = k), k = 0 … n, for the given mean.
func poisson(mean *big.Float, n int) []*big.Float {
	return byRatio(exponential(mean), n, func(k int) *big.Float {
		return over(mean, wide(float64(k+1)))
	})
}

// evenPoisson returns P(A = k), k = 0 … n, for services between 0 and 2, arrivals
// of the given rate Λ: P(Poisson(2Λ) > k)/(2Λ).
func evenPoisson(rate *big.Float, n int) []*big.Float {
	twice := times(wide(2), rate)
	counts, above := poisson(twice, n), wide(1)
	for k := range counts {
		above = minus(above, counts[k])
		counts[k] = over(above, twice)
	}
	return counts
}

// halfNegativeBinomial returns P(A = k), k = 0 … n, for gamma services of shape
// halves/2 and mean 1, arrivals of the given rate.
func halfNegativeBinomial(rate *big.Float, halves, n int) []*big.Float {
	shape := wide(float64(halves) / 2)
	base := plus(wide(1), over(rate, shape))
	root := zero().Sqrt(base)
	first := wide(1)
	for range halves {
		first = over(first, root)
	}
	q := over(over(rate, shape), base)
	return byRatio(first, n, func(k int) *big.Float {
		return over(times(q, plus(wide(float64(k)), shape)), wide(float64(k+1)))
	})
}

func byRatio(first *big.Float, n int, ratio func(k int) *big.Float) []*big.Float {
	a := []*big.Float{first}
	for k := range n {
		a = append(a, times(a[k], ratio(k)))
	}
	return a
}

// textbook solves the embedded chain of M/G/1/K with the recursion that
// subtracts, and returns P(X=0) … P(X=K).
func textbook(a []*big.Float, rho *big.Float, buffer int) []*big.Float {
	weights := []*big.Float{wide(1)}
	total := wide(1)
	for j := range buffer - 1 {
		next := minus(weights[j], times(weights[0], a[j]))
		for i := 1; i <= j; i++ {
			next = minus(next, times(weights[i], a[j-i+1]))
		}
		next = over(next, a[0])
		weights = append(weights, next)
		total = plus(total, next)
	}
	base := plus(over(weights[0], total), rho) // π_0 + ρ
	probabilities := make([]*big.Float, buffer+1)
	for j, weight := range weights {
		probabilities[j] = over(over(weight, total), base)
	}
	probabilities[buffer] = minus(wide(1), over(wide(1), base))
	return probabilities
}

// relativeError returns |got/want − 1|.
func relativeError(got float64, want *big.Float) float64 {
	if want.Sign() == 0 {
		return math.Abs(got)
	}
	value, _ := over(minus(wide(got), want), want).Float64()
	return math.Abs(value)
}
