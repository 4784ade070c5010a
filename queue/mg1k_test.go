package queue_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// worstError is the greatest relative error over the probabilities that are
// not too small for all digits.
func worstError(q *queue.MG1K, want []*big.Float) float64 {
	worst := 0.0
	for i, probability := range want {
		if value, _ := probability.Float64(); value > 1e-290 {
			worst = math.Max(worst, relativeError(q.Probability(i), probability))
		}
	}
	return worst
}

// TestMG1KAgainstTextbook compares every probability with the textbook
// recursion in 1200 bits, in which its subtractions do no harm.
func TestMG1KAgainstTextbook(t *testing.T) {
	fixed := must(queue.NewDeterministic(1))
	laws := map[string]struct {
		law  queue.Law
		rows func(rate *big.Float, n int) []*big.Float
	}{
		"exponential":   {must(queue.NewExponential(1)), func(r *big.Float, n int) []*big.Float { return halfNegativeBinomial(r, 2, n) }},
		"deterministic": {fixed, poisson},
		"uniform:0,2":   {must(queue.NewUniform(0, 2)), evenPoisson},
		"erlang:7":      {must(queue.NewErlang(7, 1)), func(r *big.Float, n int) []*big.Float { return halfNegativeBinomial(r, 14, n) }},
		"gamma:1/2":     {must(queue.NewGamma(0.5, 1)), func(r *big.Float, n int) []*big.Float { return halfNegativeBinomial(r, 1, n) }},
		"gamma:5/2":     {must(queue.NewGamma(2.5, 1)), func(r *big.Float, n int) []*big.Float { return halfNegativeBinomial(r, 5, n) }},
		"gamma:401/2":   {must(queue.NewGamma(200.5, 1)), func(r *big.Float, n int) []*big.Float { return halfNegativeBinomial(r, 401, n) }},
	}
	for name, c := range laws {
		for _, buffer := range []int{1, 2, 3, 10, 60} {
			for _, rate := range []float64{1e-3, 0.1, 0.7, 0.999999, 1, 1.000001, 1.5, 9, 70, 300} {
				a := c.rows(wide(rate), buffer)
				want := textbook(a, wide(rate), buffer)
				q := queue.NewMG1K(rate, c.law, buffer)
				// Errors of the law's counts are a few ulp; they enter once per
				// level. Those of gamma laws grow with the spread of the counts,
				// 1 + Λ/shape, and with |ln P(A=0)|.
				spread := 1.0
				if strings.HasPrefix(name, "gamma") || strings.HasPrefix(name, "erlang") {
					spread += c.law.Variance()*rate/4 - math.Log(c.law.Laplace(rate))/8
				}
				assert.LessOrEqual(t, worstError(q, want), 4*spread*float64(buffer+4)*ulp, "%s, K=%d, Λ=%v", name, buffer, rate)
				checkElasticities(t, q, c.rows, rate, buffer)
			}
		}
	}
}

// checkElasticities compares with a difference quotient over a relative step
// of 2^−200, exact to 200 bits less what cancels, of 1200.
func checkElasticities(t *testing.T, q *queue.MG1K, rows func(*big.Float, int) []*big.Float, rate float64, buffer int) {
	t.Helper()
	step := zero().SetMantExp(wide(1), -200)
	moved := times(wide(rate), plus(wide(1), step))
	before := textbook(rows(wide(rate), buffer), wide(rate), buffer)
	after := textbook(rows(moved, buffer), moved, buffer)
	slope := func(i int) float64 {
		value, _ := over(over(minus(after[i], before[i]), before[i]), step).Float64()
		return value
	}
	tolerance := 40 * float64(buffer+4) * ulp
	if value, _ := before[0].Float64(); value > 1e-290 {
		assert.InEpsilon(t, slope(0), q.EmptyElasticity(), tolerance, "K=%d, Λ=%v", buffer, rate)
	}
	if value, _ := before[buffer].Float64(); value > 1e-290 {
		assert.InEpsilon(t, slope(buffer), q.FullElasticity(), tolerance, "K=%d, Λ=%v", buffer, rate)
	}
}

