package static

// The verb static sweep.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func sweepCommand() *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "the best fixed number of robots as γ, K or μ/λ varies",
		UsageText: "mdpsolve static sweep --over PARAMETER --from A --to B [--steps n] [--plot FILE] …",
		Description: `Prints or draws the paper's Figures 2 (over gamma), 3 and 4 (over buffer) and 5 (over
ratio). Over ratio, give --mu; λ is μ divided by the ratio. Without --buffer, the queue
is then unlimited.

The other parameters may be lists: ` + ui.ListText + `.
Each combination of values is a curve of the picture.

Examples:
  mdpsolve static sweep --over gamma --from 0.1 --to 6 --lambda 1/5.7 --mu 1 --buffer 5,10
  mdpsolve static sweep --over buffer --from 2 --to 40 --lambda 0.1 --mu 1 --gamma 1.2 --plot buffer.svg
  mdpsolve static sweep --over ratio --from 0.5 --to 6 --steps 100 --mu 1 --gamma 1 -o csv`,
		Flags:  slices.Concat(ui.SweepFlags("vary `PARAMETER` (the ratio is μ/λ)", "gamma", "buffer", "ratio"), figure.Flags("the sweep"), staticFlags(ui.AnyLaw)),
		Action: ui.Action(runSweep),
	}
}

// axes has the flag of each parameter that can vary, which is then ignored, and its symbol.
var axes = map[static.Axis]struct{ flag, symbol string }{
	static.OverWeight: {"gamma", "γ"},
	static.OverBuffer: {"buffer", "K"},
	static.OverRatio:  {"lambda", "μ/λ"},
}

// parameter is one of which there may be a list.
type parameter struct {
	flag, symbol string
	of           func(static.Parameters) float64
}

var parameters = []parameter{
	{"lambda", "λ", func(p static.Parameters) float64 { return p.ArrivalRate }},
	{"mu", "μ", func(p static.Parameters) float64 { return p.ServiceRate }},
	{"gamma", "γ", func(p static.Parameters) float64 { return p.StarvationWeight }},
	{"buffer", "K", func(p static.Parameters) float64 { return float64(p.Buffer) }},
}

// sweep is what the flags of static sweep ask for.
type sweep struct {
	axis      static.Axis
	values    []float64
	limitOnly bool        // over the ratio without a buffer
	series    []series    // one for each combination of the values of lists
	listed    []parameter // those with several values
	given     string      // what is the same in all series, as it was given
}

// series is a sweep with all other parameters fixed.
type series struct {
	parameters static.Parameters
	points     []static.Point // found before an interruption
}

func runSweep(a *ui.Arguments) error {
	sweep := readSweep(a)
	picture := figure.Read(a, figure.FixedPanels(sweep.axis))
	if flag := axes[sweep.axis].flag; a.CLI.IsSet(flag) {
		a.Warn("--%s is ignored, because --over %v sets it", flag, sweep.axis)
	}
	err := sweep.run(a.CLI.Context)
	if err != nil && !errors.Is(err, context.Canceled) {
		return inputFault(err)
	}
	if err == nil {
		if err := picture.Save(sweep.panels); err != nil {
			return err
		}
	}
	var rows []sweepRow
	for _, one := range sweep.series {
		for _, point := range one.points {
			rows = append(rows, sweep.row(one.parameters, point))
		}
	}
	if err := a.PrintResult(rows, sweep.print); err != nil {
		return err
	}
	if err != nil {
		return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted after %d of %d values", len(rows), len(sweep.series)*len(sweep.values)))
	}
	return nil
}

// readSweep reads the flags of a sweep.
func readSweep(a *ui.Arguments) sweep {
	var s sweep
	over := a.Choice("over")
	for axis := range axes {
		if axis.String() == over {
			s.axis = axis
		}
	}
	// Parameters that are varied get values that are allowed.
	lambdas, gammas, buffers := []float64{1}, []float64{1}, []int{2}
	if s.axis != static.OverRatio {
		lambdas = a.Positives("lambda")
	}
	mus := a.Positives("mu")
	if s.axis != static.OverWeight {
		gammas = a.Positives("gamma")
	}
	s.limitOnly = s.axis == static.OverRatio && !a.CLI.IsSet("buffer")
	if s.axis != static.OverBuffer && !s.limitOnly {
		buffers = a.Wholes("buffer", 2)
	}
	mostRoom := 0
	if s.axis == static.OverBuffer {
		mostRoom = static.MaxBuffer
	}
	from, to, steps := a.Sweep(2, mostRoom)
	values, err := static.Grid(s.axis, from, to, steps)
	s.values = values
	a.Fail(inputFault(err))
	if rows := float64(len(lambdas)) * float64(len(mus)) * float64(len(gammas)) * float64(len(buffers)) * float64(len(s.values)); rows > ui.MaxSteps {
		a.Fault("steps", "%.0f values for all combinations of the lists are too many: use at most %d", rows, ui.MaxSteps)
	}
	for _, mu := range mus {
		p := static.Parameters{ServiceRate: mu}
		readServiceAndCost(a, &p)
		for _, p.ArrivalRate = range lambdas {
			for _, p.StarvationWeight = range gammas {
				for _, p.Buffer = range buffers {
					s.series = append(s.series, series{parameters: p})
				}
			}
		}
	}
	lengths := map[string]int{"lambda": len(lambdas), "mu": len(mus), "gamma": len(gammas), "buffer": len(buffers)}
	for _, p := range parameters {
		if lengths[p.flag] > 1 {
			s.listed = append(s.listed, p)
		}
	}
	s.given = s.readGiven(a)
	return s
}

