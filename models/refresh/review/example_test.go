package review_test

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/models/refresh/review"
)

// A page that changes twice a day was to be accessed at 12:00. The access came at 18:00.
func ExampleDay() {
	day := review.Day{From: 0, Until: 1, Timed: true}
	page := review.Page{
		ChangeRate: 2, Weight: 1, Last: 0, Planned: []float64{0.5},
		Accesses: []review.Access{{Time: 0.75, Told: true, Changed: true}},
	}
	r := day.Of([]review.Page{page}, nil)
	fmt.Printf("promised %.3f, by the accesses made %.3f\n", r.Promised, r.Expected)
	// Output: promised 0.632, by the accesses made 0.585
}

func ExamplePage() {
	page := review.Page{ChangeRate: 2, Weight: 1, Last: math.NaN()}
	fmt.Println(page.Fresh(nil, 0, 0, 1), "without a copy")
	page.Last, page.StandardError = 0, 2 // nobody knows the rate well
	fmt.Printf("%.3f with one\n", page.Fresh(nil, 0, 0, 1))
	// Output:
	// 0 without a copy
	// 0.549 with one
}

func ExampleAccess() {
	failed := review.Access{Time: 0.5, Failed: true}
	r := review.Day{From: 0, Until: 1}.Of([]review.Page{{ChangeRate: 1, Weight: 1, Last: 0, Accesses: []review.Access{failed}}}, nil)
	fmt.Printf("failures cost %.3f\n", r.Made-r.Expected)
	// Output: failures cost 0.155
}

// Pages changed three times as often as was believed.
func ExampleResult() {
	var pages []review.Page
	for i := range 1000 {
		changed := i < 777 // 1 − e^{−1.5} of them
		pages = append(pages, review.Page{ChangeRate: 1, Weight: 1, Last: -0.5, Accesses: []review.Access{{Time: 0, Told: true, Changed: changed}}})
	}
	r := review.Day{From: 0, Until: 0.001}.Of(pages, nil)
	fmt.Printf("true rates are %.1f times the given ones\n", r.Factor)
	// Output: true rates are 3.0 times the given ones
}
