package queue_test

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

// files opens the files that the tests of laws refer to.
func files(name string) (io.ReadCloser, error) {
	content, found := map[string]string{
		"times":   "# measured\n1, 2.5\t3/2\n\n0 4 # late\n2.5\n",
		"coxian":  "1 0 0\n-3 2 0\n0 -2 1/2 # row 2\n0, 0, -7\n",
		"cyclic":  "0.5 0.5\n-1 0.9\n2 -2\n",
		"word":    "1 2\n 3 x4\n",
		"minus":   "1\n2 -3\n",
		"nothing": "# 1\n\n",
		"zeros":   "0 0\n",
		"ragged":  "1 0\n-1 1\n0\n",
		"long":    "1 0\n-1 1\n0 -1 2\n",
		"few":     "1 0\n-1 1\n",
		"many":    "1\n-1\n-1\n",
		"sum":     "0.5 0.4\n-1 1\n1 -1\n",
		"sign":    "1 0\n-1 -1\n1 -1\n",
		"rowsum":  "1 0\n-1 1.5\n1 -1\n",
		"endless": "1 0\n-1 1\n1 -1\n",
		"tiny":    "1\n-5e-324\n",
		"start":   "1.5 -0.5\n-1 1\n1 -1\n",
	}[name]
	if !found {
		return nil, fmt.Errorf("no such file")
	}
	return io.NopCloser(strings.NewReader(content)), nil
}

var lawTexts = []string{
	"exponential", "deterministic", "erlang:1", "erlang:3", "erlang:40", "gamma:0.3", "gamma:17/15", "gamma:1000000",
	"constant", "uniform:0,2", "uniform:1/3,17/15", "uniform:1e-9,1e200",
	"hyperexponential:0.3@2,0.7@1/2", "hyperexponential:1@1e-9,1e-9@1", "sample:times", "ph:coxian", "ph:cyclic",
	"hypererlang:0.3@2@2,0.7@5@1/2", "hypererlang:1@1@1e-3,2@3@1",
}

func TestLawsAreConsistent(t *testing.T) {
	for _, text := range lawTexts {
		for _, mean := range []float64{1, 0.2, 1e6} {
			law, err := queue.ParseLaw(text, mean, files)
			require.NoError(t, err, text)
			assert.Equal(t, mean, law.Mean(), text)

			// The text parses back to the same law.
			again, err := queue.ParseLaw(law.String(), mean, files)
			require.NoError(t, err, text)
			assert.Equal(t, law, again)

			// Transform and complement, and the expansion at 0:
			// 1 − E[e^{−xS}] = xE[S] − x²E[S²]/2 + O(x³).
			for _, y := range []float64{0, 1e-3, 0.5, 1, 20} {
				assert.InDelta(t, 1, law.Laplace(y/mean)+law.LaplaceComplement(y/mean), 1e-14, text)
			}
			for _, y := range []float64{1e-300, 1e-25} {
				assert.InEpsilon(t, y, law.LaplaceComplement(y/mean), 1e-14, text)
			}
			const y = 1e-6
			squared := law.Variance()/(mean*mean) + 1
			if squared < 10 { // otherwise the term in x³ is not small
				assert.InEpsilon(t, y-y*y*squared/2, law.LaplaceComplement(y/mean), 1e-10, text)
			}
			assert.True(t, math.IsNaN(law.Laplace(-1)))
			assert.True(t, math.IsNaN(law.LaplaceComplement(-1)))
			assert.True(t, math.IsNaN(law.Laplace(math.NaN())))
			assert.True(t, math.IsNaN(law.LaplaceComplement(math.NaN())))
			assert.InDelta(t, 1, law.Laplace(math.Inf(1))+law.LaplaceComplement(math.Inf(1)), 1e-15, text)
		}
	}
}