func TestMG1KWithExponentialServicesIsMM1K(t *testing.T) {
	laws := []queue.Law{
		must(queue.NewExponential(0.25)),
		must(queue.NewErlang(1, 0.25)),
		must(queue.NewGamma(1, 0.25)),
		must(queue.NewHyperexponential([]float64{2, 1}, []float64{3, 3}, 0.25)),
		must(queue.NewPhaseType("", []float64{1}, [][]float64{{-9}}, 0.25)),
	}
	for _, law := range laws {
		for _, buffer := range []int{1, 2, 7, 50, 300} {
			for _, rate := range []float64{0, 0.01, 1, 3.9, 4 - 1e-9, 4, 4.1, 40, 4000} {
				closed := queue.MM1K{ArrivalRate: rate, ServiceRate: 4, Buffer: buffer}
				solved := queue.NewMG1K(rate, law, buffer)
				// Rounding of q = ρ/(1+ρ) enters once per level.
				tolerance := 2 * float64(buffer+10) * ulp
				for i := 0; i <= buffer; i++ {
					want := closed.Probability(i)
					if want > 1e-290 {
						require.InEpsilon(t, want, solved.Probability(i), tolerance, "%v K=%d Λ=%v i=%d", law, buffer, rate, i)
					}
				}
				assert.InDelta(t, closed.MeanLength(), solved.MeanLength(), tolerance*float64(buffer))
				assert.InDelta(t, closed.LossRate(), solved.LossRate(), tolerance*(1+rate))
				if closed.Empty() > 1e-290 && rate > 0 {
					assert.InEpsilon(t, closed.EmptyElasticity(), solved.EmptyElasticity(), 20*tolerance)
				}
				if closed.Full() > 1e-290 {
					assert.InEpsilon(t, closed.FullElasticity(), solved.FullElasticity(), 20*tolerance)
				}
			}
		}
	}
}

// TestMG1KAtScale checks that results for thousands of places keep their digits.
func TestMG1KAtScale(t *testing.T) {
	law := must(queue.NewExponential(1))
	for _, rate := range []float64{0.97, 1, 1.02} {
		closed := queue.MM1K{ArrivalRate: rate, ServiceRate: 1, Buffer: 3000}
		solved := queue.NewMG1K(rate, law, 3000)
		assert.InEpsilon(t, closed.Empty(), solved.Empty(), 3000*ulp)
		assert.InEpsilon(t, closed.Full(), solved.Full(), 3000*ulp)
	}
}

func TestMG1KSpecialCases(t *testing.T) {
	law := must(queue.NewDeterministic(1))
	for _, q := range []*queue.MG1K{
		queue.NewMG1K(-1, law, 3), queue.NewMG1K(math.NaN(), law, 3),
		queue.NewMG1K(math.Inf(1), law, 3), queue.NewMG1K(1, law, 0),
	} {
		for _, value := range []float64{
			q.Empty(), q.Full(), q.LossRate(), q.Probability(1), q.MeanLength(),
			q.EmptyElasticity(), q.FullElasticity(),
		} {
			assert.True(t, math.IsNaN(value))
		}
	}
	assert.PanicsWithValue(t, "queue: NewMG1K without a service law", func() { queue.NewMG1K(1, nil, 3) })
	assert.Panics(t, func() { law.Arrivals(1, -1) })

	// A service without arrivals has probability e^{−5000}.
	crowded := queue.NewMG1K(5000, law, 4)
	assert.Equal(t, 0.0, crowded.Empty())
	assert.InEpsilon(t, 1-1.0/5000, crowded.Full(), ulp)
	assert.InEpsilon(t, 1.0/5000, crowded.Probability(3), ulp)
	assert.InEpsilon(t, 1.0/4999, crowded.FullElasticity(), 1e-12)
	assert.InEpsilon(t, 1.0/5001, queue.NewMG1K(5000, law, 1).Empty(), ulp)

	idle := queue.NewMG1K(0, law, 4)
	assert.Equal(t, 1.0, idle.Empty())
	assert.Equal(t, 0.0, idle.Full())
	assert.Equal(t, 0.0, idle.Probability(-1))
	assert.Equal(t, 0.0, idle.Probability(5))
	assert.Equal(t, 0.0, idle.EmptyElasticity())
	assert.Equal(t, 4.0, idle.FullElasticity())
}
