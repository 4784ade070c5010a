package bench

import (
	"fmt"
	"testing"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// BenchmarkTriad is STREAM's triad a = b + 3c over vectors far larger than any
// cache: the speed of memory, to compare sweeps with.
func BenchmarkTriad(b *testing.B) {
	const n = 1 << 25
	x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		y[i], z[i] = 1, 2
	}
	cuts := parallel.Cuts(n, 1<<16)
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			team := parallel.NewTeam(workers)
			defer team.Close()
			b.SetBytes(24 * n)
			for b.Loop() {
				team.For(len(cuts)-1, func(block int) {
					lo, hi := cuts[block], cuts[block+1]
					triad(x[lo:hi], y[lo:hi], z[lo:hi])
				})
			}
			b.ReportMetric(24*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	}
}

func triad(x, y, z []float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i := range x {
		x[i] = y[i] + 3*z[i]
	}
}