// TestArrivalsAreConsistent checks that sums, tails and excesses agree, and that the
// generating function of the counts is the law's transform.
func TestArrivalsAreConsistent(t *testing.T) {
	for _, text := range lawTexts {
		law, err := queue.ParseLaw(text, 2, files)
		require.NoError(t, err)
		for _, rate := range []float64{0, 1e-9, 0.05, 0.5, 2, 30, 600} {
			for _, n := range []int{0, 1, 5, 200} {
				counts := law.Arrivals(rate, n)
				label := fmt.Sprintf("%s, Λ=%v, n=%d", text, rate, n)
				require.Len(t, counts.Exactly, n+1)
				require.Len(t, counts.AtLeast, n+1)
				require.Len(t, counts.Excess, n+1)
				assert.InDelta(t, 1, counts.AtLeast[0], 1e-14, label)
				assert.InDelta(t, 2*rate, counts.Excess[0], 1e-11*rate, label)
				if law.Laplace(rate) > 1e-290 {
					assert.InEpsilon(t, law.Laplace(rate), counts.Exactly[0], 1e-12, label)
				}
				if n > 0 && rate > 0 {
					assert.InEpsilon(t, law.LaplaceComplement(rate), counts.AtLeast[1], 1e-12, label)
				}
				for k := range n {
					assert.InDelta(t, counts.AtLeast[k]-counts.Exactly[k], counts.AtLeast[k+1], 1e-14, label)
					assert.InDelta(t, counts.Excess[k]-counts.AtLeast[k+1], counts.Excess[k+1], 1e-13*(1+rate), label)
				}
				if n == 200 && rate <= 2 {
					z, sum := 0.5, 0.0
					for k, probability := range counts.Exactly {
						sum += probability * math.Pow(z, float64(k))
					}
					assert.InEpsilon(t, law.Laplace(rate*(1-z)), sum, 1e-12, label)
				}
			}
		}
		for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
			counts := law.Arrivals(rate, 2)
			for _, values := range [][]float64{counts.Exactly, counts.AtLeast, counts.Excess} {
				require.Len(t, values, 3)
				for _, value := range values {
					assert.True(t, math.IsNaN(value))
				}
			}
		}
	}
}

// TestArrivalTails compares the tails, especially small ones, with sums of 4000
// terms in 1200 bits.
func TestArrivalTails(t *testing.T) {
	const top = 4000
	check := func(law queue.Law, rate float64, a []*big.Float, tolerance float64) {
		for _, n := range []int{3, 25, 150, 900} {
			counts := law.Arrivals(rate, n)
			atLeast, excess := zero(), zero()
			for k := top; k >= 0; k-- {
				if k <= n {
					want, _ := excess.Float64() // E[(A−k)⁺] = Σ_{i>k} P(A ≥ i)
					if want > 1e-300 {
						require.LessOrEqual(t, relativeError(counts.Excess[k], excess), tolerance, "%v Λ=%v n=%d excess %d", law, rate, n, k)
					}
				}
				atLeast = plus(atLeast, a[k])
				excess = plus(excess, atLeast)
				if k <= n {
					for i, pair := range []struct {
						got  float64
						want *big.Float
					}{{counts.Exactly[k], a[k]}, {counts.AtLeast[k], atLeast}} {
						if want, _ := pair.want.Float64(); want > 1e-300 {
							require.LessOrEqual(t, relativeError(pair.got, pair.want), tolerance, "%v Λ=%v n=%d k=%d %d", law, rate, n, k, i)
						}
					}
				}
			}
		}
	}
	for _, rate := range []float64{1e-4, 0.3, 3, 26, 149, 1000} {
		check(must(queue.NewDeterministic(1)), rate, poisson(wide(rate), top), 2e-13)
	}
	for _, halves := range []int{1, 3, 60} {
		for _, rate := range []float64{1e-4, 0.3, 3, 26, 40} {
			law := must(queue.NewGamma(float64(halves)/2, 1))
			check(law, rate, halfNegativeBinomial(wide(rate), halves, top), 1e-12)
		}
	}
}

// TestGammaWithTinyShape covers counts whose tail is too long to be summed.
// With shape r → 0, P(A ≥ k)/P(A ≥ 1) tends to that of the logarithmic law.
func TestGammaWithTinyShape(t *testing.T) {
	const shape = 1e-9
	law := must(queue.NewGamma(shape, 1))
	counts := law.Arrivals(1e-2, 100) // 1/(1−q) = 1 + 1e7
	q := 1e7 / (1 + 1e7)
	none := math.Log1p(1e7)
	tail, excess := none, 1e-2/shape
	for k := 1; k <= 100; k++ {
		excess -= tail
		assert.InEpsilon(t, tail*shape, counts.AtLeast[k], 1e-7)
		assert.InEpsilon(t, excess*shape, counts.Excess[k], 1e-7)
		tail -= math.Pow(q, float64(k)) / float64(k)
	}
}

// The transform of a law with a tiny shape does not overflow: ln h = −r·ln(1+xm/r).
func TestGammaTransformsDoNotOverflow(t *testing.T) {
	const shape, x = 1e-250, 1e60
	law := must(queue.NewGamma(shape, 1))
	assert.Equal(t, 1., law.Laplace(x))
	assert.InEpsilon(t, shape*310*math.Ln10, law.LaplaceComplement(x), 1e-15)
	assert.Equal(t, x, law.LaplaceExcess(x))
	assert.Equal(t, 0., law.Laplace(math.Inf(1)))
	assert.Equal(t, math.Inf(1), law.LaplaceExcess(math.Inf(1)))
}

