package bench

import (
	"context"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

var long = flag.Bool("long", false, "run the sizes that take minutes and gigabytes too")

// scattered declares a model of n states in which a step leads anywhere: two
// actions of five successors each, one of them the next state, so that all
// states are found.
func scattered(n int) mdp.Problem[int32, int8] {
	hash := func(s int32, a int8, i int) uint64 {
		hi, lo := bits.Mul64(uint64(s)*1024+uint64(a)*512+uint64(i)+1, 0x9E3779B97F4A7C15)
		return hi ^ lo
	}
	return mdp.Problem[int32, int8]{
		Start:   []int32{0},
		Actions: func(dst []int8, _ int32) []int8 { return append(dst, 0, 1) },
		Cost:    func(s int32, a int8) float64 { return float64(hash(s, a, 99)%1000) / 1000 },
		Next: func(dst []mdp.Outcome[int32], s int32, a int8) []mdp.Outcome[int32] {
			share := n / 5
			for i := range 5 {
				j := (int(s) + 1) % n
				if i > 0 {
					j = (int(s) + i*share + int(hash(s, a, i)%uint64(share-1))) % n
				}
				dst = append(dst, mdp.Outcome[int32]{State: int32(j), Probability: 0.2})
			}
			return dst
		},
	}
}

// BenchmarkScale compiles and solves models of up to 10⁷ states and 10⁸
// transitions, by the default methods, and reports the memory that the process
// has taken from the system in all.
func BenchmarkScale(b *testing.B) {
	sizes := []int{100_000}
	if *long {
		sizes = []int{1_000_000, 10_000_000}
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("states=%d", n), func(b *testing.B) {
			for b.Loop() {
				model, err := scattered(n).Compile(context.Background())
				require.NoError(b, err)
				require.Equal(b, n, model.NumStates())
				require.Equal(b, 10*n, model.NumTransitions())
				compiled := b.Elapsed().Seconds()
				for _, criterion := range []mdp.Criterion{mdp.Discounted{Discount: 0.99}, mdp.LongRunAverage{}} {
					result, err := mdp.Solve(context.Background(), model, criterion, mdp.Settings{Tolerance: 1e-6})
					require.NoError(b, err)
					b.ReportMetric(result.Elapsed.Seconds(), fmt.Sprintf("%T-s", criterion))
				}
				b.ReportMetric(compiled, "compile-s")
			}
			reportMemory(b)
		})
	}
}

// streamed builds a table of n states row by row: each has two actions of five successors.
func streamed(b *testing.B, n int) *mdp.Table {
	b.Helper()
	model := scattered(n)
	var builder mdp.TableBuilder
	var outcomes []mdp.Outcome[int32]
	for s := range int32(n) {
		builder.AddState()
		for a := range int8(2) {
			builder.AddAction(model.Cost(s, a))
			outcomes = model.Next(outcomes[:0], s, a)
			for _, o := range outcomes {
				builder.AddTransition(int(o.State), o.Probability)
			}
		}
	}
	table, err := builder.Build()
	require.NoError(b, err)
	return table
}

// BenchmarkStreamed solves a model of up to 5·10⁷ states and 5·10⁸ transitions, built row by
// row, and reports the most memory that the process had beside what was forecast.
func BenchmarkStreamed(b *testing.B) {
	n := 100_000
	if *long {
		n = 50_000_000
	}
	b.Run(fmt.Sprintf("states=%d", n), func(b *testing.B) {
		for b.Loop() {
			model := streamed(b, n)
			built := b.Elapsed().Seconds()
			forecast := float64(mdp.TableBytes(n, model.NumChoices(), model.NumTransitions())) +
				mdp.SolveBytes(mdp.ModifiedPolicyIteration, float64(n), float64(model.NumTransitions()), 0)
			result, err := mdp.Solve(context.Background(), model, mdp.Discounted{Discount: 0.99}, mdp.Settings{Tolerance: 1e-6, Method: mdp.ModifiedPolicyIteration})
			require.NoError(b, err)
			b.ReportMetric(built, "build-s")
			b.ReportMetric(result.Elapsed.Seconds(), "solve-s")
			b.ReportMetric(forecast/(1<<30), "forecast-GiB")
		}
		b.ReportMetric(peakGiB(b), "peak-GiB")
	})
}

// peakGiB returns the most memory that the process has had, according to Linux.
func peakGiB(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kibi, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			require.NoError(b, err)
			return kibi / (1 << 20)
		}
	}
	b.Skip("the system does not say how much memory the process had")
	return 0
}

// reportMemory reports the memory that the process has taken from the system so far.
func reportMemory(b *testing.B) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.Sys)/(1<<30), "GiB")
}
