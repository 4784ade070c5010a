package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
)

// sweepInstances are the paper's process at three sizes, with the sweeps that
// one measurement takes.
var sweepInstances = []struct {
	parameters robots.Parameters
	sweeps     int
}{
	{robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}, 500},
	{robots.Parameters{Robots: 100, Buffer: 50, ArrivalRate: 0.02, ServiceRate: 1, StarvationWeight: 1.4}, 2000},
	{robots.Parameters{Robots: 800, Buffer: 400, ArrivalRate: 1.0 / 400, ServiceRate: 1, StarvationWeight: 1.4}, 500},
}

// eventStates returns the number of states (q,r,s) of the process.
func eventStates(p robots.Parameters) int {
	return 3*(p.Buffer+1)*(p.Robots+1) - (p.Robots + 1) - (p.Buffer + 1) - 1
}

// forms are the ways in which the process is held.
var forms = []struct {
	name string
	make func(robots.Parameters) (mdp.Model, error)
}{
	{"table", func(p robots.Parameters) (mdp.Model, error) {
		problem, err := paper.NewProblem(p)
		if err != nil {
			return nil, err
		}
		return problem.Compile(context.Background())
	}},
	{"pairs", func(p robots.Parameters) (mdp.Model, error) { return robots.NewModel(p) }},
}

// BenchmarkSweeps measures relative value iteration on each form, a fixed
// number of undamped sweeps, as many as the plain C++ stencils in the comparison make.
func BenchmarkSweeps(b *testing.B) {
	for _, instance := range quickSizes(sweepInstances...) {
		for _, form := range forms {
			var model mdp.Model
			for _, workers := range []int{1, 2} {
				name := fmt.Sprintf("model=robots-%s/states=%d/method=rvi/workers=%d", form.name, eventStates(instance.parameters), workers)
				b.Run(name, func(b *testing.B) {
					if model == nil {
						var err error
						model, err = form.make(instance.parameters)
						require.NoError(b, err)
					}
					var sweeping time.Duration
					for b.Loop() {
						sweeping += sweepFor(b, model, instance.sweeps, workers)
					}
					reportSweeps(b, sweeping, instance.sweeps-1, eventStates(instance.parameters))
				})
			}
		}
	}
}

// sweepFor makes sweeps of relative value iteration, and returns the time of all but the
// first.
func sweepFor(b testing.TB, model mdp.Model, sweeps, workers int) time.Duration {
	b.Helper()
	var first, last time.Duration
	_, err := mdp.Solve(context.Background(), model, mdp.LongRunAverage{}, mdp.Settings{
		Method:        mdp.RelativeValueIteration,
		Tolerance:     1e-300, // never met: the sweeps are counted
		MaxIterations: sweeps,
		Workers:       workers,
		Record: func(p mdp.Progress) error {
			if p.Iteration == 1 {
				first = p.Elapsed
			}
			last = p.Elapsed
			return nil
		},
	})
	require.ErrorIs(b, err, mdp.ErrIterationLimit)
	return last - first
}

// reportSweeps reports the speed of sweeps over a number of states, given the
// time of all iterations. Unlike ns/op it omits what a solve does before and after them,
// mainly the certifying sweep in double-double.
func reportSweeps(b *testing.B, sweeping time.Duration, sweeps, states int) {
	b.Helper()
	seconds := sweeping.Seconds() / float64(b.N)
	visits := float64(states) * float64(sweeps)
	b.ReportMetric(float64(sweeps), "sweeps")
	b.ReportMetric(visits/seconds/1e6, "Mstates/s")
	b.ReportMetric(seconds*1e9/visits, "ns/state")
}
