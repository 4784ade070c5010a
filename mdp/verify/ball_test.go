package verify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// randomFloat returns a number of random sign and magnitude, sometimes 0 or a
// small whole one.
func randomFloat(random *rand.Rand) float64 {
	switch random.IntN(4) {
	case 0:
		return float64(random.IntN(9) - 4)
	case 1:
		return math.Ldexp(random.Float64()-0.5, random.IntN(2000)-1000)
	default:
		return math.Ldexp(random.Float64()-0.5, random.IntN(60)-30)
	}
}

// randomBall returns a ball and a rational in it.
func randomBall(random *rand.Rand) (ball, *big.Rat) {
	x := pointOf(doubledouble.TwoSum(randomFloat(random), randomFloat(random)*0x1p-53))
	if x.isUnknown() {
		return randomBall(random)
	}
	inside := rational(x.number())
	if random.IntN(2) == 0 {
		x.radius = math.Abs(randomFloat(random))
		share := new(big.Rat).SetFrac64(random.Int64N(201)-100, 100)
		inside.Add(inside, share.Mul(share, new(big.Rat).SetFloat64(x.radius)))
	}
	return x, inside
}

// assertHolds asserts that a ball holds a number, and so do its ends.
func assertHolds(t *testing.T, x ball, number *big.Rat) {
	t.Helper()
	if x.isUnknown() {
		return
	}
	distance := new(big.Rat).Sub(number, rational(x.number()))
	assert.LessOrEqual(t, distance.Abs(distance).Cmp(new(big.Rat).SetFloat64(x.radius)), 0, "%v in %v", number, x)
	assert.LessOrEqual(t, rational(x.lower()).Cmp(number), 0)
	assert.GreaterOrEqual(t, rational(x.upper()).Cmp(number), 0)
}

func TestBallsHoldResults(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		x, a := randomBall(random)
		y, b := randomBall(random)
		z, c := randomBall(random)

		sum := tally{x}
		sum.addBall(y)
		assertHolds(t, sum.ball, new(big.Rat).Add(a, b))

		sum = tally{x}
		sum.addScaled(y, z)
		product := new(big.Rat).Mul(b, c)
		assertHolds(t, sum.ball, product.Add(product, a))

		if q := quotient(x, y); !q.isUnknown() {
			assertHolds(t, q, new(big.Rat).Quo(a, b))
		}

		smallest := a
		for _, other := range []*big.Rat{b, c} {
			if other.Cmp(smallest) < 0 {
				smallest = other
			}
		}
		assertHolds(t, least([]ball{x, y, z}), smallest)

		lower, upper := doubledouble.FromFloat(x.high), doubledouble.FromFloat(y.high)
		if upper.Less(lower) {
			lower, upper = upper, lower
		}
		middle := new(big.Rat).Add(rational(lower), rational(upper))
		for _, inside := range []*big.Rat{rational(lower), rational(upper), middle.Mul(middle, big.NewRat(1, 2))} {
			assertHolds(t, between(lower, upper), inside)
		}
		if t.Failed() {
			return
		}
	}
}

// Results are not far wider than they need be.
func TestBallsAreNarrow(t *testing.T) {
	sum := tally{}
	for i := range 1000 {
		sum.addProduct(1/float64(i+1), 0.1)
	}
	assert.Less(t, sum.radius, 0x1p-96*sum.high)
	third := quotient(point(1), point(3))
	assert.Less(t, third.radius, 0x1p-104)
	assertHolds(t, third, big.NewRat(1, 3))
}

// What has few digits stays exact.
func TestExactBalls(t *testing.T) {
	sum := tally{point(0.75)}
	sum.addProduct(0.5, 3)
	sum.addBall(ball{high: 0x1p60, low: 0x1p-20})
	sum.addBall(point(-0x1p60))
	assert.Equal(t, point(2.25+0x1p-20), sum.ball)
	assert.Equal(t, point(1.5), quotient(point(0.75), point(0.5)))
	assert.Equal(t, ball{}, quotient(ball{}, point(3)))
	assert.Equal(t, point(-2), least([]ball{point(1), point(-2), point(5)}))
	assert.Equal(t, point(7), between(doubledouble.FromFloat(7), doubledouble.FromFloat(7)))
}

func TestUnknownBalls(t *testing.T) {
	sum := tally{point(math.MaxFloat64)}
	sum.add(math.MaxFloat64)
	assert.True(t, sum.isUnknown())
	assert.True(t, quotient(point(1), point(0)).isUnknown())
	assert.True(t, quotient(point(1), ball{high: 1, radius: 1}).isUnknown())
	assert.True(t, least([]ball{point(1), unknown}).isUnknown())
	assert.True(t, least(nil).isUnknown())
	assert.Equal(t, math.Inf(-1), unknown.lower().Hi)
	assert.Equal(t, math.Inf(1), unknown.upper().Hi)
}

func TestNumbersKeepRationals(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	list := []*big.Rat{big.NewRat(1, 3), big.NewRat(1, 2), new(big.Rat), new(big.Rat).SetFloat64(5e-324)}
	for range 1000 {
		_, x := randomBall(random)
		list = append(list, x)
	}
	n := fromRationals(list)
	half := n.times(0.5)
	negative := n.negative()
	for i, x := range list {
		assertHolds(t, n.ball(int32(i)), x)
		assert.Zero(t, n.rational(int32(i)).Cmp(x))
		assertHolds(t, half.ball(int32(i)), new(big.Rat).Mul(x, big.NewRat(1, 2)))
		assertHolds(t, negative.ball(int32(i)), new(big.Rat).Neg(x))
	}
	floats := numbers{high: []float64{0.1, 3, 0, 1e-310}}
	product := floats.times(0.3)
	for i, x := range floats.high {
		want := new(big.Rat).Mul(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(0.3))
		assertHolds(t, product.ball(int32(i)), want)
		assert.Zero(t, product.rational(int32(i)).Cmp(want))
	}
	huge := fromRationals([]*big.Rat{new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 2000))})
	assert.True(t, huge.ball(0).isUnknown())
}

func TestMeantFraction(t *testing.T) {
	for _, text := range []string{"9/10", "2/3", "19/20", "1/2", "999/1000", "123456789/1000000000", "1/7"} {
		x, _ := new(big.Rat).SetString(text)
		float, _ := x.Float64()
		assert.Equal(t, text, meant(float).RatString())
	}
}
