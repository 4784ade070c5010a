package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// rateKinds are rates of n pages.
var rateKinds = []struct {
	name string
	rate func(random *rand.Rand, page int) float64
}{
	{"equal", func(*rand.Rand, int) float64 { return 1 }},
	{"uniform", func(random *rand.Rand, _ int) float64 { return random.Float64() }},
	{"sixorders", func(random *rand.Rand, _ int) float64 { return math.Pow(10, -6*random.Float64()) }},
	{"farnear", func(_ *rand.Rand, page int) float64 { return []float64{1, 1e-6}[page%2] }},
}

// BenchmarkSequence measures slots a second on one core, once every page has had
// its turn some times.
func BenchmarkSequence(b *testing.B) {
	for _, pages := range quickSizes(1000, 1_000_000) {
		for _, kind := range rateKinds {
			random := rand.New(rand.NewPCG(5, 14))
			rates := make([]float64, pages)
			for page := range rates {
				rates[page] = kind.rate(random, page)
			}
			for _, method := range []struct {
				name string
				make func() (sequence.Sequence, error)
			}{
				{"edf", func() (sequence.Sequence, error) { return sequence.NewEarliestDeadlineFirst(rates) }},
				{"golden-ratio", func() (sequence.Sequence, error) {
					return sequence.NewGoldenRatio(rates, sequence.FibonacciAtLeast(int64(10*pages)))
				}},
				{"random", func() (sequence.Sequence, error) { return sequence.NewRandom(rates, 1) }},
				{"round-robin", func() (sequence.Sequence, error) { return sequence.NewRoundRobin(rates) }},
			} {
				b.Run(fmt.Sprintf("method=%s/pages=%d/rates=%s", method.name, pages, kind.name), func(b *testing.B) {
					order, err := method.make()
					require.NoError(b, err)
					if method.name == "edf" {
						for range 3 * pages {
							order.Next()
						}
					}
					for b.Loop() {
						order.Next()
					}
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "slots/s")
				})
			}
		}
	}
}
