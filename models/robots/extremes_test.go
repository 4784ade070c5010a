package robots_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
)

// Rates and weights at the ends of float64 are solved or refused, whatever the
// method; bounds are finite and in order, and the upper one is above 0, as is
// the gain: any policy starves now and then.
func TestExtremeParameters(t *testing.T) {
	for _, p := range []robots.Parameters{
		process(4, 3, 1e-300, 1, 1),
		process(4, 3, 1e300, 1, 1),
		process(4, 3, 1, 1e-300, 1),
		process(4, 3, 1, 1e300, 1),
		process(4, 3, 1, 1, 1e-300),
		process(4, 3, 1, 1, 1e300),
		process(1, 2, 1e308, 1, 1),
		process(1, 2, 1, 1, 1e308),
		process(4, 3, 5e-324, 1, 1),
		process(4, 3, 5e-324, 5e-324, 5e-324),
		process(4, 3, 1e-310, 1e-310, 1),
		process(4, 3, 1e-300, 1e-300, 1e-300),
		process(4, 3, 1e300, 1e300, 1e300),
		process(1, 2, 1e-308, 1e308, 1e308),
		process(2, 1000, 1, 1, 1), // a gain of 6e-302
	} {
		for name, solve := range map[string]func() (*robots.Solution, error){
			"policy iteration": func() (*robots.Solution, error) {
				return robots.Solve(context.Background(), p, mdp.Settings{Method: mdp.PolicyIteration})
			},
			"relative value iteration": func() (*robots.Solution, error) {
				return robots.Solve(context.Background(), p, mdp.Settings{Method: mdp.RelativeValueIteration, MaxIterations: 1000})
			},
			"the authors' iteration": func() (*robots.Solution, error) {
				return paper.Solve(context.Background(), p, mdp.Settings{MaxIterations: 100})
			},
		} {
			s, err := solve()
			if s == nil {
				require.Error(t, err, "%s, %+v", name, p)
				continue
			}
			for _, x := range []float64{s.Lower, s.Gain, s.Upper} {
				assert.False(t, math.IsNaN(x) || math.IsInf(x, 0), "%s, %+v", name, p)
			}
			assert.LessOrEqual(t, s.Lower, s.Upper, "%s, %+v", name, p)
			assert.Positive(t, s.Upper, "%s, %+v: %v", name, p, s.Status)
			assert.Equal(t, s.Status == mdp.Converged || s.Status == mdp.Stopped, err == nil, "%s, %+v", name, p)
		}
	}
}

// A gain below the least number above 0 is not 0, and a bound of 0 is none.
func TestGainThatUnderflows(t *testing.T) {
	for _, p := range []robots.Parameters{process(2, 1200, 1, 1, 1), process(2, 3000, 1, 1, 1)} {
		s := solved(t, p)
		assert.Positive(t, s.Upper, "%+v", p)
		assert.Equal(t, mdp.PrecisionLimit, s.Status, "%+v", p)
	}
}

// Where rounding decides between policies that are all but equally good, policy
// iteration comes to an end.
func TestPolicyIterationEnds(t *testing.T) {
	p := process(3, 2, 2.0916295031379675e-09, 1.9178411061024174e+10, 2.412418236457367e+08)
	s, err := robots.Solve(context.Background(), p, mdp.Settings{Method: mdp.PolicyIteration, MaxIterations: 1000})
	if err != nil {
		require.ErrorIs(t, err, mdp.ErrPrecisionLimit)
	}
	assert.InEpsilon(t, p.StarvationWeight, s.Measures.Gain, 1e-15) // N·λ/μ is 10⁻¹⁹
}

// Where pages are rare or the buffer is large, what happens can be written down.
func TestLimitingProcesses(t *testing.T) {
	// All robots are active and the queue is empty but for Nλ/μ of the time.
	s := solved(t, process(4, 3, 1e-10, 1, 1))
	assert.InEpsilon(t, 1-4e-10, s.Gain, 1e-15)
	// Losses at a load of 1/2 are 2⁻⁶⁰, so the one robot is always active.
	s = solved(t, process(1, 60, 0.5, 1, 3))
	assert.InEpsilon(t, 3*0.5, s.Gain, 1e-12)
}
