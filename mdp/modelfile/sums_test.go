package modelfile

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Sums in 64 bits are those of fractions of any length, or are not made: with
// numerators and denominators of up to 64 bits each, some of them common.
func TestShortSums(t *testing.T) {
	const seed = 9
	short := 0
	for i := range 3000 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		bits, want := 1+random.IntN(64), new(big.Rat)
		numbers := Numbers{Exact: []*big.Rat{}}
		for range random.IntN(6) {
			a, b := random.Uint64()>>(64-bits), max(1, random.Uint64()>>(64-bits))
			if random.IntN(2) == 0 {
				b = 1 << random.IntN(bits)
			}
			x := new(big.Rat).SetFrac(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
			want.Add(want, x)
			numbers.Float, numbers.Exact = append(numbers.Float, 0), append(numbers.Exact, x)
		}
		sum, ok := shortSum(numbers.Exact)
		if ok {
			short++
			require.Zero(t, want.Cmp(sum), "seed %d, sum %d", seed, i)
		}
		require.Zero(t, want.Cmp(numbers.sum(0, len(numbers.Exact))), "seed %d, sum %d", seed, i)
	}
	assert.Greater(t, short, 500)
	assert.Less(t, short, 2900)

	most := new(big.Rat).SetInt(new(big.Int).SetUint64(math.MaxUint64))
	_, ok := shortSum([]*big.Rat{most, one})
	assert.False(t, ok)
	sum, ok := shortSum([]*big.Rat{most})
	assert.True(t, ok)
	assert.Zero(t, most.Cmp(sum))
}
