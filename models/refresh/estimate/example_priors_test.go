package estimate_test

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// seen returns the history of a page seen on so many days, and changed on the first ones.
func seen(days, changed int) *estimate.History {
	h := &estimate.History{}
	for day := range days {
		if err := h.Add(1, day < changed); err != nil {
			fmt.Println(err)
		}
	}
	return h
}

// Pages of host 0 change on most days, and those of host 1 hardly ever. A page that was never
// accessed is taken to be like its host.
func ExamplePriors() {
	var pages []*estimate.History
	var hosts []int32
	for i := range 20 {
		pages, hosts = append(pages, seen(10, 6+i%4), seen(10, i%2)), append(hosts, 0, 1)
	}
	priors, err := estimate.FitPriors(context.Background(), pages, hosts, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, host := range []int32{0, 1, -1} {
		page, err := priors.Estimate(&estimate.History{}, host, 0.95)
		fmt.Printf("host %d: %.2f changes a day, %v\n", host, page.Rate, err)
	}
	// Output:
	// host 0: 1.47 changes a day, <nil>
	// host 1: 0.06 changes a day, <nil>
	// host -1: 0.76 changes a day, <nil>
}

// Without priors, a page is judged by its own history.
func ExamplePageEstimate() {
	var none *estimate.Priors
	page, err := none.Estimate(seen(10, 3), -1, 0.95)
	fmt.Printf("%.3f changes a day, with 95%% confidence %.3f to %.3f, %v\n", page.Rate, page.Lower, page.Upper, err)
	// Output: 0.357 changes a day, with 95% confidence 0.069 to 1.057, <nil>
}
