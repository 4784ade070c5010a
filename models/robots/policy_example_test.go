package robots_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// A rule of thumb, measured and compared with the best there is: at most ten
// robots, and none is sent out while the queue is full.
func ExamplePolicy() {
	policy, err := robots.NewPolicy(figure7, func(s robots.State) bool {
		if s.Event == robots.Departure {
			return s.Active < 10
		}
		return s.Queue < 5
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := robots.Measure(context.Background(), policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := robots.Solve(context.Background(), figure7, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f, the best is %.4f\n", m.Gain, best.Gain)
	fmt.Println(policy.Activates(robots.State{Queue: 3, Active: 9, Event: robots.Departure}))
	// Output:
	// 0.3774, the best is 0.2592
	// true
}

// All sixteen robots always active: the queue M/M/1/5 at 160% load.
func ExampleMeasures() {
	always, err := robots.NewPolicy(figure7, func(robots.State) bool { return true })
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := robots.Measure(context.Background(), always)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("empty %.1f%% of the time, %.3f pages lost per unit of time, %.0f robots active\n",
		100*m.Starvation, m.LossRate, m.RobotsMean)
	fmt.Printf("cost %.4f = 1.4·%.4f + %.4f\n", m.Gain, m.Starvation, m.LossRate)
	// Output:
	// empty 3.8% of the time, 0.638 pages lost per unit of time, 16 robots active
	// cost 0.6913 = 1.4·0.0380 + 0.6380
}

// Figure 7 of the paper, as numbers: at a departure that finds r robots active
// one more is activated up to this queue length.
func ExampleCurves() {
	solution, err := robots.Solve(context.Background(), figure7, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	curves := solution.Curves
	fmt.Println("departure", curves.Departure)
	fmt.Println("arrival  ", curves.Arrival)
	fmt.Println(curves.Threshold, curves.Monotone)
	// Output:
	// departure [5 5 5 5 5 5 5 4 4 3 3 3 2 2 1 1 -1]
	// arrival   [-1 5 5 5 5 3 3 3 2 2 1 1 1 0 0 -1 -1]
	// true true
}
