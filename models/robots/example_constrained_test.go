package robots_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// The least loss rate if the queue may be empty 15 % of the time, and what a second of
// starvation must cost for that policy to be best without the limit.
func ExampleConstrained() {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1}
	found, err := robots.SolveWithin(context.Background(), p, robots.Limit{Starvation: 0.15}, mdp.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("loss rate %.6f, proved: %t\n", found.Value, found.Lower <= found.Value && found.Value <= found.Upper)
	fmt.Printf("starvation %.4f, worth %.4f\n", found.Measures.Starvation, found.Weight)
	// Output:
	// loss rate 0.060417, proved: true
	// starvation 0.1500, worth 0.8385
}
