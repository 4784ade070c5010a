package number_test

import (
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

func ExampleParse() {
	value, err := number.Parse("17/15")
	fmt.Println(value, err)
	_, err = number.Parse("infinity")
	fmt.Println(err)
	// Output:
	// 1.1333333333333333 <nil>
	// "infinity" is not valid: use a number such as 1.5, 1e-3 or 17/15
}

func ExampleParseExact() {
	exact, nearest, err := number.ParseExact("0.7/2.1")
	fmt.Println(exact, nearest, err)
	// Output: 1/3 0.3333333333333333 <nil>
}

func ExampleError() {
	_, err := number.Parse("1e400")
	if fault, ok := errors.AsType[*number.Error](err); ok {
		fmt.Println(fault.Expected)
	}
	// Output: a number from -1.798e+308 to 1.798e+308
}
