package robots

import (
	"context"
	"math"
	"slices"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/plot"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func robotsSolveCommand() *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "when to activate robots and when to let them rest, at least cost",
		UsageText: "mdpsolve robots solve --robots N|auto --buffer K --lambda L --mu M --gamma G [options]",
		Description: `Whenever a page leaves the queue an idle robot may be activated, and whenever a
robot delivers a page it may be sent out again or left to rest. The policy found
has the least long-run cost γ·S + L, S being the share of time in which the
queue is empty and L the pages lost per unit of time.

Methods: auto chooses by the size of the problem; policy-iteration is exact; rvi
(relative value iteration) takes little memory; paper is the iteration of the
authors, with their stopping rule, which vouches for nothing. The bounds on the
cost hold for all of them, and answers do not depend on the number of workers.

Variants: robots of several kinds (--class, repeated); an indexing time of mean
1/μ with a law of phase type (exponential, erlang:k,
hyperexponential:p1@m1,p2@m2,… or ph:FILE: probabilities, then rates); costs of
pages that wait, of active robots and of activations by departures. The cost is
then the whole cost. With phases the switching curves are given by phase, which
the policy sees; with several classes there are none, and the text shows which
class is activated.

Examples:
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4
  mdpsolve robots solve --robots auto --buffer 15 --lambda 1/20 --mu 1 --gamma 17/15
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --plot curves.svg
  mdpsolve robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --policy-out policy.json
  mdpsolve robots solve --class 8@1/20 --class 4@0.2 --buffer 5 --mu 1 --gamma 1.4 --robot-cost 0.01
  mdpsolve robots solve --robots auto --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --service erlang:3
  mdpsolve robots solve --robots 100 --buffer 50 --lambda 0.02 --mu 1 --gamma 1 -o json`,
		Flags: slices.Concat([]cli.Flag{
			robotsFlag(), ui.BufferFlag(), ui.LambdaFlag(), ui.MuFlag(), ui.GammaFlag(),
			ui.PlotFlag("the switching curves"), policyOutFlag(), ui.OutputFlag(),
		}, fleetFlags(), ui.MethodFlags(methods...)),
		Action: ui.Action(runRobotsSolve),
	}
}

func robotsFlag() cli.Flag {
	return ui.ValueFlag("robots", "`N` robots, or auto: as many as lower the cost", "")
}

func runRobotsSolve(a *ui.Arguments) error {
	if isFleet(a) {
		return runFleetSolve(a)
	}
	p, sufficient := readParameters(a)
	return answerRobots(a, methods, func(ctx context.Context, m ui.Method) (*robotsAnswer, error) {
		solve := solvePlain
		if sufficient {
			solve = solveSufficient
		}
		solution, err := solve(ctx, m, p)
		if err != nil {
			return nil, err
		}
		fixed, err := bestFixed(solution.Parameters)
		if err != nil {
			return nil, ui.InputFault(err)
		}
		return &robotsAnswer{
			fields: solutionRecord(solution, fixed),
			left:   []string{"elapsed_seconds"},
			text:   func(s *ui.Screen) { printSolution(s, solution, fixed) },
			panels: func() []*plot.Plot { return curvePanels(solution) },
			policy: func() savedPolicy { return solution.Policy },
			status: solution.Status, lower: solution.Lower, upper: solution.Upper,
		}, nil
	})
}

// readParameters reads the parameters of the process. sufficient says that
// the number of robots, 1 then, is yet to be found.
func readParameters(a *ui.Arguments) (p robots.Parameters, sufficient bool) {
	number, sufficient := robotsOrAuto(a)
	return readParametersOf(a, number), sufficient
}

// readParametersOf reads the parameters of the process but for the number of robots.
func readParametersOf(a *ui.Arguments, number int) robots.Parameters {
	p := robots.Parameters{
		Robots:           number,
		Buffer:           a.Whole("buffer", 2),
		ArrivalRate:      a.Positive("lambda"),
		ServiceRate:      a.Positive("mu"),
		StarvationWeight: a.Positive("gamma"),
	}
	a.Fail(ui.InputFault(p.Validate()))
	return p
}

// robotsOrAuto reads a number of robots, which is 1 where it is yet to be found.
func robotsOrAuto(a *ui.Arguments) (robots int, sufficient bool) {
	const allowed = "a whole number of 1 or more, or auto,"
	text := a.Text("robots", allowed)
	if text == ui.Automatic {
		return 1, true
	}
	return a.ParseWhole("robots", text, 1, allowed), false
}

func solutionRecord(s *robots.Solution, fixed static.Result) ui.Record {
	p := s.Parameters
	var starvation, lossRate, mean, least, greatest any
	if m := s.Measures; m != nil {
		starvation, lossRate, mean, least, greatest = m.Starvation, m.LossRate, m.RobotsMean, m.RobotsMin, m.RobotsMax
	}
	return ui.Record{
		{"gain", s.Gain},
		{"gain_lower", s.Lower},
		{"gain_upper", s.Upper},
		{"status", s.Status.String()},
		{"method", methodName(s.Method)},
		{"iterations", s.Iterations},
		{"starvation", starvation},
		{"loss_rate", lossRate},
		{"robots", p.Robots},
		{"robots_mean", mean},
		{"robots_min", least},
		{"robots_max", greatest},
		{"curve_departure", s.Curves.Departure},
		{"curve_arrival", s.Curves.Arrival},
		{"threshold", s.Curves.Threshold},
		{"monotone", s.Curves.Monotone},
		{"buffer", p.Buffer},
		{"lambda", p.ArrivalRate},
		{"mu", p.ServiceRate},
		{"gamma", p.StarvationWeight},
		{"static_robots", fixed.Robots},
		{"static_cost", fixed.Cost},
		{"policy_cost", policyCost(s)},
		{"saving", saving(s, fixed)},
		{"choice", s.Choice},
		{"elapsed_seconds", s.Elapsed.Seconds()},
	}
}

// saving returns the share of the cost of the best fixed number of robots that
// switching saves.
func saving(s *robots.Solution, fixed static.Result) float64 {
	if fixed.Cost == 0 {
		return math.NaN()
	}
	return 1 - policyCost(s)/fixed.Cost
}

// policyCost returns what the policy of a solution costs: its exact gain where
// that is known.
func policyCost(s *robots.Solution) float64 {
	if s.Measures != nil {
		return s.Measures.Gain
	}
	return s.Gain
}
