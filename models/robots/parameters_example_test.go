package robots_test

import (
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

func ExampleParameters() {
	p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	fmt.Printf("%.1f %v\n", p.UniformizationRate(), p.Validate())
	// Output: 2.6 <nil>
}

func ExampleParameterError() {
	p := robots.Parameters{Robots: 16, Buffer: 1, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}
	err := p.Validate()
	fmt.Println(err)
	if e := (*robots.ParameterError)(nil); errors.As(err, &e) {
		fmt.Println(e.Field, e.Value)
	}
	// Output:
	// robots: Buffer is 1; allowed is at least 2
	// Buffer 1
}
