package parallel_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sourcegraph/conc/panics"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

type forFunc func(blocks int, body func(block int))

// everyWay runs a test for both ways to run blocks, with several numbers of
// workers, also more than blocks or processors.
func everyWay(t *testing.T, test func(t *testing.T, workers int, run forFunc)) {
	for _, workers := range []int{-1, 0, 1, 2, 3, 8, 100} {
		name := "workers=" + strconv.Itoa(workers)
		t.Run("For/"+name, func(t *testing.T) {
			test(t, workers, func(blocks int, body func(int)) { parallel.For(workers, blocks, body) })
		})
		t.Run("Team/"+name, func(t *testing.T) {
			team := parallel.NewTeam(workers)
			defer team.Close()
			test(t, workers, team.For)
		})
	}
}

func TestEveryBlockOnce(t *testing.T) {
	everyWay(t, func(t *testing.T, _ int, run forFunc) {
		for _, blocks := range []int{0, 1, 2, 3, 7, 64, 1000} {
			times := make([]int, blocks) // not atomic: the race detector watches
			run(blocks, func(block int) { times[block]++ })
			for block, n := range times {
				require.Equal(t, 1, n, "block %d of %d", block, blocks)
			}
		}
	})
}

func TestSerialInOrder(t *testing.T) {
	check := func(run forFunc) {
		var order []int
		run(5, func(block int) { order = append(order, block) })
		assert.Equal(t, []int{0, 1, 2, 3, 4}, order)
	}
	check(func(blocks int, body func(int)) { parallel.For(1, blocks, body) })
	check(parallel.NewTeam(1).For)
}

func TestManyRounds(t *testing.T) {
	everyWay(t, func(t *testing.T, _ int, run forFunc) {
		var sum int64
		for round := range 300 {
			parts := make([]int64, round%9)
			run(len(parts), func(block int) { parts[block] = int64(round * block) })
			for _, part := range parts {
				sum += part
			}
			if round%100 == 99 {
				time.Sleep(time.Millisecond) // longer than workers stay awake
			}
		}
		want := int64(0)
		for round := range 300 {
			n := round % 9
			want += int64(round * n * (n - 1) / 2)
		}
		assert.Equal(t, want, sum)
	})
}

func TestSameBitsAtAnyNumberOfWorkers(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	values := make([]float64, 10_007)
	for i := range values {
		values[i] = math.Ldexp(rng.NormFloat64(), rng.IntN(60))
	}
	cuts := parallel.Cuts(len(values), 100)
	sum := func(run forFunc) float64 {
		parts := make([]float64, len(cuts)-1)
		run(len(parts), func(block int) {
			for _, value := range values[cuts[block]:cuts[block+1]] {
				parts[block] += value
			}
		})
		total := 0.0
		for _, part := range parts {
			total += part
		}
		return total
	}
	want := sum(func(blocks int, body func(int)) { parallel.For(1, blocks, body) })
	everyWay(t, func(t *testing.T, _ int, run forFunc) {
		for range 20 {
			require.Equal(t, math.Float64bits(want), math.Float64bits(sum(run)))
		}
	})
}

func TestPanicReachesTheCaller(t *testing.T) {
	everyWay(t, func(t *testing.T, workers int, run forFunc) {
		for range 20 {
			var done atomic.Int64
			recovered := panics.Try(func() {
				run(10, func(block int) {
					if block == 4 {
						panic("block four")
					}
					done.Add(1)
				})
			})
			require.NotNil(t, recovered)
			if workers <= 1 {
				require.Equal(t, "block four", recovered.Value)
				require.EqualValues(t, 4, done.Load())
				continue
			}
			inner, ok := recovered.Value.(*panics.Recovered)
			require.True(t, ok, "%T", recovered.Value)
			require.Equal(t, "block four", inner.Value)
			require.Contains(t, inner.String(), "TestPanicReachesTheCaller", "the stack of the goroutine that panicked")
			require.EqualValues(t, 9, done.Load())
		}
		// Nothing of the panic is left.
		var done atomic.Int64
		run(10, func(int) { done.Add(1) })
		require.EqualValues(t, 10, done.Load())
	})
}

func TestWorkersWorkAtTheSameTime(t *testing.T) {
	everyWay(t, func(t *testing.T, workers int, run forFunc) {
		if workers <= 1 {
			t.Skip("one worker")
		}
		// Each of two blocks waits for the other one to begin.
		begun := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
		run(2, func(block int) {
			close(begun[block])
			select {
			case <-begun[1-block]:
			case <-time.After(10 * time.Second):
				t.Errorf("block %d was left alone", block)
			}
		})
	})
}

func TestCloseEndsSleepingAndWorkingTeams(_ *testing.T) {
	for range 100 {
		team := parallel.NewTeam(4)
		team.Close() // before its goroutines have begun
	}
	team := parallel.NewTeam(4)
	time.Sleep(5 * time.Millisecond) // asleep
	team.For(8, func(int) {})
	team.Close()
}

func TestCuts(t *testing.T) {
	assert.Equal(t, []int{0}, parallel.Cuts(0, 3))
	assert.Equal(t, []int{0, 2}, parallel.Cuts(2, 3))
	assert.Equal(t, []int{0, 3}, parallel.Cuts(3, 3))
	assert.Equal(t, []int{0, 3, 4}, parallel.Cuts(4, 3))
	assert.Equal(t, []int{0, 3, 6, 7}, parallel.Cuts(7, 3))
	assert.Equal(t, []int{0, math.MaxInt}, parallel.Cuts(math.MaxInt, math.MaxInt))
	assert.Equal(t, []int{0, math.MaxInt - 1, math.MaxInt}, parallel.Cuts(math.MaxInt, math.MaxInt-1))
	assert.PanicsWithValue(t, "parallel: Cuts needs n ≥ 0 and size > 0", func() { parallel.Cuts(-1, 1) })
	assert.PanicsWithValue(t, "parallel: Cuts needs n ≥ 0 and size > 0", func() { parallel.Cuts(1, 0) })
}

// One round of 16 blocks over n numbers each: n = 0 shows the cost of the call
// alone, the others how long a round must be for threads to pay.
func BenchmarkRound(b *testing.B) {
	const blocks = 16
	for _, n := range []int{0, 1_000, 5_000, 20_000, 80_000} {
		values := make([]float64, n)
		parts := make([]float64, blocks)
		body := func(block int) {
			sum := float64(block)
			for _, value := range values {
				sum += value
			}
			parts[block] = sum
		}
		for _, workers := range []int{1, 2} {
			name := "/n=" + strconv.Itoa(n) + "/workers=" + strconv.Itoa(workers)
			b.Run("way=For"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					parallel.For(workers, blocks, body)
				}
			})
			b.Run("way=Team"+name, func(b *testing.B) {
				b.ReportAllocs()
				team := parallel.NewTeam(workers)
				defer team.Close()
				for b.Loop() {
					team.For(blocks, body)
				}
			})
		}
	}
}
