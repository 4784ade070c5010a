package pass_test

import (
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/distributed/beam/pass"
)

// Bad input stays bad: runners do not try it again.
func ExampleFinalError() {
	err := fmt.Errorf("pages.csv: %w", &pass.FinalError{Status: 2, Text: "no such column"})
	if final, ok := errors.AsType[*pass.FinalError](err); ok {
		fmt.Println(err, final.Status)
	}
	// Output: pages.csv: no such column 2
}
