package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/queue"
)

// BenchmarkSequenceCost evaluates sequences that realise the best rates for the
// pages of Azar et al., with constant access times. Its metrics compare their
// obsolescence, and the share that is fresh, with the bound for every sequence:
// obsolete/bound is 1 or more, fresh/bound 1 or less.
func BenchmarkSequenceCost(b *testing.B) {
	for _, weights := range []string{"zipf", "uniform"} {
		for _, n := range []int{10, 1000} {
			for _, perPage := range []float64{0.1, 1, 5} {
				b.Run(fmt.Sprintf("weights=%v/pages=%d/accesses-per-page=%v", weights, n, perPage), func(b *testing.B) {
					benchmarkSequenceCost(b, refresh.SyntheticPages(n, weights == "uniform", 1), perPage*float64(n))
				})
			}
		}
	}
}

func benchmarkSequenceCost(b *testing.B, pages refresh.Pages, bandwidth float64) {
	law, err := queue.NewDeterministic(1 / bandwidth)
	require.NoError(b, err)
	best, err := rates.Optimize(context.Background(),
		refresh.Problem{Pages: pages, Objective: refresh.NewCoffman(law), Bandwidth: bandwidth}, rates.Settings{})
	require.NoError(b, err)
	total := 0.0
	for _, weight := range pages.Weights {
		total += weight
	}
	slots := sequence.FibonacciAtLeast(int64(1000 * pages.Len()))
	for _, method := range []struct {
		name string
		make func() (sequence.Sequence, error)
	}{
		{"golden-ratio", func() (sequence.Sequence, error) { return sequence.NewGoldenRatio(best.Rates, slots) }},
		{"edf", func() (sequence.Sequence, error) { return sequence.NewEarliestDeadlineFirst(best.Rates) }},
		{"random", func() (sequence.Sequence, error) { return sequence.NewRandom(best.Rates, 1) }},
	} {
		b.Run("method="+method.name, func(b *testing.B) {
			var cost float64
			for b.Loop() {
				order, err := method.make()
				require.NoError(b, err)
				evaluator, err := refresh.NewEvaluator(pages, law)
				require.NoError(b, err)
				for range slots {
					if err := evaluator.Access(order.Next()); err != nil {
						b.Fatal(err)
					}
				}
				cost = evaluator.Cycle().Cost
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(slots), "ns/slot")
			b.ReportMetric(cost/best.Bound, "obsolete/bound")
			b.ReportMetric((total-cost)/(total-best.Bound), "fresh/bound")
		})
	}
}
