package static_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

const precision = 500

func wide(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
func zero() *big.Float          { return new(big.Float).SetPrec(precision) }

func power(x *big.Float, n int) *big.Float {
	result, square := wide(1), zero().Set(x)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	return result
}

// slopeSign returns the sign of dC/dρ at ρ ≠ 1 for exponential services, from
// the quotient C = (1−ρ)(γ+cρ^m)/(1−ρ^{K+1}) in 500 bits: c = μ and m = K+1 for
// the loss rate, c = 1 and m = K for the loss probability. With numerator A and
// denominator B it is that of A'B − AB'.
func slopeSign(p static.Parameters, rho *big.Float) int {
	m, c := p.Buffer+1, p.ServiceRate
	if p.Cost == static.LossProbability {
		m, c = p.Buffer, 1
	}
	one := wide(1)
	charge := zero().Mul(wide(c), power(rho, m))
	charge.Add(charge, wide(p.StarvationWeight)) // γ + cρ^m
	short := zero().Sub(one, rho)
	a := zero().Mul(short, charge)
	aSlope := zero().Mul(short, wide(c*float64(m)))
	aSlope.Mul(aSlope, power(rho, m-1))
	aSlope.Sub(aSlope, charge)
	b := zero().Sub(one, power(rho, p.Buffer+1))
	bSlope := zero().Mul(wide(-float64(p.Buffer+1)), power(rho, p.Buffer))
	return zero().Sub(aSlope.Mul(aSlope, b), a.Mul(a, bSlope)).Sign()
}

// bisect returns the zero of dC/dρ with a relative error of 2^−150.
func bisect(p static.Parameters, near float64) *big.Float {
	low, high := wide(near/2), wide(near*2)
	for range 155 {
		middle := zero().Add(low, high)
		middle.Quo(middle, wide(2))
		if middle.Cmp(wide(1)) == 0 { // the quotient is 0/0 there
			middle.Add(middle, zero().SetMantExp(wide(1), -200))
		}
		if slopeSign(p, middle) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// errorInUlps compares with the root by bisection, in units in the last place.
func errorInUlps(t *testing.T, p static.Parameters) float64 {
	t.Helper()
	got := p.OptimalLoad()
	label := fmt.Sprintf("%+v: %v", p, got)
	require.True(t, got > 0 && !math.IsInf(got, 1), label)
	if got/2 < 0.99 || got > 1.01 { // elsewhere, dC/dρ is 0/0 at an end or close to it
		require.Negative(t, slopeSign(p, wide(got*0.49)), label)
		require.Positive(t, slopeSign(p, wide(got*2.04)), label)
	}
	difference := zero().Sub(wide(got), bisect(p, got))
	unit := math.Nextafter(got, math.Inf(1)) - got
	value, _ := difference.Quo(difference, wide(unit)).Float64()
	return math.Abs(value)
}

// allowance is the error that OptimalLoad documents, in units in the last
// place: that of the balance over its slope, and the last rounding.
func allowance(buffer int) float64 { return 1 + 8/float64(buffer) }

func TestOptimalLoadOnGrid(t *testing.T) {
	worst := 0.0
	for _, cost := range []static.Cost{static.LossRate, static.LossProbability} {
		for _, buffer := range []int{2, 3, 5, 10, 100, 10_000, 1_000_000} {
			for _, weight := range []float64{1e-300, 1e-30, 1e-5, 0.1, 0.4, 1, 1.4, 2.4, 17, 1e4, 1e40} {
				p := static.Parameters{ArrivalRate: 1, ServiceRate: 1, StarvationWeight: weight, Buffer: buffer, Cost: cost}
				got := errorInUlps(t, p)
				worst = math.Max(worst, got)
				assert.LessOrEqual(t, got, allowance(buffer), "%+v", p)
			}
		}
	}
	t.Logf("greatest error: %.2f units in the last place", worst)
}

// TestOptimalLoadAtExtremes takes weights so large or so small that one term of
// the balance is left: ρ*^{K+1} → Kγ/μ and ρ*^K → γ/((K+1)μ), and
// ρ*^{K−1} → Kγ and γ/K for the loss probability.
func TestOptimalLoadAtExtremes(t *testing.T) {
	p := static.Parameters{ArrivalRate: 1, ServiceRate: 0x1p-100, StarvationWeight: 1e300, Buffer: 3}
	cubeRoot := math.Cbrt(1e-300) / math.Cbrt(4*0x1p100)
	assert.InEpsilon(t, math.Sqrt(math.Sqrt(3e300))*0x1p25, p.OptimalLoad(), 4e-16)
	p.StarvationWeight, p.ServiceRate = 1e-300, 0x1p100
	assert.InEpsilon(t, cubeRoot, p.OptimalLoad(), 4e-16)
	p.Cost = static.LossProbability
	assert.InEpsilon(t, math.Sqrt(1e-300/3), p.OptimalLoad(), 4e-16)
	p.StarvationWeight = 1e300
	assert.InEpsilon(t, math.Sqrt(3e300), p.OptimalLoad(), 4e-16)
	p.Buffer = 2
	assert.InEpsilon(t, 2e300, p.OptimalLoad(), 4e-16)
	p.StarvationWeight = 0.9995 / 2 * math.MaxFloat64 // a little more than ρ* is no float64
	assert.InEpsilon(t, 0.9995*math.MaxFloat64, p.OptimalLoad(), 4e-16)
}

// TestOptimalLoadNearCriticalWeight: the double root of the paper's R at ρ = 1
// does no harm to the root next to it.
func TestOptimalLoadNearCriticalWeight(t *testing.T) {
	for _, cost := range []static.Cost{static.LossRate, static.LossProbability} {
		for _, buffer := range []int{2, 5, 15, 1000, 1_000_000} {
			for _, service := range []float64{1, 0.3} {
				p := static.Parameters{ArrivalRate: 1, ServiceRate: service, StarvationWeight: 1, Buffer: buffer, Cost: cost}
				critical := p.CriticalWeight()
				for _, change := range []float64{0, 1e-16, 3e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-9, 1e-6, 1e-3} {
					for _, sign := range []float64{-1, 1} {
						p.StarvationWeight = critical * (1 + sign*change)
						assert.LessOrEqual(t, errorInUlps(t, p), allowance(buffer), "%+v", p)
					}
				}
			}
		}
	}
}

func TestOptimalLoadRandom(t *testing.T) {
	rounds := 600
	if testing.Short() {
		rounds = 100
	}
	random := rand.New(rand.NewPCG(7, 8))
	for range rounds {
		p := static.Parameters{
			ArrivalRate:      1,
			ServiceRate:      math.Exp(20 * random.NormFloat64()),
			StarvationWeight: math.Exp(30 * random.NormFloat64()),
			Buffer:           2 + int(math.Exp(13.8*random.Float64())),
			Cost:             static.Cost(random.IntN(2)),
		}
		if random.IntN(2) == 0 {
			p.StarvationWeight = p.CriticalWeight() * (1 + math.Exp(-40*random.Float64())*random.NormFloat64()/10)
		}
		assert.LessOrEqual(t, errorInUlps(t, p), allowance(p.Buffer), "%+v", p)
	}
}

// TestCriticalWeight: ρ* is 1 there, for every law.
func TestCriticalWeight(t *testing.T) {
	for _, cost := range []static.Cost{static.LossRate, static.LossProbability} {
		for _, text := range []string{"exponential", "deterministic", "erlang:3", "gamma:0.4", "hyperexponential:0.9@1,0.1@12"} {
			for _, buffer := range []int{2, 5, 40} {
				law, err := queue.ParseLaw(text, 0.5, nil)
				require.NoError(t, err)
				p := static.Parameters{ArrivalRate: 0.1, ServiceRate: 2, StarvationWeight: 1, Buffer: buffer, Service: law, Cost: cost}
				p.StarvationWeight = p.CriticalWeight()
				assert.InDelta(t, 1, p.OptimalLoad(), 1e-13, "%s, K=%d, %v", text, buffer, cost)
				p.StarvationWeight *= 0.9
				assert.Less(t, p.OptimalLoad(), 1.0)
				p.StarvationWeight *= 1.3
				assert.Greater(t, p.OptimalLoad(), 1.0)
			}
		}
	}
	p := static.Parameters{ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1, Buffer: 15}
	assert.Equal(t, 17.0/15, p.CriticalWeight())
	p.Cost = static.LossProbability
	assert.Equal(t, 1.0, p.CriticalWeight())
}

// TestGeneralFormAgreesWithClosedForm solves exponential services through
// M/G/1/K, as gamma:1.
func TestGeneralFormAgreesWithClosedForm(t *testing.T) {
	for _, cost := range []static.Cost{static.LossRate, static.LossProbability} {
		for _, buffer := range []int{2, 7, 60, 400} {
			for _, weight := range []float64{1e-40, 1e-3, 0.4, 1.2, 30, 1e9, 1e60} {
				law, err := queue.NewGamma(1, 1.0/3)
				require.NoError(t, err)
				closed := static.Parameters{ArrivalRate: 0.1, ServiceRate: 3, StarvationWeight: weight, Buffer: buffer, Cost: cost}
				general := closed
				general.Service = law
				label := fmt.Sprintf("K=%d, γ=%v, %v", buffer, weight, cost)
				assert.InEpsilon(t, closed.OptimalLoad(), general.OptimalLoad(), 1e-12, label)
				assert.InEpsilon(t, closed.CriticalWeight(), general.CriticalWeight(), 1e-12, label)
				assert.InEpsilon(t, closed.CostAt(1.1), general.CostAt(1.1), 1e-12, label)
			}
		}
	}
}

// TestGeneralFormAtExtremes: the search starts where P(X=0) or P(X=K) is 0 in
// float64, and still ends at the least cost.
func TestGeneralFormAtExtremes(t *testing.T) {
	law, err := queue.NewDeterministic(1)
	require.NoError(t, err)
	for _, c := range []struct {
		weight float64
		buffer int
	}{{1e60, 5}, {1e200, 4}, {1e-300, 100}, {1e-250, 300}} {
		for _, cost := range []static.Cost{static.LossRate, static.LossProbability} {
			p := static.Parameters{ArrivalRate: 1, ServiceRate: 1, StarvationWeight: c.weight, Buffer: c.buffer, Service: law, Cost: cost}
			best := p.OptimalLoad()
			for _, factor := range []float64{0.99, 1.01} {
				assert.Greater(t, p.CostAt(best*factor), p.CostAt(best), "%+v: %v", p, best)
			}
		}
	}
}

// TestCostHasOneMinimum scans the cost on a fine grid, for laws for which
// nothing is proved: it falls up to ρ* and rises from there.
func TestCostHasOneMinimum(t *testing.T) {
	for _, cost := range []static.Cost{static.LossRate, static.LossProbability} {
		for _, text := range []string{
			"exponential", "deterministic", "erlang:4", "gamma:0.05", "gamma:7/2",
			"hyperexponential:0.99@1,0.01@200", "hyperexponential:0.5@1,0.5@1000",
		} {
			for _, buffer := range []int{2, 3, 9, 30} {
				for _, weight := range []float64{1e-3, 0.5, 1, 2, 100} {
					law, err := queue.ParseLaw(text, 1, nil)
					require.NoError(t, err)
					p := static.Parameters{ArrivalRate: 1, ServiceRate: 1, StarvationWeight: weight, Buffer: buffer, Service: law, Cost: cost}
					best := p.OptimalLoad()
					previous := p.CostAt(best)
					for rho := best * 1.02; rho < 50*best; rho *= 1.02 {
						next := p.CostAt(rho)
						require.GreaterOrEqual(t, next, previous*(1-1e-13), "%s K=%d γ=%v %v ρ=%v ρ*=%v", text, buffer, weight, cost, rho, best)
						previous = next
					}
					previous = p.CostAt(best)
					for rho := best / 1.02; rho > best/50; rho /= 1.02 {
						next := p.CostAt(rho)
						require.GreaterOrEqual(t, next, previous*(1-1e-13), "%s K=%d γ=%v %v ρ=%v ρ*=%v", text, buffer, weight, cost, rho, best)
						previous = next
					}
				}
			}
		}
	}
}
