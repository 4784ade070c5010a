package mdp_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// fused adds to a model a Sweep that does what the solver does without it.
type fused struct{ *mdp.Table }

func (f fused) Sweep(dst, v []float64, damping, shift float64, lo, hi int) (least, greatest float64) {
	f.Backup(dst, nil, v, lo, hi)
	least, greatest = dst[lo]-v[lo], dst[lo]-v[lo]
	for s := lo; s < hi; s++ {
		d := dst[s] - v[s]
		least, greatest = min(least, d), max(greatest, d)
		dst[s] = v[s] + float64(damping*d) - shift
	}
	return least, greatest
}

var _ mdp.Sweeper = fused{}

func TestSameBitsAtAnyNumberOfWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const n = 25_000
	table := randomRing(t, n)
	solve := func(model mdp.Model, workers int) *mdp.Result {
		result, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{
			Method: mdp.RelativeValueIteration, MaxIterations: 60, Tolerance: 1e-15, Workers: workers,
		})
		require.ErrorIs(t, err, mdp.ErrIterationLimit)
		return result
	}
	want := solve(table, 1)
	for _, workers := range []int{0, 2, 3, 8} {
		assertSameBits(t, want, solve(table, workers))
	}
	assertSameBits(t, want, solve(fused{table}, 3))

	serial := solve(backupOnly{table}, 1)
	assertSameBits(t, serial, solve(backupOnly{table}, 8))
	assert.True(t, slices.Equal(want.Bias, serial.Bias))

	a, b := sweptOnce(t, table, want.Bias, 1), sweptOnce(t, table, want.Bias, 8)
	assert.Equal(t, [2]float64{a.Lower, a.Upper}, [2]float64{b.Lower, b.Upper})
	assert.True(t, slices.Equal(a.Policy, b.Policy))
}

// togetherModel notes whether calls of Backup overlap. The first call waits for another
// until it gives up.
type togetherModel struct {
	backupOnly
	calls    atomic.Int32
	second   chan struct{}
	patience time.Duration
	overlap  atomic.Bool
}

func (m *togetherModel) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	switch m.calls.Add(1) {
	case 1:
		select {
		case <-m.second:
			m.overlap.Store(true)
		case <-time.After(m.patience):
		}
	case 2:
		close(m.second)
	}
	m.backupOnly.Backup(dst, act, v, lo, hi)
}

// With one worker, calls of a model never overlap, even on several processors. Workers 0
// stands for all processors.
func TestNumberOfWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	table := randomRing(t, 20_000)
	overlap := func(workers int, patience time.Duration) bool {
		model := &togetherModel{backupOnly: backupOnly{table}, second: make(chan struct{}), patience: patience}
		_, err := mdp.Solve(context.Background(), model, mdp.Discounted{Discount: 0.5}, mdp.Settings{Workers: workers})
		require.NoError(t, err)
		return model.overlap.Load()
	}
	assert.False(t, overlap(1, 50*time.Millisecond))
	assert.True(t, overlap(2, 10*time.Second))
	assert.True(t, overlap(0, 10*time.Second))
}

func TestPolicyIterationSameBitsAtAnyNumberOfWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	table := randomRing(t, 20_001)
	var want *mdp.Result
	for _, workers := range []int{1, 2, 8} {
		result, err := mdp.Solve(context.Background(), table, mdp.LongRunAverage{}, mdp.Settings{
			Method: mdp.PolicyIteration, MaxIterations: 3, Workers: workers,
		})
		require.NotNil(t, result, "%v", err)
		if want == nil {
			want = result
		}
		assertSameBits(t, want, result)
	}
}

// assertSameBits compares results but for the time they took.
func assertSameBits(t *testing.T, want, got *mdp.Result) {
	t.Helper()
	assert.Equal(t, [3]float64{want.Lower, want.Upper, want.Gain}, [3]float64{got.Lower, got.Upper, got.Gain})
	assert.Equal(t, want.Iterations, got.Iterations)
	assert.Equal(t, want.Status, got.Status)
	assert.True(t, slices.Equal(want.Bias, got.Bias), "relative values differ")
	assert.True(t, slices.Equal(want.Value, got.Value), "values differ")
	assert.True(t, slices.Equal(want.Policy, got.Policy), "policies differ")
}

// randomRing returns a communicating model of states on a path with two actions
// each, which move a few states on or back.
func randomRing(t *testing.T, n int) *mdp.Table {
	t.Helper()
	random := rand.New(rand.NewPCG(20260602, 0))
	return buildTable(t, func(b *mdp.TableBuilder) {
		for s := range n {
			b.AddState()
			for range 2 {
				up := 0.1 + 0.4*random.Float64()
				b.AddAction(random.Float64())
				for j, p := range []float64{0.5, 0.5 - up, up} {
					// The ends reach back to the states next to them.
					b.AddTransition(min(max(s, 1), n-2)+j-1, p)
				}
			}
		}
	})
}
