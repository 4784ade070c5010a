package estimate_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// Changed after gaps of 1 and 2 days, unchanged after 1 and 3.
func ExampleHistory() {
	var history estimate.History
	for gap, changed := range map[float64]bool{1: true, 2: true, 3: false} {
		if err := history.Add(gap, changed); err != nil {
			fmt.Println(err)
		}
	}
	if err := history.Add(1, false); err != nil {
		fmt.Println(err)
	}
	estimate, err := history.Estimate()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f ± %.2f changes a day, %v\n", estimate.Rate, estimate.StandardError, estimate.Smoothing)
	// Output: 0.374159 ± 0.27 changes a day, not smoothed
}

func ExampleEstimate() {
	var history estimate.History
	for range 9 {
		if err := history.Add(1, false); err != nil {
			fmt.Println(err)
		}
	}
	estimate, _ := history.Estimate()
	fmt.Printf("%d changes in %d accesses: %.4f (%v)\n", estimate.Changes, estimate.Accesses, estimate.Rate, estimate.Smoothing)
	// Output: 0 changes in 9 accesses: 0.0541 (none changed)
}

func ExampleSmoothing() {
	fmt.Println(estimate.NotSmoothed, estimate.NoneChanged, estimate.AllChanged)
	// Output: not smoothed none changed all changed
}

func ExampleAccessLog() {
	var log estimate.AccessLog
	for day, digest := range []string{"a9", "a9", "07", "07", "3c"} {
		if err := log.ObserveDigest(float64(day), []byte(digest)); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(log.History().Changes(), "changes in", log.History().Accesses(), "gaps")
	// Output: 2 changes in 4 gaps
}

func ExampleBiasReducedChangeRate() {
	fmt.Printf("%.4f a day\n", estimate.BiasReducedChangeRate(10, 3, 1))
	// Output: 0.3365 a day
}
