package model

// The values of --method for any model.

import (
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// methods are the methods for any model, in the order of the help. Which
// criteria and models each is for it says itself.
var methods = []struct {
	name   string
	method mdp.Method
}{
	{ui.MethodValue, mdp.RelativeValueIteration},
	{ui.MethodPolicy, mdp.PolicyIteration},
	{"inexact-policy-iteration", mdp.InexactPolicyIteration},
	{"value-iteration", mdp.ValueIteration},
	{"modified-policy-iteration", mdp.ModifiedPolicyIteration},
}

func methodNames() []string {
	names := []string{ui.MethodAuto}
	for _, m := range methods {
		names = append(names, m.name)
	}
	return append(names, methodExact)
}

// methodName returns the value of --method for a method that names itself
// in words.
func methodName(words string) string {
	for _, m := range methods {
		if m.method.String() == words {
			return m.name
		}
	}
	return strings.ReplaceAll(words, " ", "-")
}

// methodFlags are those that say how to solve.
func methodFlags() []cli.Flag {
	flags := ui.MethodFlags(methodNames()...)
	flags[1] = ui.ValueFlag("tolerance", "accept bounds up to `E` apart, relative to the scale of a state", "1e-9")
	return ui.Group(ui.MethodGroup, flags...)
}

// readMethod reads how to solve.
func readMethod(a *ui.Arguments) ui.Method {
	chosen := a.Method()
	for _, m := range methods {
		if m.name == chosen.Name {
			chosen.Settings.Method = m.method
		}
	}
	if chosen.Name == methodExact {
		for _, flag := range []string{"max-iterations", "start", "checkpoint", "trace", "plot"} {
			if a.CLI.IsSet(flag) {
				a.Fault(flag, "not valid with --method exact: use it with the others")
			}
		}
	}
	if a.CLI.IsSet("checkpoint") {
		chosen.Checkpoint = a.CLI.String("checkpoint")
		a.CanWrite("checkpoint", chosen.Checkpoint)
		if info, err := os.Stat(chosen.Checkpoint); err == nil && !info.Mode().IsRegular() { // such as /dev/null
			a.Fault("checkpoint", "%q is not valid, as it is removed in the end: use a regular file", chosen.Checkpoint)
		}
	}
	return chosen
}
