package robots_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// bothModels returns the model with the fast sweep and with that of the variants.
func bothModels(t testing.TB, p robots.Parameters) map[string]*robots.Model {
	pairs, err := robots.NewModel(p)
	require.NoError(t, err)
	return map[string]*robots.Model{"pair": pairs, "variant": pairs.AsVariant()}
}

// Any range of a sweep is the backup and the update of its states, to the bit,
// and touches no other: so results depend neither on cuts nor on workers.
func TestSweepIsBackupAndUpdate(t *testing.T) {
	trials := 200
	if testing.Short() {
		trials = 40
	}
	forAll(t, func(t *testing.T, p robots.Parameters) {
		r := random(t)
		for name, m := range bothModels(t, p) {
			n := m.NumStates()
			v, backup := values(r, n), make([]float64, n)
			m.Backup(backup, nil, v, 0, n)
			for range trials {
				lo := r.IntN(n + 1)
				hi := lo + r.IntN(n-lo+1)
				damping, shift := 1-r.Float64(), r.NormFloat64()
				if r.IntN(3) == 0 {
					damping = 1
				}
				dst, part := make([]float64, n), make([]float64, n)
				least, greatest := m.Sweep(dst, v, damping, shift, lo, hi)
				m.Backup(part, nil, v, lo, hi)
				wantLeast, wantGreatest := math.Inf(1), math.Inf(-1)
				for s := range n {
					if s < lo || s >= hi {
						require.Zero(t, dst[s], name)
						require.Zero(t, part[s], name)
						continue
					}
					d := backup[s] - v[s]
					wantLeast, wantGreatest = min(wantLeast, d), max(wantGreatest, d)
					require.Equal(t, backup[s], part[s], name)
					require.Equal(t, v[s]+float64(damping*d)-shift, dst[s], "%s: state %d of %d … %d", name, s, lo, hi)
				}
				require.Equal(t, wantLeast, least, name)
				require.Equal(t, wantGreatest, greatest, name)
			}
		}
	})
}

func TestBlocks(t *testing.T) {
	for _, p := range append(testParameters(), robots.Parameters{Robots: 301, Buffer: 700, ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1},
		robots.Parameters{Robots: 40000, Buffer: 3, ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1}) {
		for name, m := range bothModels(t, p) {
			cuts := m.Blocks()
			require.Equal(t, 0, cuts[0])
			require.Equal(t, m.NumStates(), cuts[len(cuts)-1])
			require.IsIncreasing(t, append([]int{-1}, cuts...))
			for _, cut := range cuts[1 : len(cuts)-1] {
				assert.NotEqual(t, m.State(cut).Queue, m.State(cut-1).Queue)
			}
			cuts[0] = 7
			assert.Equal(t, 0, m.Blocks()[0], "%s: Blocks returned what it keeps", name)
		}
	}
}

// The optimal costs of Figures 6-8, computed with more digits than printed
// there (0.20907, 0.25924, 0.32211): N=16, K=5, λ=0.1, μ=1.
func TestGainsOfFigures6To8(t *testing.T) {
	for gamma, want := range map[float64]float64{1: 0.2090741, 1.4: 0.2592396, 2: 0.3221147} {
		p := figure6
		p.StarvationWeight = gamma
		for name, m := range bothModels(t, p) {
			n := m.NumStates()
			v, next := make([]float64, n), make([]float64, n)
			least, greatest := m.Sweep(next, v, 1, 0, 0, n)
			for k := 0; k < 2000 && greatest-least > 1e-10; k++ {
				v, next = next, v
				least, greatest = m.Sweep(next, v, 1, least, 0, n)
			}
			assert.InDelta(t, want, least, 1.01e-7, name) // digits cut off, not rounded
			assert.InDelta(t, least, greatest, 1e-10, name)
		}
	}
}
