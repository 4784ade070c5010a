package mdp_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// A queue that loses a customer once in 10²⁰ … 10¹²⁰ steps, with a corridor that only
// an expensive action of the full queue leads into. The values there differ by the gain
// from place to place, which is far below the resolution of the values even in
// double-double. Still the bounds meet, at the gain that the stationary distribution
// gives.
func TestBoundsMeetWhereValuesDwarfTheGain(t *testing.T) {
	const corridor = 5
	for _, k := range []int{30, 60, 180} {
		n := k + 1 + corridor
		var b mdp.TableBuilder
		add := func(cost float64, next map[int]float64) {
			b.AddAction(cost)
			for j := range n {
				b.AddTransition(j, next[j])
			}
		}
		for q := range n {
			b.AddState()
			switch {
			case q > k:
				next := map[int]float64{q: 0.5, q + 1: 0.5}
				if q == n-1 {
					next = map[int]float64{q: 0.5, k: 0.5}
				}
				add(0, next)
			case q == 0:
				add(0, map[int]float64{0: 0.875, 1: 0.125})
			default:
				for _, down := range []float64{0.5, 0.625} { // the second costs more
					next := map[int]float64{q - 1: down, q: 0.875 - down}
					next[min(q+1, k)] += 0.125
					cost := 0.0
					if q == k {
						cost = 0.125
					}
					if down > 0.5 {
						cost += 1e-3
					}
					add(cost, next)
				}
				if q == k {
					add(1e6, map[int]float64{k + 1: 1})
				}
			}
		}
		table, err := b.Build()
		require.NoError(t, err)
		result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{Method: mdp.PolicyIteration})
		require.NoError(t, err, "k=%d", k)
		// Slow service as long as it costs nothing and is no worse: the gain is
		// at most that of slow service throughout, 0.125·(1/4)^k·(3/4)/(1 − …).
		slow := 0.125 * math.Ldexp(1, -2*k) * 0.75 / (1 - math.Ldexp(1, -2*(k+1)))
		assert.LessOrEqual(t, result.Gain, slow*(1+1e-12))
		assert.Positive(t, result.Lower)
		assert.LessOrEqual(t, result.Upper-result.Lower, 1e-9*result.Upper)
		assertGainOfPolicy(t, table, result, 1e-13)
		t.Logf("k=%d: gain %v in [%v, %v], %d rounds", k, result.Gain, result.Lower, result.Upper, result.Iterations)
	}
}
