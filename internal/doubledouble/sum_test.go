package doubledouble_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// randomRat returns a fraction of some size, sometimes a float64.
func randomRat(random *rand.Rand) *big.Rat {
	if random.IntN(4) == 0 { // short
		short := func() *big.Int { return new(big.Int).SetUint64(1 + random.Uint64()>>random.IntN(64)) }
		x := new(big.Rat).SetFrac(short(), short())
		if random.IntN(2) == 0 {
			x.Neg(x)
		}
		return x
	}
	x := new(big.Rat).SetFloat64(math.Ldexp(random.NormFloat64(), random.IntN(200)-100))
	if random.IntN(3) > 0 {
		x.Mul(x, big.NewRat(1+random.Int64N(1000), 1+random.Int64N(1000)))
	}
	return x
}

// requireOff fails unless |got − want| ≤ relative·|want|.
func requireOff(t *testing.T, got number, want *big.Rat, relative float64) {
	t.Helper()
	off := new(big.Rat).Sub(got.Rat(), want)
	allowed := new(big.Rat).SetFloat64(relative)
	require.LessOrEqual(t, off.Abs(off).Cmp(allowed.Abs(allowed.Mul(allowed, want))), 0, "%v for %v", got, want)
}

func TestRationals(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 10_000 {
		x, y := randomRat(random), randomRat(random)
		a, b := doubledouble.FromRat(x), doubledouble.FromRat(y)
		requireOff(t, a, x, 0x1p-105)
		if y.Sign() != 0 {
			requireOff(t, a.Quo(b), new(big.Rat).Quo(a.Rat(), b.Rat()), 0x1p-102)
		}
		down, up := doubledouble.Around(x)
		require.LessOrEqual(t, new(big.Rat).SetFloat64(down).Cmp(x), 0)
		require.GreaterOrEqual(t, new(big.Rat).SetFloat64(up).Cmp(x), 0)
		require.True(t, up == down || up == math.Nextafter(down, math.Inf(1)))
	}
	assert.Equal(t, number{}, doubledouble.FromRat(new(big.Rat)))
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 1070))
	assert.True(t, math.IsNaN(doubledouble.FromRat(tiny).Hi))
	assert.True(t, math.IsNaN(doubledouble.FromRat(new(big.Rat).Inv(tiny)).Hi))
	_, up := doubledouble.Around(new(big.Rat).Mul(new(big.Rat).Inv(tiny), new(big.Rat).Inv(tiny)))
	assert.Equal(t, math.Inf(1), up)
	down, up := doubledouble.Around(new(big.Rat).Mul(tiny, tiny))
	assert.Equal(t, []float64{0, math.SmallestNonzeroFloat64}, []float64{down, up})
}

// The errors of sums of products of rounded fractions are within their bounds, which are
// not far too wide.
func TestSums(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		var sum doubledouble.Sum
		exactly, terms := new(big.Rat), 1+random.IntN(20)
		for range terms {
			x, y := randomRat(random), randomRat(random)
			if random.IntN(4) == 0 { // so that what was cancels
				y = new(big.Rat).Neg(exactly)
				x = big.NewRat(1, 1)
			}
			a := doubledouble.FromRat(y)
			sum.AddProduct(doubledouble.FromRat(x), a, math.Abs(a.Hi))
			exactly.Add(exactly, new(big.Rat).Mul(x, y))
		}
		off := new(big.Rat).Sub(sum.Rat(), exactly)
		require.LessOrEqual(t, off.Abs(off).Cmp(new(big.Rat).SetFloat64(sum.Error(terms))), 0)
		require.Less(t, sum.Error(terms), sum.Size*0x1p-94+0x1p-900)
	}
	var sum doubledouble.Sum
	sum.AddProduct(doubledouble.FromFloat(0), doubledouble.FromFloat(3), 3)
	assert.Zero(t, sum.Error(1))
	sum.AddProduct(doubledouble.FromFloat(1e200), doubledouble.FromFloat(1e200), 1e200)
	assert.Equal(t, math.Inf(1), sum.Error(2))
	sum.AddProduct(doubledouble.FromFloat(math.NaN()), doubledouble.FromFloat(1), 1)
	assert.Equal(t, math.Inf(1), sum.Error(3))
}
