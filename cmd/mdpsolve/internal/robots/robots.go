// Package robots has the verbs for robots switched on and off.
package robots

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/paper"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// Command returns the group of verbs; reproduce is that of another package.
func Command(reproduce *cli.Command) *cli.Command {
	return &cli.Command{
		Name:  "robots",
		Usage: "robots switched on and off, by the optimal policy",
		Description: `When a page leaves the queue, an idle robot may be activated. When a robot delivers a
page, that robot may be sent out again or left to rest. The verb solve finds the policy
of least cost. The other verbs compare this policy with fixed numbers of robots, vary
the parameters, simulate the queue, and find its rates in a log.

Examples:
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4`,
		UsageText: "mdpsolve robots solve|sweep|frontier|simulate|table|from-log|reproduce [options]",
		Subcommands: []*cli.Command{
			robotsSolveCommand(),
			robotsSweepCommand(),
			robotsFrontierCommand(),
			robotsSimulateCommand(),
			robotsTableCommand(),
			robotsFromLogCommand(),
			reproduce,
		},
	}
}

var (
	methods = []string{ui.MethodAuto, ui.MethodPaper, ui.MethodValue, ui.MethodPolicy}

	// variantMethods leave out the authors' iteration, which has no variants.
	variantMethods = []string{ui.MethodAuto, ui.MethodValue, ui.MethodPolicy}
)

// solve returns the best solution found; its status tells an early end. The error is of bad
// input, or of a solve without any solution. sufficient asks for the least number of robots
// beyond which more do not help. solve does not wait for work that is slow to end.
func solve(ctx context.Context, m ui.Method, p robots.Parameters, sufficient bool) (*robots.Solution, error) {
	if err := fitMemory(ctx, m, p, sufficient); err != nil {
		return nil, err
	}
	limited, stop := soon.Within(ctx, m.Settings.TimeLimit)
	defer stop()
	return soon.Do(limited, 2*ui.Patience, func() (*robots.Solution, error) { return solveAsLongAsItTakes(ctx, m, p, sufficient) })
}

// search runs several solves, with one time limit for all of them.
func search[T any](ctx context.Context, m ui.Method, by func(ctx context.Context, settings mdp.Settings) (T, error)) (T, error) {
	limited, stop := soon.Within(ctx, m.Settings.TimeLimit)
	defer stop()
	progress := ui.ProgressOf(ctx)
	progress.Phase("searching")
	m.Settings.TimeLimit, m.Settings.Record = 0, progress.Solving(true, 0)
	found, err := soon.Do(limited, 2*ui.Patience, func() (T, error) { return by(limited, m.Settings) })
	return found, ui.Interruption(ctx, err)
}

// withoutAnswer is the error of a search without an answer: bad input or an early end.
func withoutAnswer(m ui.Method, p robots.Parameters, err error) error {
	if !ui.EndedEarly(err) {
		return refusal(m, p, err)
	}
	switch status := ui.EndStatus(err); status {
	case mdp.Interrupted:
		return ui.EndEarly(ui.ExitInterrupted, "interrupted before any answer was found")
	case mdp.PrecisionLimit:
		return ui.EndEarly(ui.ExitLimit, fmt.Sprintf("%v: no answer (%v)", status, err))
	default:
		return ui.EndEarly(ui.ExitLimit, fmt.Sprintf("%v before any answer was found", status))
	}
}

// solveAsLongAsItTakes is solve, but waits for its end.
func solveAsLongAsItTakes(ctx context.Context, m ui.Method, p robots.Parameters, sufficient bool) (*robots.Solution, error) {
	progress := ui.ProgressOf(ctx)
	if sufficient {
		begin := time.Now()
		enough, err := search(ctx, m, func(ctx context.Context, settings mdp.Settings) (int, error) {
			return robots.LeastSufficientRobots(ctx, p, settings)
		})
		switch {
		case errors.Is(err, mdp.ErrTooLarge):
			return nil, ui.UsageErrorf("--robots: auto would take too many robots: use a number (%v)", err)
		case err != nil:
			return nil, refusal(m, p, err)
		}
		p.Robots = enough
		if m.Settings.TimeLimit > 0 {
			m.Settings.TimeLimit = max(1, m.Settings.TimeLimit-time.Since(begin))
		}
	}
	progress.Phase("solving")
	m.Settings.Record = m.Trace.Watch(progress.Solving(true, m.Settings.Tolerance))
	by := robots.Solve
	if m.Name == ui.MethodPaper {
		by = paper.Solve
	}
	solution, err := by(ctx, p, m.Settings)
	if solution == nil {
		return nil, refusal(m, p, err)
	}
	return solution, nil
}

