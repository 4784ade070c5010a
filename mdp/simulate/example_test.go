package simulate_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/simulate"
)

// machine works or is down. Repairs cost 3 per step, or 1 if they are slow.
func machine() *mdp.Table {
	var b mdp.TableBuilder
	b.AddState() // works
	b.AddAction(0)
	b.AddTransition(0, 0.9)
	b.AddTransition(1, 0.1)
	b.AddState() // down
	for _, repair := range []struct{ cost, chance float64 }{{3, 0.8}, {1, 0.2}} {
		b.AddAction(repair.cost)
		b.AddTransition(0, repair.chance)
		b.AddTransition(1, 1-repair.chance)
	}
	table, err := b.Build()
	if err != nil {
		fmt.Println(err)
	}
	return table
}

// The average cost if every other repair is slow.
func ExampleSettings() {
	model := machine()
	policy, err := mdp.RandomizedPolicy(model, []float64{1, 0.5, 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := simulate.Run(context.Background(), simulate.Of(model), policy, mdp.LongRunAverage{},
		simulate.Settings{Horizon: 20_000, WarmUp: 100, Replications: 20, Seed: 1, Confidence: 0.99})
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := mdp.Evaluate(context.Background(), model, policy, mdp.LongRunAverage{}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f, exactly %.4f: %t\n", found.Value.Mean, exact.Gain, found.Value.Contains(exact.Gain))
	// Output: 0.33, exactly 0.3333: true
}

// The cost until the machine works again. Slow repairs take 5 steps on average.
func ExampleResult() {
	found, err := simulate.Run(context.Background(), simulate.Of(machine()), mdp.Policy{Actions: []int32{0, 1}},
		mdp.TotalCost{Target: []int32{0}}, simulate.Settings{State: 1, Replications: 1000, Seed: 1, Confidence: 0.99})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Replications, len(found.Observations), found.Steps > 4000 && found.Steps < 6000, found.Value.Contains(5))
	// Output: 1000 1000 true true
}

// The same machine in continuous time: it works for 10 hours on average, repairs take 2, and a
// failure costs 7.
func ExampleProcess() {
	process := &simulate.Process{
		StateStart: []int32{0, 1, 2}, RowStart: []int32{0, 1, 2}, Columns: []int32{1, 0}, Weights: []float64{1, 1},
		Exits: []float64{1. / 10, 1. / 2}, Choices: []float64{7, 0},
	}
	found, err := simulate.Run(context.Background(), process, mdp.Policy{Actions: []int32{0, 0}}, mdp.LongRunAverage{},
		simulate.Settings{Horizon: 12_000, Replications: 10, Seed: 1, Confidence: 0.99})
	fmt.Println(found.Value.Contains(7./12), err)
	// Output: true <nil>
}

func ExampleInterval() {
	interval := simulate.NewInterval([]float64{9.5, 10.5, 10.1, 9.9, 10.2}, 0.95)
	fmt.Printf("%.2f ± %.2f, %v\n", interval.Mean, interval.HalfWidth, interval.Contains(10))
	// Output: 10.04 ± 0.46, true
}
