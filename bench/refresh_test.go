package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/queue"
)

// refreshPages are pages with change rates uniform on [0, 1) and weights that
// are exponential.
func refreshPages(n int) refresh.Pages {
	random := rand.New(rand.NewPCG(1, 2))
	pages := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
	for i := range n {
		pages.ChangeRates[i], pages.Weights[i] = random.Float64(), random.ExpFloat64()
	}
	return pages
}

// BenchmarkRates finds the best rates with accesses for a tenth of the pages in
// a unit of time. The pages and a slice for the rates are in memory; GiB is the memory
// that the process has taken from the system in all.
func BenchmarkRates(b *testing.B) {
	law, err := queue.NewExponential(1e-6)
	require.NoError(b, err)
	sizes := quickSizes(1_000, 1_000_000, 10_000_000)
	if *long {
		sizes = append(sizes, 100_000_000)
	}
	for _, n := range sizes {
		pages, space := refreshPages(n), make([]float64, n)
		for _, objective := range []refresh.Objective{
			refresh.Random{}, refresh.FixedOrder{}, refresh.Discrete{}, refresh.Age{}, refresh.Harmonic{}, refresh.NewCoffman(law),
		} {
			for _, workers := range []int{1, 2} {
				name := fmt.Sprintf("model=refresh/pages=%d/objective=%v/workers=%d", n, objective, workers)
				b.Run(name, func(b *testing.B) {
					problem := refresh.Problem{Pages: pages, Objective: objective, Bandwidth: float64(n) / 10}
					passes := 0
					for b.Loop() {
						s, err := rates.Optimize(context.Background(), problem, rates.Settings{Workers: workers, Rates: space})
						require.NoError(b, err)
						passes = s.Passes
					}
					reportPages(b, n, passes)
					reportMemory(b)
				})
			}
		}
	}
}

// BenchmarkHostCaps adds hosts of 60 pages on average, most of them with a cap
// that matters.
func BenchmarkHostCaps(b *testing.B) {
	const n = 1_000_000
	random := rand.New(rand.NewPCG(3, 4))
	problem := refresh.Problem{
		Pages: refreshPages(n), Objective: refresh.Random{}, Bandwidth: n / 10,
		Hosts: make([]int32, n), HostCaps: make([]float64, n/60),
	}
	for i := range problem.Hosts {
		problem.Hosts[i] = int32(random.IntN(len(problem.HostCaps)))
	}
	for h := range problem.HostCaps {
		problem.HostCaps[h] = 10 * random.ExpFloat64()
	}
	for _, objective := range []refresh.Objective{refresh.Random{}, refresh.FixedOrder{}} {
		problem.Objective = objective
		b.Run(fmt.Sprintf("model=refresh/pages=%d/objective=%v/hosts=%d/workers=2", n, objective, len(problem.HostCaps)), func(b *testing.B) {
			passes := 0
			for b.Loop() {
				s, err := rates.Optimize(context.Background(), problem, rates.Settings{Workers: 2})
				require.NoError(b, err)
				passes = s.Passes
			}
			reportPages(b, n, passes)
		})
	}
}

// BenchmarkEvaluate streams a schedule of random accesses.
func BenchmarkEvaluate(b *testing.B) {
	const n, slots = 1_000_000, 3_000_000
	law, err := queue.NewExponential(1e-6)
	require.NoError(b, err)
	random := rand.New(rand.NewPCG(7, 8))
	cycle := make([]int, slots)
	for i := range cycle {
		cycle[i] = random.IntN(n)
	}
	pages := refreshPages(n)
	b.Run(fmt.Sprintf("model=refresh/pages=%d/slots=%d/workers=1", n, slots), func(b *testing.B) {
		for b.Loop() {
			evaluator, err := refresh.NewEvaluator(pages, law)
			require.NoError(b, err)
			for _, page := range cycle {
				if err := evaluator.Access(page); err != nil {
					b.Fatal(err)
				}
			}
			evaluator.Cycle()
		}
		b.ReportMetric(slots*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mslots/s")
	})
}

// reportPages reports the speed of a solve.
func reportPages(b *testing.B, pages, passes int) {
	b.Helper()
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(passes), "passes")
	b.ReportMetric(float64(pages)/seconds/1e6, "Mpages/s")
}