// refusal turns errors about parameters or their size into bad usage; other errors are
// returned unchanged.
func refusal(m ui.Method, p robots.Parameters, err error) error {
	fault := inputFault(err)
	switch {
	case ui.IsUsage(fault):
		return fault
	case isOverflow(err):
		return overflowFault(p, "gamma")
	case !errors.Is(err, mdp.ErrTooLarge):
		return fault
	}
	if _, sizeFault := robots.NewModel(p); sizeFault == nil && m.Name == ui.MethodPolicy {
		return ui.UsageErrorf("--method: %s is not possible for a model of this size: use rvi (%v)", m.Name, err)
	}
	flag := "robots"
	if p.Classes != nil {
		flag = "class"
	}
	return ui.UsageErrorf("--%s: %s is not valid with --buffer %d: use smaller numbers (%v)", flag, classWords(p), p.Buffer, err)
}

// isOverflow reports whether costs or values exceed float64.
func isOverflow(err error) bool {
	return errors.Is(err, mdp.ErrOverflow) || errors.Is(err, mdp.ErrCost)
}

// overflowFault refuses costs or values beyond float64. It names the flag that may cost most
// per unit of time; weight is the flag of γ.
func overflowFault(p robots.Parameters, weight string) error {
	robotsOfAll, losses := 0, 0.0
	for _, class := range p.ClassList() {
		robotsOfAll += class.Robots
		losses += float64(class.Robots) * class.ArrivalRate
	}
	flag, most := "lambda: "+ui.ExactText(p.ArrivalRate), losses
	if p.Classes != nil {
		flag = "class: " + classWords(p)
	}
	for _, cost := range []struct {
		flag         string
		value, times float64
	}{
		{weight, p.StarvationWeight, 1},
		{"holding-cost", p.HoldingCost, float64(p.Buffer)},
		{"robot-cost", p.RobotCost, float64(robotsOfAll)},
		{"activation-cost", p.ActivationCost, p.ServiceRate},
	} {
		if cost.value*cost.times > most {
			flag, most = cost.flag+": "+ui.ExactText(cost.value), cost.value*cost.times
		}
	}
	return ui.UsageErrorf("--%s is too large: use a smaller number (costs or values exceed float64)", flag)
}

// methodName returns the value of --method for a method's name in words.
func methodName(words string) string {
	switch words {
	case mdp.RelativeValueIteration.String():
		return ui.MethodValue
	case mdp.PolicyIteration.String():
		return ui.MethodPolicy
	case mdp.InexactPolicyIteration.String():
		return "inexact-policy-iteration"
	case "": // nothing was solved
		return ui.MethodAuto
	}
	return ui.MethodPaper
}

// classNumbers returns the numbers of robots and their rates by class, and the total.
func classNumbers(p robots.Parameters) (numbers []int, rates []float64, total int) {
	for _, class := range p.ClassList() {
		numbers, rates = append(numbers, class.Robots), append(rates, class.ArrivalRate)
		total += class.Robots
	}
	return numbers, rates, total
}

// classWords returns the numbers of robots of the classes.
func classWords(p robots.Parameters) string {
	numbers, _, _ := classNumbers(p)
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", " + ")
}

// inputFault turns errors about parameters into bad usage; other errors are returned
// unchanged.
func inputFault(err error) error {
	if fault, ok := errors.AsType[*robots.ParameterError](err); ok {
		return ui.ParameterFault(fault.Field, fault.Value, fault.Allowed)
	}
	if fault, ok := errors.AsType[*static.ParameterError](err); ok {
		return ui.ParameterFault(fault.Field, fault.Value, fault.Allowed)
	}
	return err
}
