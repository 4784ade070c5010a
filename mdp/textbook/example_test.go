package textbook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/textbook"
)

// A machine earns 10 a day while it works, and breaks down on one day in four. A repair costs 4, and
// succeeds at once, or costs 1 and succeeds on one day in two.
func ExampleMethod() {
	var b mdp.TableBuilder
	b.AddState() // works
	b.AddAction(10)
	b.AddTransition(0, 3./4)
	b.AddTransition(1, 1./4)
	b.AddState() // is broken
	b.AddAction(-1)
	b.AddTransition(0, 1./2)
	b.AddTransition(1, 1./2)
	b.AddAction(-4)
	b.AddTransition(0, 1)
	table, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	method, err := textbook.New(table, mdp.LongRunAverage{Sense: mdp.Maximize})
	if err != nil {
		log.Fatal(err)
	}
	err = method.Run(context.Background(), mdp.PolicyIteration, mdp.Settings{}, func(at textbook.Iterate) error {
		fmt.Printf("policy %d earns %.3f a day; it repairs by action %d; %d states change\n", at.Number, at.Values[0], at.Policy[1], at.Changes)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// policy 1 earns 6.333 a day; it repairs by action 0; 1 states change
	// policy 2 earns 7.200 a day; it repairs by action 1; 0 states change
}

// The steps of a finite horizon, from the end, with the values of the first state.
func ExampleIterate() {
	var b mdp.TableBuilder
	b.AddState()
	b.AddAction(1)
	b.AddTransition(0, 1)
	table, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	method, err := textbook.New(table, mdp.FiniteHorizon{Steps: 3, Discount: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	err = method.Run(context.Background(), mdp.ValueIteration, mdp.Settings{}, func(at textbook.Iterate) error {
		fmt.Println(at.Number, at.Values[0])
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 0
	// 1 1
	// 2 1.5
	// 3 1.75
}
