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

type number = doubledouble.Number

// precision holds sums and products of float64 of any exponent exactly: bits
// 2^2048 … 2^−2148.
const precision = 4300

func exact(x float64) *big.Float {
	return new(big.Float).SetPrec(precision).SetFloat64(x)
}

func value(x number) *big.Float {
	return exact(x.Hi).Add(exact(x.Hi), exact(x.Lo))
}

func sum(x, y *big.Float) *big.Float {
	return new(big.Float).SetPrec(precision).Add(x, y)
}

func product(x, y *big.Float) *big.Float {
	return new(big.Float).SetPrec(precision).Mul(x, y)
}

// The published bounds in units of u² = 2^−106 (see the package comment).
const (
	boundAddFloat = 2
	boundAdd      = 3.0000000000000018 // 3/(1−4u), rounded up
	boundMulFloat = 2
	boundMul      = 5
)

// requireWithin fails unless |got − want| ≤ units·u²·|want| + slack and got is
// in normal form. slack is 2^−1073 for products, which may underflow, else 0.
// It returns the error in units of u², or 0 where slack is needed.
func requireWithin(t *testing.T, operation string, got number, want *big.Float, units float64, slack *big.Float, operands ...number) float64 {
	t.Helper()
	require.Equal(t, got.Hi, got.Hi+got.Lo, "%s%v = %v is not in normal form", operation, operands, got)
	u2 := exact(0x1p-106)
	size := product(u2, new(big.Float).Abs(want))
	difference := sum(value(got), new(big.Float).Neg(want))
	difference.Abs(difference)
	allowed := sum(product(exact(units), size), slack)
	require.LessOrEqual(t, difference.Cmp(allowed), 0,
		"%s%v = %v, which is off by %.6g where %.6g is allowed", operation, operands, got, difference, allowed)
	if slack.Cmp(size) > 0 || size.Sign() == 0 {
		return 0
	}
	relative, _ := new(big.Float).Quo(difference, size).Float64()
	return relative
}

// largest collects the worst error seen per operation, in units of u².
type largest map[string]float64

func (l largest) note(operation string, err float64) {
	l[operation] = max(l[operation], err)
}

var (
	noSlack   = exact(0)
	underflow = exact(0x1p-1073)
)

func checkAll(t *testing.T, worst largest, x, y number) {
	t.Helper()
	minusY := product(exact(-1), value(y))

	require.Zero(t, value(doubledouble.TwoSum(x.Hi, y.Lo)).Cmp(sum(exact(x.Hi), exact(y.Lo))), "TwoSum(%v, %v)", x.Hi, y.Lo)
	require.Zero(t, value(doubledouble.TwoSum(x.Lo, y.Hi)).Cmp(sum(exact(x.Lo), exact(y.Hi))), "TwoSum(%v, %v)", x.Lo, y.Hi)
	worst.note("AddFloat", requireWithin(t, "AddFloat", x.AddFloat(y.Hi), sum(value(x), exact(y.Hi)), boundAddFloat, noSlack, x, y))
	worst.note("Add", requireWithin(t, "Add", x.Add(y), sum(value(x), value(y)), boundAdd, noSlack, x, y))
	worst.note("Sub", requireWithin(t, "Sub", x.Sub(y), sum(value(x), minusY), boundAdd, noSlack, x, y))

	if size := math.Abs(x.Hi * y.Hi); size < 0x1p1023 {
		p := doubledouble.TwoProduct(x.Hi, y.Hi)
		difference := sum(value(p), product(exact(-1), product(exact(x.Hi), exact(y.Hi))))
		switch {
		case size >= 0x1p-968:
			require.Zero(t, difference.Sign(), "TwoProduct(%v, %v) = %v", x.Hi, y.Hi, p)
		default:
			require.LessOrEqual(t, difference.Abs(difference).Cmp(underflow), 0, "TwoProduct(%v, %v) = %v", x.Hi, y.Hi, p)
		}
		worst.note("MulFloat", requireWithin(t, "MulFloat", x.MulFloat(y.Hi), product(value(x), exact(y.Hi)), boundMulFloat, underflow, x, y))
		worst.note("Mul", requireWithin(t, "Mul", x.Mul(y), product(value(x), value(y)), boundMul, underflow, x, y))
	}

	order := value(x).Cmp(value(y))
	require.Equal(t, order, x.Cmp(y), "Cmp(%v, %v)", x, y)
	require.Equal(t, order < 0, x.Less(y), "Less(%v, %v)", x, y)
	require.Zero(t, value(x.Neg()).Cmp(product(exact(-1), value(x))), "Neg(%v)", x)
	require.Zero(t, value(x.Abs()).Cmp(new(big.Float).Abs(value(x))), "Abs(%v)", x)

	checkRounding(t, x)
}

