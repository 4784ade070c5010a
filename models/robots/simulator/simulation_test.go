package simulator

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
	"github.com/mdpsolve/mdpsolve/queue"
)

// requireAgreement checks that the intervals of a simulation contain the exact
// measures. With a confidence of 99.99% and a fixed seed, a failure is a fault
// and no accident.
func requireAgreement(t *testing.T, exact robots.Measures, simulation *Simulated) {
	t.Helper()
	for name, e := range map[string]Estimates{"replications": simulation.Replications, "batches": simulation.Batches} {
		for what, pair := range map[string]struct {
			interval simulate.Interval
			exact    float64
		}{
			"gain":        {e.Gain, exact.Gain},
			"starvation":  {e.Starvation, exact.Starvation},
			"loss rate":   {e.LossRate, exact.LossRate},
			"robots":      {e.RobotsMean, exact.RobotsMean},
			"pages":       {e.PagesMean, exact.PagesMean},
			"activations": {e.ActivationRate, exact.ActivationRate},
		} {
			// 1e-9 for what does not vary, robots that stay active above all.
			assert.InDelta(t, pair.exact, pair.interval.Mean, pair.interval.HalfWidth+1e-9*pair.exact, "%s by %s", what, name)
			assert.LessOrEqual(t, pair.interval.HalfWidth, 0.1*pair.exact+1e-3, "%s by %s", what, name)
		}
	}
}

var long = flag.Bool("long", false, "run random tests at length")

func mustLaw(t testing.TB, text string, rate float64) queue.Law {
	t.Helper()
	law, err := queue.ParseLaw(text, 1/rate, nil)
	require.NoError(t, err)
	return law
}

// loopLaw has moves back and forth, a phase in which no service starts, one
// that ends none, and one that is never reached.
func loopLaw(t testing.TB, rate float64) queue.Law {
	t.Helper()
	law, err := queue.NewPhaseType("loop", []float64{0.25, 0, 0, 0.75}, [][]float64{
		{-3, 2, 0, 1},
		{1, -1, 0, 0},
		{0, 1, -2, 0},
		{0.5, 0, 0, -4},
	}, 1/rate)
	require.NoError(t, err)
	return law
}

// testProcesses are small and of every kind.
func testProcesses(t testing.TB) map[string]robots.Parameters {
	plain := robots.Parameters{Robots: 5, Buffer: 4, ArrivalRate: 0.3, ServiceRate: 1, StarvationWeight: 1.4}
	costs := plain
	costs.HoldingCost, costs.RobotCost, costs.ActivationCost = 0.05, 0.02, 0.1
	erlang := costs
	erlang.Service = mustLaw(t, "erlang:3", 1)
	mixed := robots.Parameters{
		Classes: []robots.Class{{Robots: 3, ArrivalRate: 0.2}, {Robots: 2, ArrivalRate: 0.45}},
		Buffer:  3, ServiceRate: 0.8, StarvationWeight: 2,
		HoldingCost: 0.03, RobotCost: 0.01, ActivationCost: 0.2,
	}
	three := robots.Parameters{
		Classes: []robots.Class{{Robots: 1, ArrivalRate: 0.2}, {Robots: 2, ArrivalRate: 0.3}, {Robots: 1, ArrivalRate: 0.7}},
		Buffer:  2, ServiceRate: 1.5, StarvationWeight: 0.7,
		ActivationCost: 0.05, Service: mustLaw(t, "hyperexponential:0.3@2,0.7@0.5", 1.5),
	}
	loop := mixed
	loop.Service = loopLaw(t, 0.8)
	return map[string]robots.Parameters{
		"plain": plain, "costs": costs, "erlang": erlang, "mixed": mixed, "three": three, "loop": loop,
	}
}

// horizon is the time of a replication: a tenth of 10⁷ events or so with -long.
func horizon() float64 {
	if *long {
		return 6e5
	}
	return 2e4
}

func TestSimulationAgreesWithTheModel(t *testing.T) {
	for name, f := range testProcesses(t) {
		t.Run(name, func(t *testing.T) {
			s, err := robots.Solve(context.Background(), f, mdp.Settings{})
			require.NoError(t, err)
			simulation, err := (Simulation{
				Horizon: horizon(), Seed: 11, Confidence: 0.9999, Batches: 10,
			}).Run(context.Background(), s.Policy)
			require.NoError(t, err)
			t.Logf("%d events in %v", simulation.Events, simulation.Elapsed)
			requireAgreement(t, *s.Measures, simulation)
		})
	}
}

func TestSimulationOfThePaper(t *testing.T) {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	s, err := robots.Solve(context.Background(), p, mdp.Settings{})
	require.NoError(t, err)
	simulation, err := Simulation{Horizon: horizon(), Seed: 5, Confidence: 0.9999}.Run(context.Background(), s.Policy)
	require.NoError(t, err)
	requireAgreement(t, *s.Measures, simulation)
}

