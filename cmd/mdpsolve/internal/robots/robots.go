// Package robots has the verbs for robots switched on and off.
package robots

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func Command(reproduce *cli.Command) *cli.Command {
	return &cli.Command{
		Name:      "robots",
		Usage:     "robots switched on and off, by the optimal policy",
		UsageText: "mdpsolve robots solve|frontier|simulate|table|reproduce [options]",
		Subcommands: []*cli.Command{
			robotsSolveCommand(),
			robotsFrontierCommand(),
			robotsSimulateCommand(),
			robotsTableCommand(),
			reproduce,
		},
	}
}

var (
	methods = []string{ui.MethodAuto, ui.MethodPaper, ui.MethodValue, ui.MethodPolicy}

	// fleetMethods leave out the authors' iteration, which knows no variants.
	fleetMethods = []string{ui.MethodAuto, ui.MethodValue, ui.MethodPolicy}
)

// solvePlain returns the best solution found, also where the solve ended early:
// its status says so. The error is of bad input, or of a solve that ended
// without any solution.
func solvePlain(ctx context.Context, m ui.Method, p robots.Parameters) (*robots.Solution, error) {
	// The sizes that can be numbered depend on the form of the model.
	var err error
	if m.Name == ui.MethodPaper {
		_, err = robots.NewEventModel(p)
	} else {
		_, err = robots.NewPairModel(p)
	}
	if err != nil {
		return nil, tooLarge(p, err)
	}
	var solution *robots.Solution
	if m.Name == ui.MethodPaper {
		solution, err = robots.SolvePaper(ctx, p, m.Settings)
	} else {
		solution, err = robots.Solve(ctx, p, m.Settings)
	}
	switch {
	case solution != nil:
		return solution, nil
	case errors.Is(err, mdp.ErrTooLarge) && m.Name == ui.MethodPolicy:
		return nil, ui.UsageErrorf("--method: %s found; rvi is allowed for a model of this size (%v)", m.Name, err)
	}
	return nil, err
}

// tooLarge words the refusal of a model.
func tooLarge(p robots.Parameters, err error) error {
	if fault := ui.InputFault(err); ui.IsUsage(fault) {
		return fault
	}
	return ui.UsageErrorf("--robots: %d found with --buffer %d; smaller numbers are allowed (%v)", p.Robots, p.Buffer, err)
}

// solveSufficient solves with the least number of robots from which more do
// not help. Where the search for that number ends early, so does the solve.
func solveSufficient(ctx context.Context, m ui.Method, p robots.Parameters) (*robots.Solution, error) {
	enough, m, err := sufficientRobots(ctx, m, p, func(ctx context.Context, settings mdp.Settings) (int, error) {
		return robots.LeastSufficientRobots(ctx, p, settings)
	})
	if err != nil {
		return nil, err
	}
	p.Robots = enough
	return solvePlain(ctx, m, p)
}

// someNumber returns twice the best fixed number, about as many robots as help.
func someNumber(p robots.Parameters) int {
	best, err := staticOf(p).Optimize()
	if err != nil {
		return 1
	}
	return 2 * best.Robots
}

// staticOf returns the static twin of parameters.
func staticOf(p robots.Parameters) static.Parameters {
	return static.Parameters{
		ArrivalRate:      p.ArrivalRate,
		ServiceRate:      p.ServiceRate,
		StarvationWeight: p.StarvationWeight,
		Buffer:           p.Buffer,
	}
}

// bestFixed returns the best fixed number of robots among 1 … p.Robots.
func bestFixed(p robots.Parameters) (static.Result, error) {
	fixed := staticOf(p)
	// The cost has one minimum, so a number below the best is best at its top.
	best, err := fixed.Optimize()
	if err == nil && best.Robots <= p.Robots {
		return best, nil
	}
	return fixed.Evaluate(p.Robots)
}

// methodName returns the value of --method that stands for what solved, which
// names itself in words.
func methodName(words string) string {
	switch words {
	case mdp.RelativeValueIteration{}.String():
		return ui.MethodValue
	case mdp.PolicyIteration{}.String():
		return ui.MethodPolicy
	}
	return ui.MethodPaper
}
