package robots_test

import (
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

func ExampleParameters() {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	fmt.Println(p.Validate(), p.IsPlain(), p.ClassList())
	// Output: <nil> true [{16 0.1}]
}

func ExampleParameterError() {
	p := robots.Parameters{Robots: 16, Buffer: 1, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	err := p.Validate()
	fmt.Println(err)
	if e := (*robots.ParameterError)(nil); errors.As(err, &e) {
		fmt.Println(e.Field, e.Value)
	}
	// Output:
	// robots: Buffer 1 is not valid: use at least 2
	// Buffer 1
}