// TestSimulationOfAnyService keeps ten robots active: the queue is M/G/1/K.
func TestSimulationOfAnyService(t *testing.T) {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	policy, err := robots.NewStaticPolicy(p, 10)
	require.NoError(t, err)
	for _, text := range []string{"exponential", "deterministic", "erlang:3", "gamma:0.4", "hyperexponential:0.1@5,0.9@0.5"} {
		law := mustLaw(t, text, 1)
		simulation, err := (Simulation{
			Horizon: horizon(), Seed: 6, Confidence: 0.9999, Law: law,
		}).Run(context.Background(), policy)
		require.NoError(t, err)
		q := queue.NewMG1K(1, law, p.Buffer)
		requireAgreement(t, robots.Measures{Gain: 1.4*q.Empty() + q.LossRate(), Starvation: q.Empty(), LossRate: q.LossRate(), RobotsMean: 10, PagesMean: q.MeanLength()}, simulation)
	}
}

// TestSimulationOfTraces plays back independent times, which are then as good as
// draws, and two times in turn, whose order is kept.
func TestSimulationOfTraces(t *testing.T) {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	policy, err := robots.NewStaticPolicy(p, 10)
	require.NoError(t, err)
	law := mustLaw(t, "erlang:2", 1)
	random := rand.New(rand.NewPCG(8, 8))
	times := make([]float64, 300_000)
	for i := range times {
		times[i] = law.Draw(random)
	}
	simulation, err := (Simulation{Horizon: 2e4, Seed: 7, Confidence: 0.9999, Trace: times}).Run(context.Background(), policy)
	require.NoError(t, err)
	q := queue.NewMG1K(1, law, p.Buffer)
	requireAgreement(t, robots.Measures{Gain: 1.4*q.Empty() + q.LossRate(), Starvation: q.Empty(), LossRate: q.LossRate(), RobotsMean: 10, PagesMean: q.MeanLength()}, simulation)

	played := replicationOf(t, policy, random, Simulation{Trace: []float64{1, 2, 3}}).sampler
	drawn := []float64{played.Draw(random), played.Draw(random), played.Draw(random), played.Draw(random)}
	assert.Equal(t, drawn[0], drawn[3])
	assert.Equal(t, math.Mod(drawn[0], 3)+1, drawn[1])
	assert.Equal(t, math.Mod(drawn[1], 3)+1, drawn[2])
	for _, bad := range [][]float64{{}, {0, 0}, {1, -1}, {math.Inf(1)}, {math.NaN()}, {1, math.NaN()}} {
		_, err := Simulation{Horizon: 1, Trace: bad}.Run(context.Background(), policy)
		assert.ErrorContains(t, err, "Trace", "%v", bad)
	}
}

// TestSimulationIsRepeatable: the seed decides, the workers do not.
func TestSimulationIsRepeatable(t *testing.T) {
	s, err := robots.Solve(context.Background(), testProcesses(t)["three"], mdp.Settings{})
	require.NoError(t, err)
	run := func(seed uint64, workers int) *Simulated {
		simulation, err := (Simulation{Horizon: 1000, Seed: seed, Workers: workers}).Run(context.Background(), s.Policy)
		require.NoError(t, err)
		return simulation
	}
	one, two, other := run(1, 1), run(1, 2), run(2, 2)
	assert.Equal(t, one.Replications, two.Replications)
	assert.Equal(t, one.Batches, two.Batches)
	assert.Equal(t, one.Events, two.Events)
	assert.NotEqual(t, one.Replications, other.Replications)
	assert.Equal(t, DefaultReplications, one.Replications.Observations)
	assert.Equal(t, DefaultReplications*DefaultBatches, one.Batches.Observations)
	assert.InDelta(t, one.Replications.Gain.Mean, one.Batches.Gain.Mean, 1e-12, "the same run")
}

