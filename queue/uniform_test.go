package queue_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"

	"github.com/mdpsolve/mdpsolve/queue"
)

func ExampleNewUniform() {
	law, err := queue.NewUniform(1, 3)
	fmt.Println(law, law.Mean(), law.Variance(), err)
	fmt.Printf("%.6f\n", law.Laplace(0.5))
	// Output:
	// uniform:1,3 2 0.3333333333333333 <nil>
	// 0.383400
}

// uniformEnds are the least and the greatest time of a law.
var uniformEnds = [][2]float64{{0, 2}, {0.3, 1.7}, {1, 1.001}, {1e-6, 3}}

func TestUniformTransforms(t *testing.T) {
	for _, ends := range uniformEnds {
		law := must(queue.NewUniform(ends[0], ends[1]))
		for _, x := range []float64{1e-3, 0.1, 1, 3, 20} {
			mean := func(f func(time float64) float64) float64 {
				return quad.Fixed(f, ends[0], ends[1], 60, quad.Legendre{}, 0) / (ends[1] - ends[0])
			}
			assert.InEpsilon(t, mean(func(s float64) float64 { return math.Exp(-x * s) }), law.Laplace(x), 1e-13)
			assert.InEpsilon(t, mean(func(s float64) float64 { return -math.Expm1(-x * s) }), law.LaplaceComplement(x), 1e-13)
		}
		assert.Equal(t, 1.0, law.Laplace(0))
		assert.Zero(t, law.LaplaceComplement(0))
		assert.Zero(t, law.Laplace(math.Inf(1)))
		assert.Equal(t, 1.0, law.LaplaceComplement(math.Inf(1)))
		for _, bad := range []float64{-1, math.NaN()} {
			assert.True(t, math.IsNaN(law.Laplace(bad)))
			assert.True(t, math.IsNaN(law.LaplaceComplement(bad)))
			assert.True(t, math.IsNaN(law.LaplaceExcess(bad)))
		}
	}
}

// The number of arrivals is k with probability
// (P(k+1, Λb) − P(k+1, Λa))/(Λ(b−a)), P the regularized incomplete gamma
// function; that subtraction, good to some 1e-12 of the greater term, is what
// the comparison allows for.
func TestUniformArrivals(t *testing.T) {
	const n = 60
	for _, ends := range uniformEnds {
		a, b := ends[0], ends[1]
		law := must(queue.NewUniform(a, b))
		for _, rate := range []float64{1e-3, 0.5, 4, 30} {
			counts := law.Arrivals(rate, n)
			sum, mean := 0.0, 0.0
			for k, got := range counts.Exactly {
				high := mathext.GammaIncReg(float64(k+1), rate*b)
				want := (high - mathext.GammaIncReg(float64(k+1), rate*a)) / (rate * (b - a))
				assert.InDelta(t, want, got, 1e-12*high/(rate*(b-a))+1e-300, "%v Λ=%v k=%d", law, rate, k)
				sum += got
				mean += float64(k) * got
			}
			assert.InDelta(t, 1, counts.AtLeast[0], 1e-14)
			assert.InEpsilon(t, rate*law.Mean(), counts.Excess[0], 1e-13)
			assert.InEpsilon(t, law.Laplace(rate), counts.Exactly[0], 1e-13)
			assert.InEpsilon(t, law.LaplaceComplement(rate), counts.AtLeast[1], 1e-13)
			if rate <= 4 {
				assert.InDelta(t, 1, sum, 1e-13)
				assert.InEpsilon(t, rate*law.Mean(), mean, 1e-12)
			}
		}
		for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
			assert.True(t, math.IsNaN(law.Arrivals(rate, 1).Exactly[1]))
		}
	}
	// a_k for [0, b] in closed form, far into the tail: P(Poisson(Λb) > k)/(Λb).
	law, poisson := must(queue.NewUniform(0, 2)), must(queue.NewDeterministic(2))
	got, want := law.Arrivals(1.5, 150), poisson.Arrivals(1.5, 151)
	for k, probability := range got.Exactly {
		assert.InEpsilon(t, want.AtLeast[k+1]/3, probability, 1e-12, "k=%d", k)
	}
}

func TestUniformDraws(t *testing.T) {
	const seed = 3
	random := rand.New(rand.NewPCG(seed, 0))
	law := must(queue.NewUniform(1, 3))
	sum := 0.0
	for range 10_000 {
		time := law.Draw(random)
		require.True(t, time >= 1 && time < 3)
		sum += time
	}
	assert.InDelta(t, 2, sum/10_000, 5*math.Sqrt(law.Variance()/10_000), "seed %d", seed)
}

func TestUniformRefuses(t *testing.T) {
	for _, ends := range [][2]float64{{-1, 1}, {1, 1}, {2, 1}, {0, math.Inf(1)}, {math.NaN(), 1}, {0, math.NaN()}} {
		_, err := queue.NewUniform(ends[0], ends[1])
		assert.Error(t, err, ends)
	}
}

// The excess is xE[S] minus the complement where that keeps its digits, and
// x²E[S²]/2 to first order where x is tiny.
func TestLaplaceExcess(t *testing.T) {
	var laws []queue.Law
	for _, text := range lawTexts {
		laws = append(laws, must(queue.ParseLaw(text, 2, files)))
	}
	for _, ends := range uniformEnds {
		laws = append(laws, must(queue.NewUniform(ends[0], ends[1])))
	}
	for _, law := range laws {
		excess := law.LaplaceExcess
		second := law.Variance() + law.Mean()*law.Mean()
		for _, x := range []float64{0.5, 1, 2, 10, 1000} {
			assert.InEpsilon(t, x*law.Mean()-law.LaplaceComplement(x), excess(x), 1e-13, "%v %v", law, x)
		}
		x := 1e-14 * law.Mean() / second
		assert.InEpsilon(t, x*x*second/2, excess(x), 1e-12, "%v", law)
		assert.Zero(t, excess(0))
		assert.True(t, math.IsInf(excess(math.Inf(1)), 1), "%v", law)
		assert.True(t, math.IsNaN(excess(-1)), "%v", law)
		assert.True(t, math.IsNaN(excess(math.NaN())), "%v", law)
		// There is no jump where one formula replaces another.
		for _, y := range []float64{1, 2} {
			at := y / law.Mean()
			assert.InEpsilon(t, excess(at*(1-1e-15)), excess(at*(1+1e-15)), 1e-14, "%v", law)
		}
	}
}
