package estimate_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

func ExampleOutcome() {
	var log estimate.AccessLog
	for day, outcome := range []estimate.Outcome{estimate.Found, estimate.Unchanged, estimate.Failed, estimate.Changed} {
		if err := log.Take(float64(day), outcome, nil); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("day", day, outcome)
	}
	fmt.Println("gaps that say whether the page has changed:", log.History().Accesses())
	// Output:
	// day 0 found
	// day 1 unchanged
	// day 2 failed
	// day 3 changed
	// gaps that say whether the page has changed: 2
}

// A log has digests for some accesses.
func ExampleSeen() {
	var seen estimate.Seen
	for _, digest := range []string{"5f1d", "5f1d", "9c02"} {
		fmt.Println(seen.Take(estimate.Found, []byte(digest)))
	}
	// Output:
	// found
	// unchanged
	// changed
}
