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
		UsageText: "mdpsolve static sweep --over gamma|buffer|ratio --from A --to B [--steps n] [--plot FILE] …",
		Description: `Gives the data of the paper's Figures 2 (over gamma), 3 and 4 (over buffer) and
5 (over ratio), or draws them. The parameter that varies needs no flag of its
own; over ratio, μ stays and λ follows, and --buffer may be left out. The laws of
--service are those of mdpsolve static.

Examples:
  mdpsolve static sweep --over gamma --from 0.1 --to 6 --lambda 1/5.7 --mu 1 --buffer 10
  mdpsolve static sweep --over buffer --from 2 --to 40 --lambda 0.1 --mu 1 --gamma 1.2 --plot buffer.svg
  mdpsolve static sweep --over ratio --from 0.5 --to 6 --steps 100 --mu 1 --gamma 1 -o csv`,
		Flags:  slices.Concat(ui.SweepFlags("vary `WHAT` (the ratio is μ/λ)", "gamma", "buffer", "ratio"), figure.Flags("the sweep"), staticFlags()),
		Action: ui.Action(runSweep),
	}
}

// axes says of each parameter that can vary the flag that is not looked at then, and how
// people write it.
var axes = map[static.Axis]struct{ flag, symbol string }{
	static.OverWeight: {"gamma", "γ"},
	static.OverBuffer: {"buffer", "K"},
	static.OverRatio:  {"lambda", "μ/λ"},
}

// sweep is what the flags of static sweep ask for.
type sweep struct {
	parameters static.Parameters
	axis       static.Axis
	values     []float64
	limitOnly  bool // over the ratio without a buffer
}

func runSweep(a *ui.Arguments) error {
	sweep := readSweep(a)
	picture := figure.Read(a, sweep.panelNames()...)
	if flag := axes[sweep.axis].flag; a.CLI.IsSet(flag) {
		a.Warn("--%s is not looked at: it follows from --over %v", flag, sweep.axis)
	}
	points, err := sweep.run(a.CLI.Context)
	if err != nil && !errors.Is(err, context.Canceled) {
		return ui.InputFault(err)
	}
	if err == nil {
		if err := picture.Save(func() []figure.Panel { return sweep.panels(points, sweep.given(a)) }); err != nil {
			return err
		}
	}
	rows := make([]ui.Record, len(points))
	for i, point := range points {
		rows[i] = sweep.record(point)
	}
	if err := a.PrintRecords(rows, func(s *ui.Screen) { printSweep(s, sweep, points) }); err != nil {
		return err
	}
	if err != nil {
		return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted after %d of %d values", len(points), len(sweep.values)))
	}
	return nil
}

// readSweep reads the flags of a sweep.
func readSweep(a *ui.Arguments) sweep {
	var s sweep
	var err error
	if s.axis, err = static.ParseAxis(a.Choice("over")); err != nil {
		a.Fault("over", "%v", err)
	}
	// Parameters that are varied get values that are allowed.
	p := &s.parameters
	p.ArrivalRate, p.StarvationWeight, p.Buffer = 1, 1, 2
	if s.axis != static.OverRatio {
		p.ArrivalRate = a.Positive("lambda")
	}
	p.ServiceRate = a.Positive("mu")
	if s.axis != static.OverWeight {
		p.StarvationWeight = a.Positive("gamma")
	}
	s.limitOnly = s.axis == static.OverRatio && !a.CLI.IsSet("buffer")
	if s.axis != static.OverBuffer && !s.limitOnly {
		p.Buffer = a.Whole("buffer", 2)
	}
	readServiceAndCost(a, p)
	mostRoom := 0
	if s.axis == static.OverBuffer {
		mostRoom = static.MaxBuffer
	}
	s.values = a.SweepValues(2, mostRoom)
	return s
}

// run returns the points found before ctx ends, with its error.
func (s sweep) run(ctx context.Context) ([]static.Point, error) {
	points := make([]static.Point, 0, len(s.values))
	for _, value := range s.values {
		if ctx.Err() != nil {
			return points, context.Canceled
		}
		point, err := static.Sweep(s.parameters, s.axis, []float64{value})
		if err != nil {
			return points, err
		}
		points = append(points, point...)
	}
	return points, nil
}

// record has what is given, what is best, and what is best without a limit on pages.
func (s sweep) record(point static.Point) ui.Record {
	p := s.at(point.Value)
	var r ui.Record
	if s.axis == static.OverRatio {
		r = ui.Record{{"ratio", point.Value}}
	}
	r = append(r, ui.Record{{"lambda", p.ArrivalRate}, {"mu", p.ServiceRate}, {"gamma", p.StarvationWeight}}...)
	best := append(ui.Record{{"buffer", p.Buffer}}, staticRecord(point.Result)...)
	for i := range best {
		if s.limitOnly {
			best[i].Value = nil
		}
	}
	return append(append(r, best...), ui.Record{
		{"robots_unlimited_buffer", point.Unlimited.Robots},
		{"cost_unlimited_buffer", point.Unlimited.Cost},
		{"rho_unlimited_buffer", point.Unlimited.Load},
	}...)
}

// at returns the parameters at a value of what is varied.
func (s sweep) at(value float64) static.Parameters {
	p := s.parameters
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

// constants says what is not varied.
func (s sweep) constants() string {
	p := s.parameters
	text := "μ = " + ui.ShortText(p.ServiceRate, 6)
	if s.axis != static.OverRatio {
		text = "λ = " + ui.ShortText(p.ArrivalRate, 6) + "   " + text
	}
	if s.axis != static.OverWeight {
		text += "   γ = " + ui.ShortText(p.StarvationWeight, 6)
	}
	switch {
	case s.limitOnly:
		text += "   K → ∞"
	case s.axis != static.OverBuffer:
		text += fmt.Sprintf("   K = %d", p.Buffer)
	}
	if p.Service != nil {
		text += "   service " + p.Service.String()
	}
	if p.Cost != static.LossRate {
		text += "   cost " + p.Cost.String()
	}
	return text
}

func printSweep(out *ui.Screen, s sweep, points []static.Point) {
	out.Heading("The best fixed number of robots as %s varies", axes[s.axis].symbol)
	out.Printf("  %s\n\n", s.constants())
	t := table.NewWriter()
	header := table.Row{axes[s.axis].symbol, "N", "cost", "ρ", "ρ*", "starvation", "loss rate", "N (K → ∞)", "cost (K → ∞)"}
	if s.limitOnly {
		header = append(header[:1], "N", "cost", "ρ")
	}
	t.AppendHeader(header)
	for _, p := range points {
		row := table.Row{ui.ShortText(p.Value, 8)}
		if s.limitOnly {
			row = append(row, p.Unlimited.Robots, ui.ShortText(p.Unlimited.Cost, 8), ui.ShortText(p.Unlimited.Load, 8))
		} else {
			row = append(row, p.Robots, ui.ShortText(p.Cost, 8), ui.ShortText(p.Load, 8), ui.ShortText(p.OptimalLoad, 8),
				ui.ShortText(p.Starvation, 6), ui.ShortText(p.LossRate, 6), p.Unlimited.Robots, ui.ShortText(p.Unlimited.Cost, 8))
		}
		t.AppendRow(row)
	}
	out.Table(t)
}
