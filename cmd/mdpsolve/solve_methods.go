package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// modelMethods are the methods for any model, in the order of the help. Which
// criteria and models each is for it says itself.
var modelMethods = []struct {
	name   string
	method mdp.Method
}{
	{methodValue, mdp.RelativeValueIteration{}},
	{methodPolicy, mdp.PolicyIteration{}},
	{"inexact-policy-iteration", mdp.InexactPolicyIteration{}},
	{"value-iteration", mdp.ValueIteration{}},
	{"gauss-seidel", mdp.ValueIteration{GaussSeidel: true}},
	{"modified-policy-iteration", mdp.ModifiedPolicyIteration{}},
}

func modelMethodNames() []string {
	names := []string{methodAuto}
	for _, m := range modelMethods {
		names = append(names, m.name)
	}
	return append(names, methodExact)
}

// modelMethodName returns the value of --method for a method that names itself
// in words.
func modelMethodName(words string) string {
	for _, m := range modelMethods {
		if m.method.String() == words {
			return m.name
		}
	}
	return strings.ReplaceAll(words, " ", "-")
}

// modelMethodFlags are those that say how to solve.
func modelMethodFlags() []cli.Flag {
	return append([]cli.Flag{
		valueFlag("method", "solve by `METHOD` (see mdpsolve solve --help)", methodAuto),
		valueFlag("tolerance", "accept bounds up to `E` apart, relative to the scale of a state", "1e-9"),
	}, methodFlags()[2:]...)
}

// modelMethod reads how to solve.
func (a *arguments) modelMethod() method {
	chosen := a.method(modelMethodNames()...)
	for _, m := range modelMethods {
		if m.name == chosen.name {
			chosen.settings.Method = m.method
		}
	}
	if chosen.name == methodExact {
		for _, flag := range []string{"max-iterations", "start", "checkpoint"} {
			if a.context.IsSet(flag) {
				a.fault(flag, "found with --method exact; it is allowed with the others")
			}
		}
	}
	if a.context.IsSet("checkpoint") {
		chosen.checkpoint = a.context.String("checkpoint")
		a.canWrite("checkpoint", chosen.checkpoint)
	}
	return chosen
}
