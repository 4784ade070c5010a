// This file measures the robots process with rates in ranges.

package bench

import (
	"context"
	"fmt"
	"testing"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
)

// BenchmarkInterval finds the best worst case with 100 robots and 50 places, for ranges and
// weights from small to large.
func BenchmarkInterval(b *testing.B) {
	for _, weight := range []float64{0.1, 17. / 15, 10} {
		for _, share := range []float64{0.02, 0.1, 0.3} {
			b.Run(fmt.Sprintf("gamma=%.3g/range=%v", weight, share), func(b *testing.B) {
				p := robots.Parameters{Robots: 100, Buffer: 50, ArrivalRate: 0.02, ServiceRate: 1, StarvationWeight: weight}
				rates := interval.Rates{
					Arrival: interval.Range{Low: p.ArrivalRate * (1 - share), High: p.ArrivalRate * (1 + share)},
					Service: interval.Range{Low: p.ServiceRate * (1 - share), High: p.ServiceRate * (1 + share)},
				}
				for b.Loop() {
					s, err := interval.Solve(context.Background(), p, rates, mdp.Settings{})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(s.Rounds), "rounds")
				}
			})
		}
	}
}
