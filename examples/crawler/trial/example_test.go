package trial_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/trial"
)

// What the model promises each pool on a load that jumps.
func ExampleComparison() {
	ctx := context.Background()
	load, err := trial.ParseLoad("jump")
	if err != nil {
		log.Fatal(err)
	}
	c, err := trial.NewComparison(ctx, trial.Settings{
		Robots: 16, Buffer: 5, StarvationWeight: 1.4, ArrivalRate: 0.1, ServiceRate: 1, Unit: 20 * time.Millisecond, Load: load,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, pool := range c.Pools {
		cost, err := c.Settings.Promised(ctx, pool)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %.3f\n", pool.Name, cost)
	}
	// Output:
	// fixed: 7 robots: 0.526
	// additive: NaN
	// paper: 0.307
	// adaptive: 0.232
}
