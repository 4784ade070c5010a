package queue_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/queue"
)

// ulp is the greatest relative error of one unit in the last place.
const ulp = 0x1p-52

// birthDeath solves the birth-death chain by its balance equations, state by
// state, and returns P(X=0), P(X=K) and E[X]. No closed form is involved.
func birthDeath(arrivalRate, serviceRate float64, buffer int, bits uint) (empty, full, mean *big.Float) {
	fresh := func(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
	ratio := fresh(arrivalRate)
	ratio.Quo(ratio, fresh(serviceRate))
	weight, sum, moment, product := fresh(1), fresh(1), fresh(0), fresh(0)
	for i := 1; i <= buffer; i++ {
		weight.Mul(weight, ratio)
		sum.Add(sum, weight)
		moment.Add(moment, product.Mul(weight, fresh(float64(i))))
	}
	return fresh(1).Quo(fresh(1), sum), weight.Quo(weight, sum), moment.Quo(moment, sum)
}

func checkAgainstBirthDeath(t *testing.T, q queue.MM1K, bits uint) {
	t.Helper()
	empty, full, mean := birthDeath(q.ArrivalRate, q.ServiceRate, q.Buffer, bits)
	room := new(big.Float).Sub(new(big.Float).SetPrec(bits).SetInt64(int64(q.Buffer)), mean)
	near := func(got float64, want *big.Float, name string) {
		t.Helper()
		if value, _ := want.Float64(); value < 0x1p-1022 { // subnormal: absolute
			assert.InDelta(t, value, got, 0x1p-1073, "%s of %+v", name, q)
			return
		}
		assert.LessOrEqual(t, relativeError(got, want), ulp, "%s of %+v", name, q)
	}
	near(q.Empty(), empty, "Empty")
	near(q.Full(), full, "Full")
	near(q.MeanLength(), mean, "MeanLength")
	near(q.MeanRoom(), room, "MeanRoom")
}

func TestMM1KAgainstChain(t *testing.T) {
	rates := []float64{
		1e-300, 1e-6, 0.01, 0.5, 0.99, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12, math.Nextafter(1, 0), 1,
		math.Nextafter(1, 2), 1 + 1e-15, 1 + 1e-12, 1 + 1e-9, 1 + 1e-6, 1.01, 2, 30, 1e3, 1e6,
	}
	for _, buffer := range []int{1, 2, 3, 5, 16, 63, 64, 100, 1500} {
		for _, rate := range rates {
			checkAgainstBirthDeath(t, queue.MM1K{ArrivalRate: rate, ServiceRate: 1, Buffer: buffer}, 200)
		}
	}
}

func TestMM1KRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		service := math.Exp(10 * random.NormFloat64())
		spread := math.Exp(-30 * random.Float64())
		checkAgainstBirthDeath(t, queue.MM1K{
			ArrivalRate: service * math.Exp(spread*random.NormFloat64()),
			ServiceRate: service,
			Buffer:      1 + random.IntN(600),
		}, 200)
	}
}

// TestMM1KMillionPlaces solves the chain once and takes the quotient
// (1−ρ)ρ^i/(1−ρ^{K+1}) elsewhere, in 400 bits, enough for the subtractions.
func TestMM1KMillionPlaces(t *testing.T) {
	const buffer = 1_000_000
	if !testing.Short() {
		checkAgainstBirthDeath(t, queue.MM1K{ArrivalRate: 1 + 1e-6, ServiceRate: 1, Buffer: buffer}, 128)
	}
	fresh := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	power := func(x float64, n int) *big.Float {
		result, square := fresh(1), fresh(x)
		for ; n > 0; n >>= 1 {
			if n&1 == 1 {
				result.Mul(result, square)
			}
			square.Mul(square, square)
		}
		return result
	}
	for _, rate := range []float64{
		math.Nextafter(1, 0), math.Nextafter(1, 2), 1 + 1e-15, 1 - 1e-9, 1 - 1e-6, 1 + 3e-6,
		1 + 3e-5, 0.9995, 1.0006, 0.5, 2, 1e6,
	} {
		one := fresh(1)
		factor := new(big.Float).Sub(one, fresh(rate))
		factor.Quo(factor, new(big.Float).Sub(one, power(rate, buffer+1)))
		q := queue.MM1K{ArrivalRate: rate, ServiceRate: 1, Buffer: buffer}
		for _, i := range []int{0, 1, 700, 500_000, 999_300, 999_999, buffer} {
			want := new(big.Float).Mul(factor, power(rate, i))
			if value, _ := want.Float64(); value < 0x1p-1022 {
				assert.InDelta(t, value, q.Probability(i), 0x1p-1073, "ρ=%v, i=%d", rate, i)
				continue
			}
			assert.LessOrEqual(t, relativeError(q.Probability(i), want), ulp, "ρ=%v, i=%d", rate, i)
		}
	}
}