// checkRounding compares with the roundings of math/big.
func checkRounding(t *testing.T, x number) {
	t.Helper()
	nearest, _ := value(x).Float64()
	require.Equal(t, nearest, x.Float(), "Float(%v)", x)

	below, above := exact(x.RoundDown()), exact(x.RoundUp())
	require.LessOrEqual(t, below.Cmp(value(x)), 0, "RoundDown(%v)", x)
	require.GreaterOrEqual(t, above.Cmp(value(x)), 0, "RoundUp(%v)", x)
	if x.Lo == 0 {
		require.Equal(t, x.Hi, x.RoundDown(), "RoundDown(%v)", x)
		require.Equal(t, x.Hi, x.RoundUp(), "RoundUp(%v)", x)
		return
	}
	require.Equal(t, math.Nextafter(x.RoundDown(), math.Inf(1)), x.RoundUp(), "the bounds of %v are not neighbours", x)
}

// random returns a Number of about 2^exponent whose low part is at any
// distance below the high one, or 0, or a power of two (where the spacing of
// float64 changes).
func random(rng *rand.Rand, exponent int) number {
	hi := math.Ldexp(1+rng.Float64(), exponent)
	if rng.IntN(8) == 0 {
		hi = math.Ldexp(1, exponent)
	}
	lo := math.Ldexp(rng.Float64()-0.5, exponent-52-rng.IntN(12)*rng.IntN(12))
	if rng.IntN(8) == 0 {
		lo = 0
	}
	x := doubledouble.TwoSum(hi, lo)
	if rng.IntN(2) == 0 {
		return x.Neg()
	}
	return x
}

// near returns a Number that almost cancels x.
func near(rng *rand.Rand, x number) number {
	switch rng.IntN(4) {
	case 0:
		return x.Neg()
	case 1: // equal high parts
		return doubledouble.TwoSum(-x.Hi, x.Lo*(rng.Float64()-0.5))
	case 2: // neighbouring high parts
		return doubledouble.TwoSum(-math.Nextafter(x.Hi, 2*x.Hi), x.Lo)
	default: // equal leading bits
		return doubledouble.TwoSum(-x.Hi*(1+math.Ldexp(rng.Float64(), -rng.IntN(52))), x.Lo)
	}
}

func TestOperationsKeepTheirErrorBounds(t *testing.T) {
	const seed = 20260101
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	rounds := 10_000
	if testing.Short() {
		rounds = 2_000
	}
	worst := largest{}
	for range rounds {
		exponent := rng.IntN(2000) - 1000
		x := random(rng, exponent)
		checkAll(t, worst, x, random(rng, rng.IntN(2000)-1000))
		checkAll(t, worst, x, random(rng, min(1000, exponent+rng.IntN(140)-70))) // overlapping bits
		checkAll(t, worst, x, near(rng, x))
		checkAll(t, worst, x, near(rng, x).Neg())
	}
	t.Logf("worst errors in units of u²: %v", worst)
	for operation, err := range worst {
		assert.Greater(t, err, 0.5, "the random operands hardly strain %s", operation)
	}
}

// Operands for which the error of Add is (3u²−2u³)/(1+3u−3u²+2u³), so
// that its bound cannot be lowered: random ones stay below half of it.
func TestAddReachesItsBound(t *testing.T) {
	const u = 0x1p-53
	x := number{Hi: 1, Lo: u - u*u}
	y := number{Hi: -0.5 + u/2, Lo: -u*u/2 + u*u*u}
	err := requireWithin(t, "Add", x.Add(y), sum(value(x), value(y)), boundAdd, noSlack, x, y)
	assert.InDelta(t, 3, err, 1e-14)
}

