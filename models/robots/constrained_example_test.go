package robots_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// At most 1 % of the pages may be lost. The best policy leaves one decision to chance.
func ExampleSolveWithin() {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1}
	found, err := robots.SolveWithin(context.Background(), p, robots.Limit{LossShare: 0.01}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("starvation %.6f, %v, γ = %.4f\n", found.Value, found.Status, found.Weight)
	if chance, ok := found.Policy.Chance(); ok {
		fmt.Printf("with %d pages and %d robots, at an %v: %.4f\n",
			chance.State.Queue, chance.State.Active[0], chance.Event, chance.Probability)
	}
	// Output:
	// starvation 0.307536, converged, γ = 0.1260
	// with 0 pages and 9 robots, at an arrival: 0.0974
}

func ExampleLimit() {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1}
	_, err := robots.SolveWithin(context.Background(), p, robots.Limit{Starvation: 0.01}, mdp.Settings{})
	fmt.Println(err)
	// Output: robots: Starvation 0.01 is not valid: use a number of at least 0.03802952307935695, the starvation with all robots active
}

// A policy that flips a coin in one state.
func ExampleChance() {
	p := robots.Parameters{Robots: 3, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1}
	policy, err := robots.NewStaticPolicy(p, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err = policy.WithChance(robots.Chance{
		State: robots.State{Queue: 1, Active: []int{2}}, Event: robots.Departure,
		Decisions: robots.Decisions{Activate: 0}, Probability: 0.5,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	measures, err := robots.Measure(context.Background(), policy)
	fmt.Printf("%.4f robots on average, %v\n", measures.RobotsMean, err)
	// Output: 2.1176 robots on average, <nil>
}
