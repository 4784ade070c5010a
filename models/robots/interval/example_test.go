package interval_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/interval"
)

// Figure 7 of the paper, with rates that are known to a tenth.
var (
	figure7 = robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	tenth   = interval.Rates{Arrival: interval.Range{Low: 0.09, High: 0.11}, Service: interval.Range{Low: 0.9, High: 1.1}}
)

func ExampleSolve() {
	solution, err := interval.Solve(context.Background(), figure7, tenth, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: at most %.7f per unit of time\n", solution.Status, solution.Gain)
	// Output:
	// converged: at most 0.3385765 per unit of time
}

// The policy keeps to the bounds whatever the rates are in the ranges, as here with the
// slowest robots and the fastest service.
func ExampleSolution() {
	solution, err := interval.Solve(context.Background(), figure7, tenth, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	slow := figure7
	slow.ArrivalRate, slow.ServiceRate = tenth.Arrival.Low, tenth.Service.High
	policy, err := robots.NewPolicy(slow, solution.Policy.Decisions)
	if err != nil {
		fmt.Println(err)
		return
	}
	measures, err := robots.Measure(context.Background(), policy)
	fmt.Printf("%.5f, and never above %.5f; %v\n", measures.Gain, solution.Upper, err)
	// Output:
	// 0.29972, and never above 0.33858; <nil>
}

// What it costs to be careful, and what it costs not to be.
func ExampleSolution_Compare() {
	solution, err := interval.Solve(context.Background(), figure7, tenth, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := solution.Compare(context.Background(), mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("at the middle: %.5f, at best %.5f\n", c.Cost, c.Optimum.Gain)
	fmt.Printf("at the worst: %.5f, planned for the middle %.5f\n", solution.Gain, c.Worst.Gain)
	// Output:
	// at the middle: 0.25951, at best 0.25924
	// at the worst: 0.33858, planned for the middle 0.33910
}

// With wide ranges caution has its price, and the lack of it a higher one.
func ExampleComparison() {
	wide := interval.Rates{Arrival: interval.Range{Low: 0.06, High: 0.14}, Service: interval.Range{Low: 0.6, High: 1.4}}
	solution, err := interval.Solve(context.Background(), figure7, wide, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var c *interval.Comparison
	if c, err = solution.Compare(context.Background(), mdp.Settings{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("to be careful costs %.4f, not to be up to %.4f\n", c.Cost-c.Optimum.Gain, c.Worst.Gain-solution.Gain)
	// Output:
	// to be careful costs 0.0047, not to be up to 0.0129
}

// The rates that are the worst lengthen long queues, and shorten short ones.
func ExampleNature() {
	solution, err := interval.Solve(context.Background(), figure7, tenth, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, queue := range []int{1, 5} {
		arrival, service := solution.Nature.Rates(queue, 10)
		fmt.Printf("with %d pages: λ = %v, μ = %v\n", queue, arrival, service)
	}
	// Output:
	// with 1 pages: λ = 0.09, μ = 1.1
	// with 5 pages: λ = 0.11, μ = 0.9
}

// A fixed number of robots has a worst case, too.
func ExampleEvaluateWorst() {
	ten, err := robots.NewStaticPolicy(figure7, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	worst, err := interval.EvaluateWorst(context.Background(), ten, tenth, mdp.Settings{})
	fmt.Printf("%v: %.5f; %v\n", worst.Status, worst.Gain, err)
	// Output:
	// converged: 0.50852; <nil>
}

// Rates that lie in no more than a point are known.
func ExampleRates() {
	known := interval.Rates{Arrival: interval.Range{Low: 0.1, High: 0.1}, Service: interval.Range{Low: 1, High: 1}}
	solution, err := interval.Solve(context.Background(), figure7, known, mdp.Settings{})
	fmt.Printf("%.7f %v\n", solution.Gain, err)
	// Output:
	// 0.2592396 <nil>
}

func ExampleRange() {
	r := interval.Range{Low: 0.08, High: 0.12}
	fmt.Printf("%.2f\n", r.Middle())
	// Output:
	// 0.10
}
