// This file holds robots table.

package robots

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/sourcegraph/conc/pool"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func robotsTableCommand() *cli.Command {
	mu := ui.ValueFlag("mu", "rate `M` at which pages are indexed", "1")
	return &cli.Command{
		Name:      "table",
		Usage:     "fixed numbers of robots against switching, in a table",
		UsageText: "mdpsolve robots table --lambda L1,L2,… --buffer K1,K2,… --gamma G1,G2,… [options]",
		Description: `A row for every combination of the values listed, which are
` + ui.ListText + `.
With --robots static, switching may use as many robots as the best fixed number,
as in the paper's Table 1; with --robots auto as many as lower the cost, as in its
Table 2.

Examples:
  mdpsolve robots table --lambda 0.05,0.1 --buffer 5,10 --gamma 2/5,7/5
  mdpsolve robots table --lambda 1/10 --buffer 5:20:5 --gamma 0.5:1.5:0.25
  mdpsolve robots table --lambda 1/10 --buffer 15 --gamma 17/15 --robots auto -o markdown`,
		Flags: append([]cli.Flag{
			ui.ValueFlag("lambda", "rates `L1,L2,…` at which one active robot brings pages", ""),
			ui.ValueFlag("buffer", "rooms `K1,K2,…` for pages", ""),
			ui.ValueFlag("gamma", "costs `G1,G2,…` per unit of time with an empty queue", ""),
			mu,
			ui.NewChoiceFlag("robots", "switch among as many robots as `RULE` says", "static", "static", ui.Automatic),
			ui.OutputFlag(),
		}, ui.MethodFlags(methods...)...),
		Action: ui.Action(runRobotsTable),
	}
}

// comparison is a row: the best fixed number of robots against switching.
type comparison struct {
	fixed    static.Result
	solution *robots.Solution // nil where the row was not begun
}

func runRobotsTable(a *ui.Arguments) error {
	c := a.CLI
	cases := readCombinations(a)
	sufficient := a.Choice("robots") == ui.Automatic
	method := a.Method()
	rows, err := compareAll(c.Context, cases, sufficient, method)
	if err != nil {
		return err
	}
	begun := slices.DeleteFunc(slices.Clone(rows), func(row comparison) bool { return row.solution == nil })
	records := make([]ui.Record, len(begun))
	for i, row := range begun {
		records[i] = row.record()
	}
	if err := a.PrintRecords(records, func(s *ui.Screen) { printComparisons(s, begun) }); err != nil {
		return err
	}
	return endOfTable(rows)
}

// readCombinations reads the lists, the last of which varies fastest.
func readCombinations(a *ui.Arguments) []robots.Parameters {
	mu, lambdas, buffers, gammas := a.Positive("mu"), a.Positives("lambda"), a.Wholes("buffer", 2), a.Positives("gamma")
	if rows := float64(len(lambdas)) * float64(len(buffers)) * float64(len(gammas)); rows > ui.MaxSteps {
		a.Fault("gamma", "%.0f rows are too many: use lists of which there are at most %d combinations", rows, ui.MaxSteps)
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

// compareAll solves all rows, several at once. Rows that ctx ends before they
// have begun stay empty.
func compareAll(ctx context.Context, cases []robots.Parameters, sufficient bool, m ui.Method) ([]comparison, error) {
	workers := m.Settings.Workers
	if len(cases) > 1 {
		m.Settings.Workers = 1 // rows are shared out, not sweeps
	}
	progress := ui.ProgressOf(ctx)
	progress.Phase("solving")
	var done atomic.Int64
	ctx = ui.Unwatched(ctx) // rows are counted, not what goes on in them
	rows := make([]comparison, len(cases))
	group := pool.New().WithMaxGoroutines(workers).WithErrors().WithFirstError()
	for i, p := range cases {
		group.Go(func() error {
			if i > 0 && ctx.Err() != nil {
				return nil
			}
			var err error
			rows[i], err = compare(ctx, p, sufficient, m)
			progress.Count(done.Add(1), int64(len(cases)), "rows")
			return err
		})
	}
	return rows, group.Wait()
}

func compare(ctx context.Context, p robots.Parameters, sufficient bool, m ui.Method) (comparison, error) {
	fixed, err := p.Static().Optimize()
	if err != nil {
		return comparison{}, ui.InputFault(err)
	}
	row := comparison{fixed: fixed}
	if !sufficient {
		p.Robots = fixed.Robots
	}
	row.solution, err = solve(ctx, m, p, sufficient)
	return row, err
}

func (row comparison) record() ui.Record {
	s := row.solution
	var least, mean, greatest any
	if s.Measures != nil {
		least, mean, greatest = s.Measures.RobotsMin, s.Measures.RobotsMean, s.Measures.RobotsMax
	}
	p := s.Parameters
	return ui.Record{
		{"lambda", p.ArrivalRate},
		{"K", p.Buffer},
		{"gamma", p.StarvationWeight},
		{"C_static", row.fixed.Cost},
		{"N_static", row.fixed.Robots},
		{"C_dynamic", s.Gain},
		{"N_min", least},
		{"N_mean", mean},
		{"N_max", greatest},
		{"iterations", s.Iterations},
		{"gain_lower", s.Lower},
		{"gain_upper", s.Upper},
		{"status", s.Status.String()},
	}
}

// endOfTable returns the end of the row that ended worst.
func endOfTable(rows []comparison) error {
	notBegun := 0
	var worst error
	for _, row := range rows {
		if row.solution == nil {
			notBegun++
			continue
		}
		end := ui.EndOf(row.solution.Status, row.solution.Lower, row.solution.Upper)
		if worst == nil || end != nil && ui.ExitStatus(end) > ui.ExitStatus(worst) {
			worst = end
		}
	}
	if notBegun > 0 {
		return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted: %d of %d rows were not begun", notBegun, len(rows)))
	}
	return worst
}

func printComparisons(s *ui.Screen, rows []comparison) {
	s.Heading("The best fixed number of robots against switching")
	if len(rows) > 0 {
		s.Printf("  μ = %s\n\n", ui.PlainText(rows[0].solution.Parameters.ServiceRate))
	}
	t := table.NewWriter()
	t.AppendHeader(table.Row{"λ", "K", "γ", "C static", "N", "C dynamic", "saving", "N min", "N mean", "N max", "iterations", "status"})
	for _, row := range rows {
		p, solution := row.solution.Parameters, row.solution
		cells := table.Row{
			ui.ShortText(p.ArrivalRate, 6), p.Buffer, ui.ShortText(p.StarvationWeight, 6),
			ui.ShortText(row.fixed.Cost, 7), row.fixed.Robots, ui.ShortText(solution.Gain, 7), ui.PercentText(saving(solution, row.fixed.Cost)),
		}
		if m := solution.Measures; m != nil {
			cells = append(cells, m.RobotsMin, ui.ShortText(m.RobotsMean, 5), m.RobotsMax)
		} else {
			cells = append(cells, "", "", "")
		}
		status := solution.Status.String()
		if solution.Status != mdp.Converged {
			status = s.Styled(ui.StatusStyle(solution.Status), status)
		}
		t.AppendRow(append(cells, solution.Iterations, status))
	}
	s.Table(t)
}
