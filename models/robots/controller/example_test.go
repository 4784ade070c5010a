package controller_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
)

var operated = robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4}

// With one place left and all robots active, of two pages the second is lost.
func ExampleDelivery() {
	a, err := controller.NewAdaptive(context.Background(), operated, controller.AdaptiveSettings{})
	if err == nil {
		err = a.Reset(operated.Buffer-1, operated.Robots)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		delivery, err := a.Deliver(0)
		fmt.Printf("%+v %v\n", delivery, err)
	}
	// Output:
	// {Accepted:true Reactivate:false} <nil>
	// {Accepted:false Reactivate:false} <nil>
}

// run lets a crawler run whose robots bring a page in 5 units of time each, with a clock
// of its own.
func run(pages int, settings controller.AdaptiveSettings) (*controller.Adaptive, error) {
	now := 0.0
	settings.Now = func() float64 { return now }
	settings.Synchronous = true
	a, err := controller.NewAdaptive(context.Background(), operated, settings)
	for range pages {
		if err != nil {
			return nil, err
		}
		_, active := a.Counts()
		now += 4 / float64(active)
		_, delivered := a.Deliver(0)
		_, active = a.Counts()
		now += 1 / float64(max(active, 1))
		_, indexed := a.Indexed()
		err = errors.Join(delivered, indexed)
	}
	return a, err
}

// A crawler begins with a guess of λ, 0.1, and learns that it is 0.2.
func ExampleAdaptive() {
	a, err := run(1000, controller.AdaptiveSettings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	belief := a.Belief()
	lambda := belief.ArrivalRates[0]
	fmt.Printf("λ from %.2f to %.2f\n", lambda.Lower, lambda.Upper)
	fmt.Printf("the policy is for λ = %.2f\n", belief.Policy.Parameters().ArrivalRate)
	// Output:
	// λ from 0.19 to 0.21
	// the policy is for λ = 0.20
}

// Two robots die: the crawler goes on with those that are left.
func ExampleBelief() {
	a, err := run(10, controller.AdaptiveSettings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		if _, err := a.Withdraw(0, true); err != nil {
			fmt.Println(err)
			return
		}
	}
	belief := a.Belief()
	fmt.Println(belief.Robots, belief.Policy.Parameters().Robots, belief.Status)
	// Output: [14] 14 converged
}

func ExampleAdaptiveSettings() {
	a, err := run(500, controller.AdaptiveSettings{Memory: 100, Confidence: 0.9})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Belief().ArrivalRates[0].Observations < 120)
	// Output: true
}

func ExampleRate() {
	a, err := run(200, controller.AdaptiveSettings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	lambda := a.Belief().ArrivalRates[0]
	fmt.Printf("%d deliveries in %.0f units of time of active robots, %d changes\n", lambda.Observations, lambda.Exposure, lambda.Changes)
	// Output: 200 deliveries in 1000 units of time of active robots, 0 changes
}

// Two crawlers with the same estimates have the same policy, which is made once.
func ExamplePlans() {
	var policies []*robots.Policy
	settings := controller.AdaptiveSettings{Plans: new(controller.Plans)}
	for range 2 {
		a, err := controller.NewAdaptive(context.Background(), operated, settings)
		if err != nil {
			fmt.Println(err)
			return
		}
		policies = append(policies, a.Belief().Policy)
	}
	fmt.Println(policies[0] == policies[1])
	// Output: true
}
