package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
)

var controlled = robots.Parameters{Robots: 22, Buffer: 15, ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 1.4}

// BenchmarkController measures decisions of a crawler that learns, on one core: deliveries
// and indexed pages in turn, so that the counts change as in a crawl.
func BenchmarkController(b *testing.B) {
	now := 0.0
	adaptive, err := controller.NewAdaptive(context.Background(), controlled, controller.AdaptiveSettings{Now: func() float64 { return now }})
	require.NoError(b, err)
	b.ReportAllocs()
	decisions := 0
	for b.Loop() {
		now++
		_, delivered := adaptive.Deliver(0)
		_, indexed := adaptive.Indexed()
		if delivered != nil && indexed != nil {
			b.Fatal(delivered, indexed)
		}
		decisions += 2
	}
	b.ReportMetric(float64(decisions)/b.Elapsed().Seconds()/1e6, "Mdecisions/s")
}
