package refresh_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// If every change is signalled and no signal is false, freshness grows linearly up to one
// access for each change. There any marginal value between 1/Δ and 0 is right.
func ExampleCornered() {
	pages := refresh.Pages{ChangeRates: []float64{2}, Recalls: []float64{1}, FalseRates: []float64{0}}
	for _, objective := range []refresh.Objective{refresh.FixedOrder{}, refresh.Signals{}} {
		cornered, ok := objective.(refresh.Cornered)
		fmt.Println(objective, ok)
		if ok {
			marginals := []float64{0}
			cornered.Corner(marginals, pages, []float64{2}, 0.3)
			fmt.Println(marginals)
		}
	}
	// Output:
	// fixed-order false
	// signals true
	// [0.3]
}
