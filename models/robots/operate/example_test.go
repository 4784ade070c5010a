package operate_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
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
	simulation, err := operate.Simulation{
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
	simulation, err := operate.Simulation{
		Horizon: 10_000, Seed: 1, Trace: []float64{0.2, 0.3, 0.1, 3.4},
	}.Run(context.Background(), policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("starved %.1f of the time\n", simulation.Replications.Starvation.Mean)
	// Output: starved 0.1 of the time
}

func ExampleInterval() {
	interval := operate.Interval{Mean: 10.05, HalfWidth: 0.42}
	fmt.Printf("%.2f ± %.2f, %v\n", interval.Mean, interval.HalfWidth, interval.Contains(10))
	// Output: 10.05 ± 0.42, true
}

// With one place left and all robots active, of two pages the second is lost.
func ExampleDelivery() {
	a, err := operate.NewAdaptive(context.Background(), operated, operate.AdaptiveSettings{})
	if err == nil {
		err = a.Reset(operated.Buffer-1, operated.Robots)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		delivery, err := a.Deliver(0)
		fmt.Printf("%+v %v\n", delivery, err)
	}
	// Output:
	// {Accepted:true Reactivate:false} <nil>
	// {Accepted:false Reactivate:false} <nil>
}

func ExampleSimulation() {
	policy, err := robots.NewStaticPolicy(operated, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	simulation, err := operate.Simulation{
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
	simulation, err := operate.Simulation{Horizon: 10_000, Seed: 1, Confidence: 0.999}.Run(context.Background(), policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(simulation.Replications.Gain.Contains(0.4), simulation.Batches.Gain.Contains(0.4))
	// Output: true true
}

// run lets a crawler run whose robots bring a page in 5 units of time each, with a clock
// of its own.
func run(pages int, settings operate.AdaptiveSettings) (*operate.Adaptive, error) {
	now := 0.0
	settings.Now = func() float64 { return now }
	settings.Synchronous = true
	a, err := operate.NewAdaptive(context.Background(), operated, settings)
	for range pages {
		if err != nil {
			return nil, err
		}
		_, active := a.Counts()
		now += 4 / float64(active)
		_, delivered := a.Deliver(0)
		_, active = a.Counts()
		now += 1 / float64(max(active, 1))
		_, indexed := a.Indexed()
		err = errors.Join(delivered, indexed)
	}
	return a, err
}

// A crawler begins with a guess of λ, 0.1, and learns that it is 0.2.
func ExampleAdaptive() {
	a, err := run(1000, operate.AdaptiveSettings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	belief := a.Belief()
	lambda := belief.ArrivalRates[0]
	fmt.Printf("λ from %.2f to %.2f\n", lambda.Lower, lambda.Upper)
	fmt.Printf("the policy is for λ = %.2f\n", belief.Policy.Parameters().ArrivalRate)
	// Output:
	// λ from 0.19 to 0.21
	// the policy is for λ = 0.20
}

// Two robots die: the crawler goes on with those that are left.
func ExampleBelief() {
	a, err := run(10, operate.AdaptiveSettings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		if _, err := a.Withdraw(0, true); err != nil {
			fmt.Println(err)
			return
		}
	}
	belief := a.Belief()
	fmt.Println(belief.Robots, belief.Policy.Parameters().Robots, belief.Status)
	// Output: [14] 14 converged
}

func ExampleAdaptiveSettings() {
	a, err := run(500, operate.AdaptiveSettings{Memory: 100, Confidence: 0.9})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Belief().ArrivalRates[0].Observations < 120)
	// Output: true
}

func ExampleRate() {
	a, err := run(200, operate.AdaptiveSettings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	lambda := a.Belief().ArrivalRates[0]
	fmt.Printf("%d deliveries in %.0f units of time of active robots, %d changes\n", lambda.Observations, lambda.Exposure, lambda.Changes)
	// Output: 200 deliveries in 1000 units of time of active robots, 0 changes
}

// The rate of deliveries doubles after 1000 units of time, and goes up and down.
func ExampleLoad() {
	load := operate.JumpLoad(2, 1000).Times(operate.CycleLoad(1.5, 480))
	for _, t := range []float64{0, 120, 1080} {
		f, until := load(t)
		fmt.Printf("%.2f until %v\n", f, until)
	}
	// Output:
	// 1.03 until 10
	// 1.50 until 130
	// 3.00 until 1090
}

// A crawler that learns, compared with those who know that robots become twice as fast.
func ExampleBenchmark() {
	simulation := operate.Simulation{Horizon: 4000, Batches: 2, Seed: 1, Load: operate.JumpLoad(2, 2000)}
	known, err := simulation.Benchmark(context.Background(), operated)
	if err != nil {
		fmt.Println(err)
		return
	}
	learning, err := simulation.RunAdaptive(context.Background(), operated, operate.AdaptiveSettings{})
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
