package countdown_test

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/countdown"
)

func ExampleContext() {
	ctx := countdown.New(2)
	fmt.Println(ctx.Err(), ctx.Err(), ctx.Err(), ctx.Looks())
	// Output: <nil> <nil> context canceled 3
}