func TestMM1KProbabilitiesSumToOne(t *testing.T) {
	for _, rate := range []float64{0, 0.3, 1, 1.0001, 7} {
		q := queue.MM1K{ArrivalRate: rate, ServiceRate: 1, Buffer: 40}
		sum, mean := 0.0, 0.0
		for i := -2; i <= 43; i++ {
			sum += q.Probability(i)
			mean += float64(i) * q.Probability(i)
		}
		assert.InDelta(t, 1, sum, 1e-14)
		assert.InDelta(t, q.MeanLength(), mean, 1e-13)
		assert.Equal(t, rate*q.Full(), q.LossRate())
		assert.Equal(t, q.Probability(0), q.Empty())
	}
}

// TestMM1KElasticities compares with a centred difference; its error is of
// order h² = 1e-10.
func TestMM1KElasticities(t *testing.T) {
	const h = 1e-5
	for _, rate := range []float64{0.2, 1, 3} {
		at := func(factor float64) queue.MM1K {
			return queue.MM1K{ArrivalRate: rate * factor, ServiceRate: 1, Buffer: 12}
		}
		slope := func(f func(queue.MM1K) float64) float64 {
			return math.Log(f(at(1+h))/f(at(1-h))) / (2 * h)
		}
		assert.InDelta(t, slope(queue.MM1K.Empty), at(1).EmptyElasticity(), 1e-8)
		assert.InDelta(t, slope(queue.MM1K.Full), at(1).FullElasticity(), 1e-8)
	}
}

func TestMM1KSpecialCases(t *testing.T) {
	empty := queue.MM1K{ArrivalRate: 0, ServiceRate: 2, Buffer: 3}
	assert.Equal(t, 1.0, empty.Empty())
	assert.Equal(t, 0.0, empty.Full())
	assert.Equal(t, 0.0, empty.MeanLength())
	assert.Equal(t, 3.0, empty.MeanRoom())
	crowded := queue.MM1K{ArrivalRate: 1e300, ServiceRate: 1e-300, Buffer: 3}
	assert.Equal(t, 0.0, crowded.Empty())
	assert.Equal(t, 1.0, crowded.Full())
	assert.Equal(t, 3.0, crowded.MeanLength())
	for _, q := range []queue.MM1K{
		{ArrivalRate: -1, ServiceRate: 1, Buffer: 3},
		{ArrivalRate: math.NaN(), ServiceRate: 1, Buffer: 3},
		{ArrivalRate: math.Inf(1), ServiceRate: 1, Buffer: 3},
		{ArrivalRate: 1, ServiceRate: 0, Buffer: 3},
		{ArrivalRate: 1, ServiceRate: math.NaN(), Buffer: 3},
		{ArrivalRate: 1, ServiceRate: math.Inf(1), Buffer: 3},
		{ArrivalRate: 1, ServiceRate: 1, Buffer: 0},
		{},
	} {
		for _, value := range []float64{
			q.Empty(), q.Full(), q.LossRate(), q.Probability(1), q.MeanLength(),
			q.MeanRoom(), q.EmptyElasticity(), q.FullElasticity(),
		} {
			assert.True(t, math.IsNaN(value), "%+v", q)
		}
	}
}
