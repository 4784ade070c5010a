//go:build amd64 && !purego

package sweep

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The assembly gives the bits of the Go code for all lengths, signed zeros and
// numbers of all magnitudes, and writes nothing beyond its range.
func TestAssemblyIsTheGoCode(t *testing.T) {
	if !useAVX2 {
		t.Skip("this processor has no AVX2")
	}
	r := random(t)
	numbers := func(n int) []float64 {
		v := values(r, n)
		for i := range v {
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
		damping, shift, cost := numbers(1)[0], numbers(1)[0], weights(1)[0]
		start := pass{damping, shift, math.Inf(1), math.Inf(-1)}
		for name, forms := range map[string][2]func(p *Pass, dst []float64){
			"minima": {
				func(p *Pass, dst []float64) { p.Minima(dst, a, b, c, cost) },
				func(p *Pass, dst []float64) { p.minimaGo(dst, a, b, c, cost) },
			},
			"pairs": {
				func(p *Pass, dst []float64) { p.Pairs(dst, a, b, c, next) },
				func(p *Pass, dst []float64) { p.pairsGo(dst, a, b, c, next) },
			},
			"expect": {
				func(_ *Pass, dst []float64) { Expect(dst, a, b, c, next) },
				func(_ *Pass, dst []float64) { expectGo(dst, a, b, c, next) },
			},
		} {
			got, want := make([]float64, n+8), make([]float64, n+8)
			gotPass, wantPass := start, start
			forms[0](&gotPass, got[:n])
			forms[1](&wantPass, want[:n])
			require.Equal(t, bits(want...), bits(got...), "%s of %d elements", name, n)
			require.Equal(t, bits(wantPass.least, wantPass.greatest), bits(gotPass.least, gotPass.greatest), name)
		}
	}
}

func bits(v ...float64) []uint64 {
	b := make([]uint64, len(v))
	for i, x := range v {
		b[i] = math.Float64bits(x)
	}
	return b
}

// Whole sweeps too have the same bits without the assembly.
func TestSweepsWithoutAssembly(t *testing.T) {
	if !useAVX2 {
		t.Skip("this processor has no AVX2")
	}
	defer func() { useAVX2 = true }()
	forAll(t, func(t *testing.T, p Parameters) {
		r := random(t)
		for name, m := range bothModels(t, p) {
			n := m.NumStates()
			v := values(r, n)
			var results [2][]float64
			for i := range results {
				useAVX2 = i == 0
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
