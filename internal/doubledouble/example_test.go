package doubledouble_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

func ExampleNumber() {
	third := 1.0 / 3 // a float64, a little less than 1/3
	rest := doubledouble.FromFloat(1).Sub(doubledouble.TwoProduct(third, 3))
	fmt.Println("in float64:", 1-float64(third*3)) // the conversion forbids a fused multiply-add
	fmt.Println("exactly:   ", rest.Float())
	// Output:
	// in float64: 0
	// exactly:    5.551115123125783e-17
}

func ExampleNumber_RoundDown() {
	x := doubledouble.TwoSum(1, 1e-30)
	fmt.Println(x.RoundDown(), x.RoundUp())
	// Output:
	// 1 1.0000000000000002
}

func ExampleAccumulator() {
	var sum doubledouble.Accumulator
	sum.AddAll([]float64{1e100, 1, -1e100, 1})
	fmt.Println(sum.Sum(), sum.Below(3))
	// Output: 2 1
}
