package robots_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Figure 7 of the paper: when to switch each of sixteen robots.
var figure7 = robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}

func ExampleSolve() {
	solution, err := robots.Solve(context.Background(), figure7, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: %.7f per unit of time\n", solution.Status, solution.Gain)
	m := solution.Measures
	fmt.Printf("between %d and %d robots are active, %.1f on average\n", m.RobotsMin, m.RobotsMax, m.RobotsMean)
	// Output:
	// converged: 0.2592396 per unit of time
	// between 4 and 15 robots are active, 9.8 on average
}

// A solve that is stopped early still has an answer, with bounds on how far it
// is from the best.
func ExampleSolution() {
	solution, err := robots.Solve(context.Background(), figure7, mdp.Settings{
		Method:        mdp.RelativeValueIteration,
		MaxIterations: 100,
	})
	fmt.Println(err != nil, solution.Status, solution.Iterations)
	fmt.Printf("the best cost is between %.3f and %.3f; this policy costs %.5f\n",
		solution.Lower, solution.Upper, solution.Measures.Gain)
	// Output:
	// true iteration-limit 100
	// the best cost is between 0.259 and 0.400; this policy costs 0.25924
}

// Of the sixteen robots of Figure 7, one is never needed.
func ExampleLeastSufficientRobots() {
	n, err := robots.LeastSufficientRobots(context.Background(), figure7, mdp.Settings{})
	fmt.Println(n, err)
	// Output: 15 <nil>
}
