package rounding_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
)

// LessBy is below every number within the relative error, be that next to nothing or
// nearly 1, by little more than rounding.
func TestLessBy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		x, relativeError := random.NormFloat64(), math.Pow(2, -60*random.Float64())
		if random.IntN(2) == 0 {
			relativeError = 1 - relativeError
		}
		margin := new(big.Rat).Mul(rational(relativeError), rational(math.Abs(x)))
		least, _ := margin.Sub(rational(x), margin).Float64()
		got := rounding.LessBy(x, relativeError)
		require.LessOrEqual(t, rational(got).Cmp(margin), 0, "%v by %v", x, relativeError)
		require.InDelta(t, least, got, 0x1p-48*math.Abs(x), "%v by %v", x, relativeError)
	}
}

func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func TestUnderflow(t *testing.T) {
	for _, products := range []int{0, 1, 7, 1000, 1 << 20, 1 << 30} {
		require.Equal(t, float64(products)*rounding.Subnormal, rounding.Underflow(products))
	}
}