// TestPhaseTypeForms checks that Erlang, hyperexponential and a feedback loop written as
// phases are the right laws.
func TestPhaseTypeForms(t *testing.T) {
	erlang := must(queue.NewPhaseType("", []float64{1, 0, 0}, [][]float64{{-5, 5, 0}, {0, -5, 5}, {0, 0, -5}}, 0.7))
	mixture := must(queue.NewPhaseType("", []float64{0.3, 0.7}, [][]float64{{-0.5, 0}, {0, -2}}, 0.7))
	// A geometric number of exponential phases is exponential.
	loop := must(queue.NewPhaseType("", []float64{0, 1}, [][]float64{{-2, 1}, {1, -2}}, 0.7))
	assert.Len(t, erlang.Start(), 3)
	for _, pair := range [][2]queue.Law{
		{erlang, must(queue.NewErlang(3, 0.7))},
		{mixture, must(queue.NewHyperexponential([]float64{3, 7}, []float64{4, 1}, 0.7))},
		{loop, must(queue.NewExponential(0.7))},
	} {
		got, want := pair[0], pair[1]
		assert.InEpsilon(t, want.Variance(), got.Variance(), 1e-14)
		for _, x := range []float64{1e-12, 0.1, 1, 50} {
			assert.InEpsilon(t, want.Laplace(x), got.Laplace(x), 1e-14)
			assert.InEpsilon(t, want.LaplaceComplement(x), got.LaplaceComplement(x), 1e-14)
			a, b := got.Arrivals(x, 20), want.Arrivals(x, 20)
			for k := range 21 {
				assert.InEpsilon(t, b.Exactly[k], a.Exactly[k], 1e-13)
				assert.InEpsilon(t, b.AtLeast[k], a.AtLeast[k], 1e-13)
				assert.InEpsilon(t, b.Excess[k], a.Excess[k], 1e-13)
			}
		}
	}
}

func TestSample(t *testing.T) {
	law := must(queue.NewSample("three", []float64{2, 0, 4}, 1))
	assert.Equal(t, "sample:three", law.String())
	assert.InEpsilon(t, 2.0/3, law.Variance(), 1e-15) // times 0, 1, 2
	assert.InEpsilon(t, (1+math.Exp(-3)+math.Exp(-6))/3, law.Laplace(3), 1e-15)
	assert.InEpsilon(t, 1.0/3, law.Laplace(math.Inf(1)), 1e-15)
	counts := law.Arrivals(3, 2)
	assert.InEpsilon(t, (3*math.Exp(-3)+6*math.Exp(-6))/3, counts.Exactly[1], 1e-14)
	same := must(queue.NewSample("", []float64{5, 5, 5}, 1))
	point := must(queue.NewDeterministic(1))
	assert.Equal(t, point.Arrivals(2, 9), same.Arrivals(2, 9))
}

func TestLawConstructorsRefuse(t *testing.T) {
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		errors := []error{}
		collect := func(_ any, err error) { errors = append(errors, err) }
		collect(queue.NewExponential(bad))
		collect(queue.NewDeterministic(bad))
		collect(queue.NewErlang(2, bad))
		collect(queue.NewGamma(bad, 1))
		collect(queue.NewGamma(1, bad))
		collect(queue.NewHyperexponential([]float64{bad}, []float64{1}, 1))
		collect(queue.NewHyperexponential([]float64{1}, []float64{bad}, 1))
		collect(queue.NewHyperexponential([]float64{1}, []float64{1}, bad))
		collect(queue.NewSample("", []float64{1}, bad))
		collect(queue.NewPhaseType("", []float64{1}, [][]float64{{-1}}, bad))
		for i, err := range errors {
			assert.Error(t, err, "%d with %v", i, bad)
		}
	}
	errors := []error{}
	collect := func(_ any, err error) { errors = append(errors, err) }
	collect(queue.NewErlang(0, 1))
	collect(queue.NewHyperexponential(nil, nil, 1))
	collect(queue.NewHyperexponential([]float64{1}, []float64{1, 2}, 1))
	collect(queue.NewSample("", nil, 1))
	collect(queue.NewSample("", []float64{1, -1}, 1))
	collect(queue.NewSample("", []float64{math.NaN()}, 1))
	collect(queue.NewSample("", []float64{0}, 1))
	collect(queue.NewPhaseType("", nil, nil, 1))
	collect(queue.NewPhaseType("", []float64{math.NaN()}, [][]float64{{-1}}, 1))
	collect(queue.NewPhaseType("", []float64{1}, [][]float64{{0}}, 1))
	collect(queue.NewPhaseType("", []float64{1}, [][]float64{{math.Inf(-1)}}, 1))
	for i, err := range errors {
		assert.Error(t, err, i)
	}
	// Two phases, so that the mean is finite whatever the first rate is.
	for _, rate := range []float64{math.Inf(-1), math.NaN()} {
		law, err := queue.NewPhaseType("", []float64{0.5, 0.5}, [][]float64{{rate, 1}, {0, -1}}, 1)
		require.ErrorContains(t, err, "row 1, column 1: rate "+fmt.Sprint(rate)+" is not valid")
		assert.Nil(t, law)
	}
}
