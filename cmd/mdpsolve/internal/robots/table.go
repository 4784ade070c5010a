// This file holds robots table.

package robots

import (
	"context"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func robotsTableCommand() *cli.Command {
	mu := ui.ValueFlag("mu", "rate `M` at which pages are indexed", "1")
	return &cli.Command{
		Name:      "table",
		Usage:     "a table of costs: best fixed numbers against switching",
		UsageText: "mdpsolve robots table --lambda L1,L2,… --buffer K1,K2,… --gamma G1,G2,… [--robots static|auto|N] [options]",
		Description: `Prints a row for every combination of the values of λ, K and γ. Give each as a list:
` + ui.ListText + `.

With --robots static, switching may use as many robots as the best fixed number, as in
the paper's Table 1. With --robots auto, switching may use all robots that lower the
cost, as in Table 2. With --robots N, switching and the fixed number may use up to N
robots.

Examples:
  mdpsolve robots table --lambda 0.05,0.1 --buffer 5,10 --gamma 2/5,7/5
  mdpsolve robots table --lambda 1/10 --buffer 5:20:5 --gamma 0.5:1.5:0.25 -o latex --digits 4
  mdpsolve robots table --lambda 1/10 --buffer 5 --gamma 1/2,1 --service erlang:3`,
		Flags: append([]cli.Flag{
			ui.ValueFlag("lambda", "rates `L1,L2,…` at which an active robot delivers pages", ""),
			ui.ValueFlag("buffer", "room for `K1,K2,…` pages, including the one being indexed", ""),
			ui.ValueFlag("gamma", "costs `G1,G2,…` per unit of time with an empty queue; a lost page costs 1", ""),
			mu,
			ui.ValueFlag("robots", "limit the robots by `RULE`: static, auto or a number", "static"),
			ui.ServiceFlag(phaseTypeLaws),
			ui.TableOutputFlag(), ui.DigitsFlag(),
		}, ui.MethodFlags(methods...)...),
		Action: ui.Action(runRobotsTable),
	}
}

// comparison is a row: the best fixed number of robots against switching.
type comparison struct {
	fixed    static.Result
	solution *robots.Solution
	most     string // the robots that switching may use, in words for a heading; "" for all that lower the cost
}

func runRobotsTable(a *ui.Arguments) error {
	a.ReadDigits(true)
	cases := readCombinations(a)
	rule, most := readRobotsRule(a)
	service := readPhaseType(a, cases[0].ServiceRate)
	if service != nil {
		refuseBeside(a, "--service")
	}
	for i := range cases {
		cases[i].Service = service
	}
	t := table(a.CLI.Context, a.Method(), cases, func(ctx context.Context, m ui.Method, i int) (comparison, error) {
		row, err := compare(ctx, cases[i], rule, m)
		row.most = most
		return row, err
	})
	t.Record = comparison.record
	t.End = func(row comparison) error {
		return ui.EndOf(row.solution.Status, row.solution.Lower, row.solution.Upper)
	}
	t.Text = func(s *ui.Screen, _ []comparison, records []ui.Record) {
		s.Heading("The best fixed number of robots against switching")
		s.Printf("  μ = %s", ui.PlainText(cases[0].ServiceRate))
		if service != nil {
			s.Printf(", service %s", ui.LawWords(service))
		}
		switch most {
		case "":
		case asManyAsFixed:
			s.Printf(", switching uses at most N robots, the best fixed number: --robots auto allows more")
		default:
			s.Printf(", at most %s robots", most)
		}
		s.Printf("\n\n")
		s.Records(records)
	}
	return t.Print(a)
}

// readCombinations reads the lists, the last of which varies fastest.
func readCombinations(a *ui.Arguments) []robots.Parameters {
	mu, lambdas, buffers, gammas := a.Positive("mu"), a.Positives("lambda"), a.Wholes("buffer", 2), a.Positives("gamma")
	if rows := float64(len(lambdas)) * float64(len(buffers)) * float64(len(gammas)); rows > ui.MaxSteps {
		a.Fault("gamma", "%.0f rows are too many: use lists with at most %d combinations", rows, ui.MaxSteps)
	}
	var cases []robots.Parameters
	for _, lambda := range lambdas {
		for _, buffer := range buffers {
			for _, gamma := range gammas {
				cases = append(cases, robots.Parameters{
					Robots: 1, Buffer: buffer, ArrivalRate: lambda, ServiceRate: mu, StarvationWeight: gamma,
				})
			}
		}
	}
	return cases
}

// robotsRule returns the number of robots that switching may use beside the best fixed number; sufficient
// stands for auto.
type robotsRule func(fixed int) (robots int, sufficient bool)

// asManyAsFixed is the heading of the column with the best fixed number of robots.
const asManyAsFixed = "N"

// readRobotsRule reads --robots; most is for comparison.most.
func readRobotsRule(a *ui.Arguments) (rule robotsRule, most string) {
	const byFixed, allowed = "static", "static, auto or a whole number of 1 or more"
	switch text := a.Text("robots", allowed); text {
	case byFixed:
		return func(fixed int) (int, bool) { return fixed, false }, asManyAsFixed
	case ui.Automatic:
		return func(int) (int, bool) { return 1, true }, ""
	default:
		number := a.ParseWhole("robots", text, 1, allowed)
		return func(int) (int, bool) { return number, false }, strconv.Itoa(number)
	}
}

func compare(ctx context.Context, p robots.Parameters, rule robotsRule, m ui.Method) (comparison, error) {
	alone := p.Static()
	fixed, err := alone.Optimize()
	if err != nil {
		return comparison{}, inputFault(err)
	}
	var sufficient bool
	p.Robots, sufficient = rule(fixed.Robots)
	if !sufficient && p.Robots < fixed.Robots { // up to the best number, the cost falls with each robot
		if fixed, err = alone.Evaluate(p.Robots); err != nil {
			return comparison{}, inputFault(err)
		}
	}
	row := comparison{fixed: fixed}
	row.solution, err = solve(ctx, m, p, sufficient)
	return row, err
}

// record returns the row for printing, with all columns.
func (row comparison) record() ui.Record {
	s, p, m := row.solution, row.solution.Parameters, measuresOf(row.solution.Measures)
	switching := "cost switching"
	if row.most != "" {
		switching += " ≤ " + row.most
	}
	return ui.Record{
		{"lambda", ui.Given("λ", p.ArrivalRate)},
		{"K", ui.Shown("K", p.Buffer)},
		{"gamma", ui.Given("γ", p.StarvationWeight)},
		{"C_static", ui.Shown("cost fixed", row.fixed.Cost, ui.Digits(7))},
		{"N_static", ui.Shown(asManyAsFixed, row.fixed.Robots)},
		{"C_dynamic", ui.Shown(switching, s.Gain, ui.Digits(7))},
		{"", ui.Shown("saving", saving(s, row.fixed.Cost), ui.PercentText)},
		{"N_min", ui.Shown("N min", m.least)},
		{"N_mean", ui.Shown("N mean", m.RobotsMean, ui.Digits(5))},
		{"N_max", ui.Shown("N max", m.most)},
		{"iterations", ui.Shown("iterations", s.Iterations)},
		{"gain_lower", s.Lower},
		{"gain_upper", s.Upper},
		{"status", ui.Shown("status", s.Status)},
	}
}