func TestZeroAndSubnormals(t *testing.T) {
	zero := number{}
	tiny := doubledouble.FromFloat(math.SmallestNonzeroFloat64)
	one := doubledouble.FromFloat(1)
	for _, x := range []number{zero, tiny, tiny.Neg(), one, doubledouble.TwoSum(1, -math.SmallestNonzeroFloat64)} {
		for _, y := range []number{zero, tiny, one, one.Neg(), doubledouble.TwoSum(1, math.SmallestNonzeroFloat64)} {
			checkAll(t, largest{}, x, y)
		}
	}
}

func TestRoundingAtPowersOfTwo(t *testing.T) {
	// Below a power of two the float64 lie twice as close as above it.
	x := doubledouble.TwoSum(1, -0x1p-80)
	assert.Equal(t, 1-0x1p-53, x.RoundDown())
	assert.Equal(t, 1.0, x.RoundUp())
	x = doubledouble.TwoSum(1, 0x1p-80)
	assert.Equal(t, 1.0, x.RoundDown())
	assert.Equal(t, 1+0x1p-52, x.RoundUp())
}

func TestSpecialCases(t *testing.T) {
	inf := math.Inf(1)
	assert.Equal(t, inf, number{Hi: inf}.RoundDown())
	assert.Equal(t, -inf, number{Hi: -inf}.RoundUp())
	for _, x := range []number{
		{Hi: math.NaN()},
		doubledouble.TwoSum(math.MaxFloat64, math.MaxFloat64),
		doubledouble.TwoProduct(math.MaxFloat64, 2),
		doubledouble.FromFloat(math.MaxFloat64).Add(doubledouble.FromFloat(math.MaxFloat64)),
		doubledouble.FromFloat(math.MaxFloat64).Mul(doubledouble.FromFloat(-2)),
		doubledouble.FromFloat(math.MaxFloat64).MulFloat(-2),
	} {
		assert.True(t, math.IsNaN(x.RoundDown()), "RoundDown(%v)", x)
		assert.True(t, math.IsNaN(x.RoundUp()), "RoundUp(%v)", x)
	}
	nan := doubledouble.FromFloat(math.NaN())
	assert.False(t, nan.Less(number{}))
	assert.Zero(t, nan.Cmp(doubledouble.FromFloat(1)))
}

func FuzzOperations(f *testing.F) {
	f.Add(1.0, 0x1p-60, -1.0, 0x1p-61)
	f.Add(0x1.fffffffffffffp500, 0x1p440, 0x1p-500, -0x1p-600)
	f.Add(3.0, -0x1p-54, 0x1p-1070, 0.0)
	f.Fuzz(func(t *testing.T, a, b, c, d float64) {
		x, y := doubledouble.TwoSum(a, b), doubledouble.TwoSum(c, d)
		// Sums of two of these cannot overflow, nor can the normal form.
		if !(math.Abs(x.Hi) < 0x1p1022 && math.Abs(y.Hi) < 0x1p1022) {
			t.Skip("out of range")
		}
		checkAll(t, largest{}, x, y)
	})
}

// The chain of dependent operations stands for an inner loop.
func BenchmarkOperations(b *testing.B) {
	y := doubledouble.TwoSum(1, 0x1p-55)
	run := func(name string, step func(x number) number) {
		b.Run("operation="+name, func(b *testing.B) {
			x := doubledouble.TwoSum(1.5, 0x1p-60)
			for b.Loop() {
				x = step(x)
			}
			sink = x
		})
	}
	run("AddFloat", func(x number) number { return x.AddFloat(0x1p-30) })
	run("Add", func(x number) number { return x.Add(y) })
	run("MulFloat", func(x number) number { return x.MulFloat(1 - 0x1p-40) })
	run("Mul", func(x number) number { return x.Mul(y) })
	run("RoundDown", func(x number) number { return doubledouble.FromFloat(x.RoundDown()) })
}

var sink number
