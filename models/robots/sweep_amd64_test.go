//go:build amd64 && !purego

package robots_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/sweep"
)

func bits(v ...float64) []uint64 {
	b := make([]uint64, len(v))
	for i, x := range v {
		b[i] = math.Float64bits(x)
	}
	return b
}

// Whole sweeps too have the same bits without the assembly.
func TestSweepsWithoutAssembly(t *testing.T) {
	if !sweep.UseAssembly {
		t.Skip("this processor has no AVX2")
	}
	defer func() { sweep.UseAssembly = true }()
	forAll(t, func(t *testing.T, p robots.Parameters) {
		r := random(t)
		for name, m := range bothModels(t, p) {
			n := m.NumStates()
			v := values(r, n)
			var results [2][]float64
			for i := range results {
				sweep.UseAssembly = i == 0
				a, b := append([]float64(nil), v...), make([]float64, n)
				var least, greatest float64
				for range 20 {
					least, greatest = m.Sweep(b, a, 0.9, 0.1, 0, n)
					a, b = b, a
				}
				results[i] = append(a, least, greatest)
			}
			require.Equal(t, bits(results[0]...), bits(results[1]...), name)
		}
	})
}
