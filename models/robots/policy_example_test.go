package robots_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// A rule of thumb, measured and compared with the best there is: at most ten
// robots, and none is sent out while the queue is full.
func ExamplePolicy() {
	policy, err := robots.NewPolicy(figure7, func(s robots.State) robots.Decisions {
		d := robots.Decisions{Activate: robots.NoClass}
		if s.Active[0] < 10 {
			d.Activate = 0
		}
		if s.Queue < 5 {
			d.Reactivate |= 1
		}
		return d
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
	fmt.Println(policy.Decisions(robots.State{Queue: 3, Active: []int{9}}).Activate == 0)
	// Output:
	// 0.3774, the best is 0.2592
	// true
}

// All sixteen robots always active: the queue M/M/1/5 at 160% load.
func ExampleMeasures() {
	always, err := robots.NewStaticPolicy(figure7, 16)
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
	curves := solution.Policy.Curves()[0]
	fmt.Println("departure", curves.Departure)
	fmt.Println("arrival  ", curves.Arrival)
	fmt.Println(curves.Threshold, curves.Monotone)
	// Output:
	// departure [5 5 5 5 5 5 5 4 4 3 3 3 2 2 1 1 -1]
	// arrival   [-1 5 5 5 5 3 3 3 2 2 1 1 1 0 0 -1 -1]
	// true true
}

func ExamplePolicy_WriteJSON() {
	solution, err := robots.Solve(context.Background(), figure7, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := solution.Policy.WriteJSON(&file); err != nil {
		fmt.Println(err)
		return
	}
	policy, err := robots.ReadPolicy(&file, "policy.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(policy.Parameters().Robots, policy.Curves()[0].Departure[4] == solution.Policy.Curves()[0].Departure[4])
	// Output: 16 true
}

func ExampleReadPolicy_fault() {
	_, err := robots.ReadPolicy(strings.NewReader(`{"format": "robots-fleet-policy", "version": 3}`), "policy.json")
	fmt.Println(err)
	// Output: policy.json:1:46: found 3; expected version 1
}

func ExampleEvent() {
	fmt.Println(robots.Departure, robots.Arrival)
	// Output: departure arrival
}