// run finds the points before ctx ends, with its error.
func (s sweep) run(ctx context.Context) error {
	for i := range s.series {
		one := &s.series[i]
		for _, value := range s.values {
			point, err := ui.Soon(ctx, 0, func() ([]static.Point, error) {
				if ctx.Err() != nil {
					return nil, context.Canceled
				}
				return static.Sweep(one.parameters, s.axis, []float64{value})
			})
			if err != nil {
				return err
			}
			one.points = append(one.points, point...)
		}
	}
	return nil
}

// sweepRow has what is given, what is best, and what is best without a limit on pages.
type sweepRow struct {
	Ratio  *float64 `json:"ratio,omitempty"`
	Lambda float64  `json:"lambda"`
	Mu     float64  `json:"mu"`
	Gamma  float64  `json:"gamma"`
	Buffer *int     `json:"buffer,omitempty"`
	*answer
	UnlimitedRobots int       `json:"robots_unlimited_buffer"`
	UnlimitedCost   ui.Number `json:"cost_unlimited_buffer"`
	UnlimitedLoad   ui.Number `json:"rho_unlimited_buffer"`
}

func (s sweep) row(p static.Parameters, point static.Point) sweepRow {
	p = s.at(p, point.Value)
	row := sweepRow{
		Lambda: p.ArrivalRate, Mu: p.ServiceRate, Gamma: p.StarvationWeight,
		UnlimitedRobots: point.Unlimited.Robots, UnlimitedCost: ui.Number(point.Unlimited.Cost), UnlimitedLoad: ui.Number(point.Unlimited.Load),
	}
	if s.axis == static.OverRatio {
		row.Ratio = &point.Value
	}
	if !s.limitOnly {
		best := newAnswer(point.Result)
		row.Buffer, row.answer = &p.Buffer, &best
	}
	return row
}

// at returns the parameters at a value of what is varied.
func (s sweep) at(p static.Parameters, value float64) static.Parameters {
	switch s.axis {
	case static.OverWeight:
		p.StarvationWeight = value
	case static.OverBuffer:
		p.Buffer = int(value)
	case static.OverRatio:
		p.ArrivalRate = p.ServiceRate / value
	}
	return p
}

// print prints a table, with a column for each parameter of which there is a list.
func (s sweep) print(out *ui.Screen) {
	out.Heading("The best fixed number of robots as %s varies", axes[s.axis].symbol)
	out.Printf("  %s\n\n", s.given)
	t := table.NewWriter()
	var header table.Row
	for _, listed := range s.listed {
		header = append(header, listed.symbol)
	}
	header = append(header, axes[s.axis].symbol, "N", "cost", "ρ")
	if !s.limitOnly {
		header = append(header, "ρ*", "starvation", "loss rate", "N (K → ∞)", "cost (K → ∞)")
	}
	t.AppendHeader(header)
	for _, one := range s.series {
		for _, p := range one.points {
			var row table.Row
			for _, listed := range s.listed {
				row = append(row, ui.ShortText(listed.of(one.parameters), 6))
			}
			row = append(row, ui.ShortText(p.Value, 8))
			if s.limitOnly {
				row = append(row, p.Unlimited.Robots, ui.ShortText(p.Unlimited.Cost, 8), ui.ShortText(p.Unlimited.Load, 8))
			} else {
				row = append(row, p.Robots, ui.ShortText(p.Cost, 8), ui.ShortText(p.Load, 8), ui.ShortText(p.OptimalLoad, 8),
					ui.ShortText(p.Starvation, 6), ui.ShortText(p.LossRate, 6), p.Unlimited.Robots, ui.ShortText(p.Unlimited.Cost, 8))
			}
			t.AppendRow(row)
		}
	}
	out.Table(t)
}