func TestSimulation(t *testing.T) {
	policy, err := robots.NewStaticPolicy(robots.Parameters{Robots: 2, Buffer: 2, ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 1}, 1)
	require.NoError(t, err)
	for field, settings := range map[string]Simulation{
		"Horizon 0":       {},
		"Horizon NaN":     {Horizon: math.NaN()},
		"WarmUp -1":       {Horizon: 1, WarmUp: -1},
		"Replications -1": {Horizon: 1, Replications: -1},
		"Batches -1":      {Horizon: 1, Batches: -1},
		"Confidence 1":    {Horizon: 1, Confidence: 1},
		"Workers -1":      {Horizon: 1, Workers: -1},
	} {
		_, err := settings.Run(context.Background(), policy)
		assert.ErrorContains(t, err, "robots: "+field)
	}
	one, err := (Simulation{Horizon: 10, Replications: 1}).Run(context.Background(), policy)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(one.Replications.Gain.HalfWidth))
	assert.False(t, math.IsNaN(one.Batches.Gain.HalfWidth))

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	none, err := (Simulation{Horizon: 1e9}).Run(ctx, policy)
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, none)

	phased, err := robots.NewStaticPolicy(testProcesses(t)["erlang"], 2)
	require.NoError(t, err)
	law := mustLaw(t, "deterministic", 1)
	_, err = (Simulation{Horizon: 1, Law: law}).Run(context.Background(), phased)
	assert.ErrorContains(t, err, "Law a law or a trace is not valid: use nil for a policy that depends on 3 phases")

	_, err = (Simulation{Horizon: 100, Law: brokenLaw{law}}).Run(context.Background(), policy)
	assert.ErrorContains(t, err, "a service time of NaN was drawn")
}

// brokenLaw draws what is no time.
type brokenLaw struct{ queue.Law }

func (brokenLaw) Draw(*rand.Rand) float64 { return math.NaN() }

// TestReachedPhases: a phase that no service reaches is left out.
func TestReachedPhases(t *testing.T) {
	s, err := phases.Of(loopLaw(t, 1), 1)
	require.NoError(t, err)
	assert.Equal(t, 3, s.Count())
	assert.True(t, slices.Equal([]float64{0.25, 0, 0.75}, s.Start))
}

// An interrupted simulation is that of the replications that came to their end.
func TestInterruptedSimulation(t *testing.T) {
	solution, err := robots.Solve(context.Background(), robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1}, mdp.Settings{})
	require.NoError(t, err)
	policy := solution.Policy
	settings := Simulation{Horizon: 1e5, Replications: 8, Workers: 1, Seed: 3}
	replications := 0
	ctx, cancel := context.WithCancel(context.Background())
	settings.Done = func() {
		if replications++; replications == 5 {
			cancel()
		}
	}
	got, err := settings.Run(ctx, policy)
	require.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, got)
	assert.Equal(t, 5, got.Settings.Replications)
	settings.Replications = 5
	want, err := settings.Run(context.Background(), policy)
	require.NoError(t, err)
	assert.Equal(t, want.Replications, got.Replications)
	assert.Equal(t, want.Batches, got.Batches)
	assert.Equal(t, want.Events, got.Events)
}

// A policy without parameters is an error, and no panic.
func TestSimulationOfNoPolicy(t *testing.T) {
	got, err := (Simulation{Horizon: 1}).Run(context.Background(), &robots.Policy{})
	var fault *robots.ParameterError
	require.ErrorAs(t, err, &fault)
	assert.Nil(t, got)
}

// TestWhatNeverHappensHasNoInterval has losses that are possible and too rare to be seen.
func TestWhatNeverHappensHasNoInterval(t *testing.T) {
	policy, err := robots.NewStaticPolicy(robots.Parameters{Robots: 3, Buffer: 20, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1}, 3)
	require.NoError(t, err)
	found, err := Simulation{Horizon: 1000}.Run(context.Background(), policy)
	require.NoError(t, err)
	for _, estimates := range []Estimates{found.Replications, found.Batches} {
		assert.Zero(t, estimates.LossRate.Mean)
		assert.True(t, math.IsNaN(estimates.LossRate.HalfWidth))
		assert.Positive(t, estimates.Starvation.HalfWidth)
	}
}

// constrained returns the policy with least starvation of those that lose at most 1 %
// of the pages, and what it does in the long run.
func constrained(t *testing.T) (*robots.Policy, robots.Measures) {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1}
	found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossShare: 0.01}, mdp.Settings{})
	require.NoError(t, err)
	chance, ok := found.Policy.Chance()
	require.True(t, ok)
	require.Greater(t, min(chance.Probability, 1-chance.Probability), 0.05, "a case in which chance counts")
	return found.Policy, found.Measures
}

// TestSimulatedChance simulates a policy that leaves a decision to chance.
func TestSimulatedChance(t *testing.T) {
	policy, want := constrained(t)
	outcome, err := Simulation{Horizon: 2e5, Replications: 10, Confidence: 0.9999, Seed: 7}.Run(context.Background(), policy)
	require.NoError(t, err)
	requireAgreement(t, want, outcome)
}

// replicationOf returns a run of a policy.
func replicationOf(t *testing.T, policy *robots.Policy, random *rand.Rand, settings Simulation) *replication {
	t.Helper()
	p := policy.Parameters()
	service, err := phases.Of(p.Service, p.ServiceRate)
	require.NoError(t, err)
	return newReplication(policy, service, random, settings)
}
