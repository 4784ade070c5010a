package estimate_test

import (
	"context"
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
		if err := log.Take(float64(day), estimate.Found, []byte(digest)); err != nil {
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

// Thirty pages with a rate of one change in five days or so, seen on few days each. Of a page
// with a single gap, and of one never seen, is known what pages are like.
func ExamplePrior() {
	var pages []*estimate.History
	for page := range 30 {
		history := &estimate.History{}
		for day := range 2 + page%3 {
			if err := history.Add(1, (page+day)%5 == 0); err != nil {
				fmt.Println(err)
			}
		}
		pages = append(pages, history)
	}
	prior, err := estimate.Fit(context.Background(), pages, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean rate %.2f\n", prior.Mean())
	var seenOnce estimate.History
	if err := seenOnce.Add(1, true); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("never seen %.2f, seen once and changed %.2f\n", prior.After(&estimate.History{}).Mean, prior.After(&seenOnce).Mean)
	// Output:
	// mean rate 0.23
	// never seen 0.23, seen once and changed 0.29
}

func ExamplePosterior() {
	var history estimate.History
	if err := history.Add(3, false); err != nil {
		fmt.Println(err)
	}
	known := estimate.Prior{Shape: 1, Rate: 1}.After(&history) // a gamma law with shape 1 and rate 4
	lower, upper, err := known.Interval(0.95)
	fmt.Printf("%.3f ± %.3f, from %.4f to %.3f %v\n", known.Mean, known.StandardDeviation, lower, upper, err)
	// Output: 0.250 ± 0.250, from 0.0063 to 0.922 <nil>
}

// Two hosts: the estimate for a page that was never seen depends on its host.
func ExampleFitHosts() {
	var pages []*estimate.History
	var hosts []int32
	for page := range 40 {
		history := &estimate.History{}
		host := int32(page % 2)
		for range 3 {
			if err := history.Add(1, host == 0 && page%10 > 0); err != nil {
				fmt.Println(err)
			}
		}
		pages, hosts = append(pages, history), append(hosts, host)
	}
	overall, err := estimate.Fit(context.Background(), pages, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	priors, _, err := estimate.FitHosts(context.Background(), pages, hosts, overall, 1)
	fmt.Println(priors[0].Mean() > 1, priors[1].Mean() < 0.1, err)
	// Output: true true <nil>
}

// What a crawler's log says of a page by HTTP statuses.
func ExampleOutcomeOf() {
	var log estimate.AccessLog
	for day, status := range []int{200, 304, 503, 304} {
		outcome, ok := estimate.OutcomeOf(status)
		if !ok {
			panic("no HTTP status")
		}
		if err := log.Take(float64(day), outcome, nil); err != nil {
			panic(err)
		}
	}
	fmt.Println("gaps without a change:", log.History().Accesses())
	// Output:
	// gaps without a change: 2
}
