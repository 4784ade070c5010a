package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func robotsCommand() *cli.Command {
	return &cli.Command{
		Name:      "robots",
		Usage:     "robots switched on and off, by the optimal policy",
		UsageText: "mdpsolve robots solve|frontier|simulate|table|reproduce [options]",
		Subcommands: []*cli.Command{
			robotsSolveCommand(),
			robotsFrontierCommand(),
			robotsSimulateCommand(),
			robotsTableCommand(),
			robotsReproduceCommand(),
		},
	}
}

// The values of --method. JSON answers name methods like this too.
const (
	methodAuto   = "auto"
	methodPaper  = "paper"
	methodValue  = "rvi"
	methodPolicy = "policy-iteration"
)

var (
	methods = []string{methodAuto, methodPaper, methodValue, methodPolicy}

	// fleetMethods leave out the authors' iteration, which knows no variants.
	fleetMethods = []string{methodAuto, methodValue, methodPolicy}
)

// automatic is the value of --robots that leaves the number to the program.
const automatic = "auto"

// methodFlags are those that say how to solve.
func methodFlags(names ...string) []cli.Flag {
	return []cli.Flag{
		valueFlag("method", "solve by `METHOD`: "+enumerate(names), methodAuto),
		valueFlag("tolerance", "accept bounds that are `E` apart, relative to the upper one", "1e-9"),
		workersFlag(),
		valueFlag("max-iterations", "stop after `n` iterations of the method", "10000000"),
		valueFlag("time-limit", "stop after `SECONDS`", ""),
	}
}

// method is how to solve.
type method struct {
	name       string
	settings   mdp.Settings
	checkpoint string // file for the result so far; "" for none
}

func (a *arguments) method(names ...string) method {
	m := method{name: a.choice("method", names...)}
	m.settings.Tolerance = a.share("tolerance")
	m.settings.Workers = a.workers()
	m.settings.MaxRounds = a.whole("max-iterations", 1)
	m.settings.TimeLimit = a.seconds("time-limit")
	switch m.name {
	case methodValue:
		m.settings.Method = mdp.RelativeValueIteration{}
	case methodPolicy:
		m.settings.Method = mdp.PolicyIteration{}
	}
	return m
}

// exact returns the method for questions that the authors' iteration, which
// ends at no given accuracy, cannot answer.
func (m method) exact() method {
	if m.name == methodPaper {
		m.name = methodAuto
	}
	return m
}

// solve returns the best solution found, also where the solve ended early:
// its status says so. The error is of bad input, or of a solve that ended
// without any solution.
func (m method) solve(ctx context.Context, p robots.Parameters) (*robots.Solution, error) {
	// The sizes that can be numbered depend on the form of the model.
	var err error
	if m.name == methodPaper {
		_, err = robots.NewEventModel(p)
	} else {
		_, err = robots.NewPairModel(p)
	}
	if err != nil {
		return nil, tooLarge(p, err)
	}
	var solution *robots.Solution
	if m.name == methodPaper {
		solution, err = robots.SolvePaper(ctx, p, m.settings)
	} else {
		solution, err = robots.Solve(ctx, p, m.settings)
	}
	switch {
	case solution != nil:
		return solution, nil
	case errors.Is(err, mdp.ErrTooLarge) && m.name == methodPolicy:
		return nil, usageErrorf("--method: %s found; rvi is allowed for a model of this size (%v)", m.name, err)
	}
	return nil, err
}

// tooLarge words the refusal of a model.
func tooLarge(p robots.Parameters, err error) error {
	if fault := inputFault(err); isUsage(fault) {
		return fault
	}
	return usageErrorf("--robots: %d found with --buffer %d; smaller numbers are allowed (%v)", p.Robots, p.Buffer, err)
}

// solveSufficient solves with the least number of robots from which more do
// not help. Where the search for that number ends early, so does the solve.
func (m method) solveSufficient(ctx context.Context, p robots.Parameters) (*robots.Solution, error) {
	enough, m, err := m.sufficient(ctx, p, func(ctx context.Context, settings mdp.Settings) (int, error) {
		return robots.LeastSufficientRobots(ctx, p, settings)
	})
	if err != nil {
		return nil, err
	}
	p.Robots = enough
	return m.solve(ctx, p)
}

// someNumber returns twice the best fixed number, about as many robots as help.
func someNumber(p robots.Parameters) int {
	best, err := staticOf(p).Optimize()
	if err != nil {
		return 1
	}
	return 2 * best.Robots
}

// endedEarly reports whether err is the end of a solve by a limit or a signal.
func endedEarly(err error) bool {
	for _, end := range []error{
		context.Canceled, context.DeadlineExceeded,
		mdp.ErrIterationLimit, mdp.ErrTimeLimit, mdp.ErrPrecisionLimit,
	} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
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
		return methodValue
	case mdp.PolicyIteration{}.String():
		return methodPolicy
	}
	return methodPaper
}
