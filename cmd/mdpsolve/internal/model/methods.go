package model

// The values of --method for any model.

import (
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// methodExact solves in rational numbers.
const methodExact = "exact"

func methodNames() []string {
	names := []string{ui.MethodAuto}
	for _, m := range ui.Methods {
		names = append(names, mdp.MethodWord(m.String()))
	}
	return append(names, methodExact)
}

// methodFlags returns the flags that say how to solve. scale ends the usage of --tolerance: it
// says where the help explains what a scale is.
func methodFlags(scale string) []cli.Flag {
	flags := ui.MethodFlags(methodNames()...)
	flags[1] = ui.ValueFlag("tolerance", "stop when the bounds of each state differ by at most `E` times its scale"+scale, "1e-9")
	return ui.Group(ui.MethodGroup, flags...)
}

// readMethod reads how to solve.
func readMethod(a *ui.Arguments) ui.Method {
	chosen := a.Method()
	for _, flag := range []string{"max-iterations", "start-from", "bounds-out", "plot"} {
		if chosen.Name == methodExact && a.CLI.IsSet(flag) {
			a.Fault(flag, "not valid with --method exact: use another method")
		}
	}
	return chosen
}
