package static_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

// The first row for λ = 0.05 of the paper's Table 1.
func ExampleParameters() {
	p := static.Parameters{ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 0.4, Buffer: 5}
	best, err := p.Optimize()
	fmt.Printf("%d robots cost %.5f %v\n", best.Robots, best.Cost, err)
	// Output: 15 robots cost 0.17578 <nil>
}

// The same pages, each indexed in exactly one unit of time.
func ExampleParameters_service() {
	law, err := queue.NewDeterministic(1)
	if err != nil {
		panic(err)
	}
	p := static.Parameters{ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 0.4, Buffer: 5, Service: law}
	best, err := p.Optimize()
	fmt.Printf("%d robots cost %.5f %v\n", best.Robots, best.Cost, err)
	// Output: 17 robots cost 0.11769 <nil>
}

func ExampleParameterError() {
	p := static.Parameters{ArrivalRate: 0.05, ServiceRate: 1, StarvationWeight: 0.4, Buffer: 1}
	fmt.Println(p.Validate())
	// Output: static: Buffer: 1 is not valid: use a whole number from 2 to 1000000000
}

func ExampleResult() {
	p := static.Parameters{ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4, Buffer: 5}
	result, err := p.Evaluate(10)
	fmt.Printf("load %.1f, best load %.1f, starved %.4f, lost %.4f %v\n",
		result.Load, result.OptimalLoad, result.Starvation, result.LossRate, err)
	// Output: load 1.0, best load 1.0, starved 0.1667, lost 0.1667 <nil>
}

func ExampleCost() {
	p := static.Parameters{ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1, Buffer: 5}
	for _, p.Cost = range []static.Cost{static.LossRate, static.LossProbability} {
		best, err := p.Optimize()
		fmt.Println(p.Cost, best.Robots, err)
	}
	// Output:
	// loss-rate 9 <nil>
	// loss-probability 10 <nil>
}

// With room for ever more pages, μ/λ = 5.7 robots would neither starve nor
// lose.
func ExampleParameters_unlimited() {
	p := static.Parameters{ArrivalRate: 1 / 5.7, ServiceRate: 1, StarvationWeight: 0.4}
	p.Unlimited = true
	limit, err := p.Optimize()
	fmt.Printf("%d robots cost %.4f %v\n", limit.Robots, limit.Cost, err)
	// Output: 5 robots cost 0.0491 <nil>
}

// A few points of the paper's Figure 2.
func ExampleSweep() {
	p := static.Parameters{ArrivalRate: 1, ServiceRate: 5.7, Buffer: 10}
	points, err := static.Sweep(p, static.OverWeight, []float64{0.1, 1, 10, 100})
	if err != nil {
		panic(err)
	}
	for _, point := range points {
		fmt.Println(point.Value, point.Robots)
	}
	// Output:
	// 0.1 3
	// 1 4
	// 10 6
	// 100 8
}

func ExamplePoint() {
	p := static.Parameters{ArrivalRate: 1, ServiceRate: 1, StarvationWeight: 2}
	points, err := static.Sweep(p, static.OverBuffer, []float64{2, 20})
	if err != nil {
		panic(err)
	}
	for _, point := range points {
		fmt.Printf("K=%v: best load %.4f\n", point.Value, point.OptimalLoad)
	}
	// Output:
	// K=2: best load 1.0000
	// K=20: best load 1.0433
}

func ExampleAxis() {
	values, err := static.Grid(static.OverBuffer, 2, 5, 10)
	fmt.Println(static.OverBuffer, values, err)
	// Output: buffer [2 3 4 5] <nil>
}
