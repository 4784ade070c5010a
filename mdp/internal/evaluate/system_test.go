package evaluate

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/graph"
)

// Any state serves as the root from which a class is factored: a bad one is
// replaced.
func TestClassesForgiveABadRoot(t *testing.T) {
	for _, n := range []int{2, 30, 5000} {
		c := &Chain{Chain: *graph.NewChain(n), Costs: make([]float64, n)}
		for s := range int32(n) { // drifts down: π(s) = 2⁻ˢ⁻¹, nearly
			for j, p := range map[int32]float64{s - 1: 0.5, s + 1: 0.25} {
				if j >= 0 && int(j) < n {
					c.Add(j, p)
				}
			}
			c.EndState()
			c.Costs[s] = float64(s)
		}
		want := 0.0
		for s := range n {
			want += float64(s) * math.Ldexp(0.5, -s) / (1 - math.Ldexp(1, -n))
		}
		for _, root := range []int32{0, int32(n / 2), int32(n - 1)} {
			s, err := NewSystem(context.Background(), c, root)
			require.NoError(t, err, "%d states, root %d", n, root)
			assert.InEpsilon(t, want, s.Gains(c.Costs)[0], 1e-13, "%d states, root %d", n, root)
		}
	}
}
