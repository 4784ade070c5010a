package sequence_test

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// Three pages have joined since the last plan, but two slots are to be filled.
func ExampleOutlook() {
	never := math.NaN()
	past := sequence.Past{Rates: []float64{0.4, 0.3, 0.3}, Accessed: []float64{never, never, never}}
	_, outlook := past.Visits(2)
	fmt.Println(outlook.First, "first accesses,", outlook.Waiting, "page waits")
	// Output: 2 first accesses, 1 page waits
}
