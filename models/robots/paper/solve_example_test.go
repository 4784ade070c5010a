package paper_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
)

// Figure 7 of the paper: when to switch each of sixteen robots.
var figure7 = robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}

// The authors stop when the values have settled, which vouches for nothing. The
// bounds that go with the values do: they leave room for one part in 600.
func ExampleSolve() {
	solution, err := paper.Solve(context.Background(), figure7, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v after %d iterations: %.5f, surely between %.5f and %.5f\n",
		solution.Status, solution.Iterations, solution.Gain, solution.Lower, solution.Upper)
	// Output: stopped after 255 iterations: 0.25924, surely between 0.25924 and 0.25964
}
