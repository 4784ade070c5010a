package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

func solvedPolicy(b *testing.B, p robots.Parameters) *robots.Policy {
	b.Helper()
	solution, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(b, err)
	return solution.Policy
}

var controlled = robots.Parameters{Robots: 22, Buffer: 15, ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 1.4}

// BenchmarkController measures decisions on one core: deliveries and indexed
// pages in turn, so that the counts move as they do at work.
func BenchmarkController(b *testing.B) {
	b.Run("model=robots/states=367/method=controller/workers=1", func(b *testing.B) {
		controller := operate.NewController(solvedPolicy(b, controlled))
		b.ReportAllocs()
		decisions, faults := 0, 0
		for b.Loop() {
			if _, err := controller.Deliver(); err != nil {
				faults++
			}
			if _, err := controller.Indexed(); err != nil {
				faults++
			}
			decisions += 2
		}
		require.Zero(b, faults)
		reportDecisions(b, decisions)
	})
	b.Run("model=robots/states=367/method=lookup/workers=1", func(b *testing.B) {
		policy := solvedPolicy(b, controlled)
		b.ReportAllocs()
		decisions, active := 0, 0
		for b.Loop() {
			for queue := 1; queue <= controlled.Buffer; queue++ {
				if policy.Activates(robots.Departure, queue, 17) {
					active++
				}
			}
			decisions += controlled.Buffer
		}
		require.Positive(b, active)
		reportDecisions(b, decisions)
	})
}

// BenchmarkControllerShared has all cores at one controller.
func BenchmarkControllerShared(b *testing.B) {
	controller := operate.NewController(solvedPolicy(b, controlled))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for turn := 0; pb.Next(); turn++ {
			// Another goroutine may have taken the last page or robot; the
			// refusal is as good a decision.
			if turn%2 == 0 {
				_, _ = controller.Deliver()
			} else {
				_, _ = controller.Indexed()
			}
		}
	})
	reportDecisions(b, b.N)
}

func reportDecisions(b *testing.B, decisions int) {
	b.Helper()
	b.ReportMetric(float64(decisions)/b.Elapsed().Seconds()/1e6, "Mdecisions/s")
}
