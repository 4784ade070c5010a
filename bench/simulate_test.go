package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/simulator"
	"github.com/mdpsolve/mdpsolve/queue"
)

// BenchmarkSimulate measures the simulator on one core, in events (arrivals and
// departures) a second.
func BenchmarkSimulate(b *testing.B) {
	p := robots.Parameters{Robots: 22, Buffer: 15, ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 1.4}
	for _, law := range []string{"exponential", "deterministic", "erlang:3", "hyperexponential:0.3@2,0.7@0.5", "gamma:0.7"} {
		b.Run("model=robots/states=367/method=simulate/service="+law+"/workers=1", func(b *testing.B) {
			service, err := queue.ParseLaw(law, 1/p.ServiceRate, nil)
			require.NoError(b, err)
			solution, err := robots.Solve(context.Background(), p, mdp.Settings{})
			require.NoError(b, err)
			reportEvents(b, func(settings simulator.Simulation) (*simulator.Simulated, error) {
				settings.Law = service
				return settings.Run(context.Background(), solution.Policy)
			})
		})
	}
	b.Run("model=fleet/classes=2/phases=2/method=simulate/workers=1", func(b *testing.B) {
		service, err := queue.NewErlang(2, 1)
		require.NoError(b, err)
		solution, err := robots.Solve(context.Background(), robots.Parameters{
			Classes: []robots.Class{{Robots: 6, ArrivalRate: 0.05}, {Robots: 6, ArrivalRate: 0.12}},
			Buffer:  8, ServiceRate: 1, Service: service, StarvationWeight: 1.4, ActivationCost: 0.1,
		}, mdp.Settings{})
		require.NoError(b, err)
		reportEvents(b, func(settings simulator.Simulation) (*simulator.Simulated, error) {
			return settings.Run(context.Background(), solution.Policy)
		})
	})
}

func reportEvents(b *testing.B, simulate func(simulator.Simulation) (*simulator.Simulated, error)) {
	b.Helper()
	events, seconds := 0.0, 0.0
	for b.Loop() {
		result, err := simulate(simulator.Simulation{Horizon: 1e6, Replications: 1, Workers: 1, Seed: 1})
		require.NoError(b, err)
		events += float64(result.Events)
		seconds += result.Elapsed.Seconds()
	}
	b.ReportMetric(events/seconds/1e6, "Mevents/s")
}
