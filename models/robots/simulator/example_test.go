package simulator_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
	"github.com/mdpsolve/mdpsolve/models/robots/simulator"
	"github.com/mdpsolve/mdpsolve/queue"
)

var operated = robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}

// Services of constant length under the policy that is best for exponential
// ones.
func ExampleSimulated() {
	solution, err := robots.Solve(context.Background(), operated, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	law, err := queue.NewDeterministic(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	simulation, err := simulator.Simulation{
		Horizon: 20_000, Seed: 1, Law: law,
	}.Run(context.Background(), solution.Policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	gain := simulation.Replications.Gain
	fmt.Printf("exponential %.3f, constant %.2f ± %.2f\n", solution.Gain, gain.Mean, max(gain.HalfWidth, 0.01))
	// Output: exponential 0.259, constant 0.13 ± 0.01
}

// Recorded times are played back in their order.
func ExampleSimulation_trace() {
	policy, err := robots.NewStaticPolicy(operated, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	simulation, err := simulator.Simulation{
		Horizon: 10_000, Seed: 1, Trace: []float64{0.2, 0.3, 0.1, 3.4},
	}.Run(context.Background(), policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("starved %.1f of the time\n", simulation.Replications.Starvation.Mean)
	// Output: starved 0.1 of the time
}

func ExampleSimulation() {
	policy, err := robots.NewStaticPolicy(operated, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	simulation, err := simulator.Simulation{
		Horizon: 5000, WarmUp: 100, Replications: 4, Batches: 25, Seed: 42, Confidence: 0.99,
	}.Run(context.Background(), policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(simulation.Replications.Observations, simulation.Batches.Observations)
	// Output: 4 100
}

// The paper's Table 1 has a cost of 0.40 for ten robots that stay active.
func ExampleEstimates() {
	policy, err := robots.NewStaticPolicy(operated, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	simulation, err := simulator.Simulation{Horizon: 10_000, Seed: 1, Confidence: 0.999}.Run(context.Background(), policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(simulation.Replications.Gain.Contains(0.4), simulation.Batches.Gain.Contains(0.4))
	// Output: true true
}

// The rate of deliveries doubles after 1000 units of time, and goes up and down.
func ExampleLoad() {
	load := simulator.JumpLoad(2, 1000).Times(simulator.CycleLoad(1.5, 480))
	for _, t := range []float64{0, 120, 1080} {
		f, until := load(t)
		fmt.Printf("%.2f until %v\n", f, until)
	}
	// Output:
	// 1.03 until 10
	// 1.50 until 130
	// 3.00 until 1090
}

// Robots become twice as fast: a crawler that learns, beside the optimum and the best fixed number
// of robots for known rates.
func ExampleBenchmark() {
	simulation := simulator.Simulation{Horizon: 4000, Batches: 2, Seed: 1, Load: simulator.JumpLoad(2, 2000)}
	known, err := simulation.Benchmark(context.Background(), operated)
	if err != nil {
		fmt.Println(err)
		return
	}
	learning, err := simulation.RunAdaptive(context.Background(), operated, controller.AdaptiveSettings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, estimates := range learning.Course {
		fmt.Printf("optimum %.3f, learning %.2f, %d robots %.2f\n", known.Optimum[i], estimates.Gain.Mean, known.Robots, known.Fixed[i])
	}
	// Output:
	// optimum 0.259, learning 0.26, 6 robots 0.61
	// optimum 0.177, learning 0.18, 6 robots 0.44
}
