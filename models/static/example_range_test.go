package static_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/static"
)

// Which number of robots is best, as the price γ of starvation rises from 1 to 10.
func ExampleRange() {
	p := static.Parameters{ArrivalRate: 1, ServiceRate: 5.7, Buffer: 10}
	ranges, err := p.Ranges(static.OverWeight, 1, 10, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range ranges {
		fmt.Printf("%d robots from %.4f to %.4f\n", r.Robots, r.From, r.To)
	}
	// Output:
	// 4 robots from 1.0000 to 1.2657
	// 5 robots from 1.2657 to 5.2355
	// 6 robots from 5.2355 to 10.0000
}
