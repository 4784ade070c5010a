package robots_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

var long = flag.Bool("long", false, "run random tests at length")

// TestRandomParametersAgainstExactArithmetic does what
// TestSolveAgainstExactArithmetic does for parameters drawn at random: loads
// from light to hopeless, weights over twelve orders of magnitude.
func TestRandomParametersAgainstExactArithmetic(t *testing.T) {
	const seed = 1999
	trials := 15
	if *long {
		trials = 1000
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for trial := range trials {
		buffer, n := 2+random.IntN(59), 1+random.IntN(40)
		mu := big.NewRat(1+random.Int64N(1000), 1+random.Int64N(100))
		load := big.NewRat(1+random.Int64N(400), 100) // of all robots
		lambda := new(big.Rat).Mul(mu, load)
		lambda.Quo(lambda, big.NewRat(int64(n), 1))
		weight, ok := new(big.Rat).SetString(fmt.Sprintf("%de%d", 1+random.IntN(99), random.IntN(12)-7))
		require.True(t, ok)
		name := fmt.Sprintf("seed=%d,trial=%d,N=%d,K=%d,lambda=%v,mu=%v,gamma=%v", seed, trial, n, buffer, lambda, mu, weight)
		t.Run(name, func(t *testing.T) {
			e := exactProcess{
				robots: n, buffer: buffer,
				lambda: exactFloat(t, lambda.String()), mu: exactFloat(t, mu.String()), weight: exactFloat(t, weight.String()),
			}
			p := robots.Parameters{Robots: n, Buffer: buffer}
			p.ArrivalRate, _ = lambda.Float64()
			p.ServiceRate, _ = mu.Float64()
			p.StarvationWeight, _ = weight.Float64()
			s, err := robots.Solve(context.Background(), p, mdp.Settings{})
			if err != nil {
				// Only where the gain is lost beside the costs is the tolerance
				// out of reach; bounds and gain must be right there too.
				require.ErrorIs(t, err, mdp.ErrPrecisionLimit)
				require.Less(t, s.Upper, 1e-16*(p.StarvationWeight+p.ArrivalRate*float64(n)))
			}
			root := likelyPair(t, s.Policy)
			gain, values := e.evaluate(s.Policy, root.Queue, root.Active)
			exact, _ := gain.Float64()
			assert.InEpsilon(t, exact, s.Gain, 1e-11)
			assert.LessOrEqual(t, number(s.Lower).Cmp(gain), 0, "lower %v, exact %v", s.Lower, gain)
			assert.GreaterOrEqual(t, number(s.Upper).Cmp(gain), 0, "upper %v, exact %v", s.Upper, gain)

			// The policy need not be optimal to the last bit, but what a better
			// one could save must be within the bounds.
			excess, _ := e.excess(gain, values).Float64()
			if excess > 0 {
				t.Logf("a decision is better by %g, of a gain of %g", excess, exact)
			}
			require.False(t, math.IsNaN(excess))
		})
	}
}
