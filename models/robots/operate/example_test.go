package operate_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
	"github.com/mdpsolve/mdpsolve/queue"
)

var operated = robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}

// A crawler tells the controller what happens and does as it says.
func ExampleController() {
	solution, err := robots.Solve(context.Background(), operated, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	controller := operate.NewController(solution.Policy)
	for range 3 {
		delivery, err := controller.Deliver()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("delivered: %+v\n", delivery)
	}
	for range 4 {
		activate, err := controller.Indexed()
		fmt.Println("indexed: activate", activate, err)
	}
	fmt.Println(controller.Counts())
	// Output:
	// delivered: {Accepted:true Reactivate:true}
	// delivered: {Accepted:true Reactivate:true}
	// delivered: {Accepted:true Reactivate:true}
	// indexed: activate true <nil>
	// indexed: activate true <nil>
	// indexed: activate true <nil>
	// indexed: activate false operate: a page was indexed, but the queue is empty
	// 0 4
}

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
	services, err := operate.LawServices(law)
	if err != nil {
		fmt.Println(err)
		return
	}
	simulation, err := operate.Simulation{
		Horizon: 20_000, Seed: 1, Services: services,
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
func ExampleServices() {
	policy, err := robots.NewStaticPolicy(operated, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	services, err := operate.TraceServices([]float64{0.2, 0.3, 0.1, 3.4})
	if err != nil {
		fmt.Println(err)
		return
	}
	simulation, err := operate.Simulation{
		Horizon: 10_000, Seed: 1, Services: services,
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

// A full queue: the page is lost.
func ExampleDelivery() {
	policy, err := robots.NewStaticPolicy(operated, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	controller := operate.NewController(policy)
	if err := controller.Reset(operated.Buffer, 10); err != nil {
		fmt.Println(err)
		return
	}
	delivery, err := controller.Deliver()
	fmt.Printf("%+v %v\n", delivery, err)
	// Output: {Accepted:false Reactivate:true} <nil>
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
