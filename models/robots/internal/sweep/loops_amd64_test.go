//go:build amd64 && !purego

package sweep

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The assembly gives the bits of the Go code for all lengths, signed zeros and
// numbers of all magnitudes, and writes nothing beyond its range.
func TestAssemblyIsTheGoCode(t *testing.T) {
	if !UseAssembly {
		t.Skip("this processor has no AVX2")
	}
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	numbers := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(4)))
			switch r.IntN(12) {
			case 0:
				v[i] = 0
			case 1:
				v[i] = math.Copysign(0, -1)
			case 2:
				v[i] *= 1e-310
			case 3:
				v[i] *= 1e150
			case 4:
				v[i] = v[max(i-1, 0)]
			}
		}
		return v
	}
	// Costs and probabilities are never −0, see sweep.go.
	weights := func(n int) []float64 {
		v := numbers(n)
		for i := range v {
			v[i] = math.Abs(v[i])
		}
		return v
	}
	trials := 2000
	if testing.Short() {
		trials = 200
	}
	for range trials {
		n := r.IntN(40)
		next := Next{weights(1)[0], weights(n), weights(n), weights(n)}
		a, b, c := numbers(n+1), numbers(n+1), numbers(n+1)
		damping, shift := numbers(1)[0], numbers(1)[0]
		start := Pass{damping, shift, math.Inf(1), math.Inf(-1)}
		got, want := make([]float64, n+8), make([]float64, n+8)
		gotPass, wantPass := start, start
		gotPass.Pairs(got[:n], a, b, c, next)
		wantPass.pairsGo(want[:n], a, b, c, next)
		require.Equal(t, bits(want...), bits(got...), "%d elements", n)
		require.Equal(t, bits(wantPass.Least, wantPass.Greatest), bits(gotPass.Least, gotPass.Greatest))
	}
}

func bits(v ...float64) []uint64 {
	b := make([]uint64, len(v))
	for i, x := range v {
		b[i] = math.Float64bits(x)
	}
	return b
}
