package robots_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// randomParameters draws sizes up to the given ones, and rates and weight of
// all magnitudes between 1/spread and spread.
func randomParameters(r *rand.Rand, robots, buffer int, spread float64) robots.Parameters {
	rate := func() float64 { return math.Pow(spread, 2*r.Float64()-1) }
	return process(1+r.IntN(robots), 2+r.IntN(buffer-1), rate(), rate(), rate())
}

func exactRational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// solved solves by policy iteration, whose bounds are as close as arithmetic
// allows, and accepts an answer that is not within the tolerance.
func solved(t *testing.T, p robots.Parameters) *robots.Solution {
	t.Helper()
	s, err := robots.Solve(context.Background(), p, mdp.Settings{MaxIterations: 1000})
	if err != nil {
		require.ErrorIs(t, err, mdp.ErrPrecisionLimit, "%+v", p)
	}
	return s
}

// What holds of the optimal gain whatever the parameters: comparisons are of
// bounds, so that they say nothing that rounding could have done.
func TestPropertiesOfTheOptimalGain(t *testing.T) {
	r := random(t)
	trials := 200
	if testing.Short() {
		trials = 20
	}
	for range trials {
		p := randomParameters(r, 12, 10, 10)
		s := solved(t, p)

		more := p
		more.Robots++
		assert.LessOrEqual(t, solved(t, more).Lower, s.Upper, "one robot more than %+v", p)

		heavier := p
		heavier.StarvationWeight *= 1 + r.Float64()
		h := solved(t, heavier)
		assert.GreaterOrEqual(t, h.Upper, s.Lower, "%+v with γ = %v", p, heavier.StarvationWeight)
		// The gain is a least γS + L: concave, and below γ/γ₀ times the gain at γ₀.
		ratio := heavier.StarvationWeight / p.StarvationWeight
		assert.LessOrEqual(t, h.Lower, s.Upper*ratio*(1+1e-15))

		// Another unit of time: by a power of 2 to the bit.
		for _, c := range []float64{8, 0.1 + r.Float64()} {
			scaled := p
			scaled.ArrivalRate *= c
			scaled.ServiceRate *= c
			scaled.StarvationWeight *= c
			x := solved(t, scaled)
			if c == 8 {
				assert.Equal(t, 8*s.Gain, x.Gain)
				assert.Equal(t, [2]float64{8 * s.Lower, 8 * s.Upper}, [2]float64{x.Lower, x.Upper})
				assert.Equal(t, s.Policy.Curves(), x.Policy.Curves())
			} else {
				// Each of the three products rounds, and the gain is at most
				// linear in each.
				assert.LessOrEqual(t, x.Lower, c*s.Upper*(1+1e-14), "%+v times %v", p, c)
				assert.GreaterOrEqual(t, x.Upper, c*s.Lower*(1-1e-14), "%+v times %v", p, c)
			}
		}

		// A fixed number of robots is a policy.
		fixed := static.Parameters{
			ArrivalRate: p.ArrivalRate, ServiceRate: p.ServiceRate,
			StarvationWeight: p.StarvationWeight, Buffer: p.Buffer,
		}
		for robots := 1; robots <= p.Robots; robots++ {
			result, err := fixed.Evaluate(robots)
			require.NoError(t, err)
			assert.LessOrEqual(t, s.Lower, result.Cost*(1+1e-14), "%d robots always active, %+v", robots, p)
			assert.LessOrEqual(t, s.Gain, result.Cost*(1+1e-9))
		}
	}
}

// Whatever the method and its status, for parameters of wild proportions: the
// bounds enclose the optimal gain, the policy costs no more than the upper one,
// in whichever closed class, and the measures are exact for it.
func TestBoundsHoldForWildParameters(t *testing.T) {
	r := random(t)
	trials := 60
	if testing.Short() {
		trials = 10
	}
	for range trials {
		p := randomParameters(r, 3, 3, 1e12)
		lambda, mu, weight := exactRational(p.ArrivalRate), exactRational(p.ServiceRate), exactRational(p.StarvationWeight)
		var lower *big.Rat // greatest lower bound
		var least *big.Rat // gain of any class of any policy
		for _, solve := range []func() (*robots.Solution, error){
			func() (*robots.Solution, error) {
				return robots.Solve(context.Background(), p, mdp.Settings{MaxIterations: 1000})
			},
			func() (*robots.Solution, error) {
				return robots.Solve(context.Background(), p, mdp.Settings{Method: mdp.RelativeValueIteration, MaxIterations: 500})
			},
			func() (*robots.Solution, error) {
				return paper.Solve(context.Background(), p, mdp.Settings{MaxIterations: 500})
			},
		} {
			s, err := solve()
			require.NotNil(t, s, "%+v: %v", p, err)
			assert.Equal(t, s.Status == mdp.Converged || s.Status == mdp.Stopped, err == nil)
			if low := exactRational(s.Lower); lower == nil || low.Cmp(lower) > 0 {
				lower = low
			}
			upper := exactRational(s.Upper)
			for q := range p.Buffer + 1 {
				for active := range p.Robots + 1 {
					if q+active == 0 {
						continue
					}
					gain := rationalGain(p, s.Policy, lambda, mu, weight, Pair{q, active})
					if gain == nil {
						continue // transient
					}
					assert.LessOrEqual(t, gain.Cmp(upper), 0, "%s, %+v: upper bound %v", s.Method, p, s.Upper)
					if least == nil || gain.Cmp(least) < 0 {
						least = gain
					}
				}
			}
			require.NotNil(t, s.Measures, "%+v", p)
		}
		assert.LessOrEqual(t, lower.Cmp(least), 0, "%+v", p)
	}
}
