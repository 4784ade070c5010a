package number_test

import (
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
	// "infinity" found; a number such as 1.5, 1e-3 or 17/15 is allowed
}
