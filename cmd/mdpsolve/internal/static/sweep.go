package static

// The verb static sweep.

import (
	"context"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func sweepCommand() *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "the best fixed number of robots as γ, K or μ/λ varies",
		UsageText: "mdpsolve static sweep --over PARAMETER --from A --to B [--steps n] [--plot FILE] …",
		Description: `Prints or draws curves as in the paper's Figures 2 (over gamma), 3 and 4
(over buffer) and 5 (over ratio). Over ratio, give --mu: λ is μ divided by the ratio, and
without --buffer, the queue is unlimited.

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

// axes has the flag and the symbol of each parameter that can vary. The flag of the parameter that
// varies is ignored.
var axes = map[static.Axis]struct{ flag, symbol string }{
	static.OverWeight: {"gamma", "γ"},
	static.OverBuffer: {"buffer", "K"},
	static.OverRatio:  {"lambda", "μ/λ"},
}

// parameter is a parameter that may be a list.
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
	limitOnly bool                // over the ratio without a buffer
	series    []static.Parameters // for each combination of the values of lists
	listed    []parameter         // those with several values
	given     string              // what is the same in all series, as it was given
}

func runSweep(a *ui.Arguments) error {
	a.ReadDigits(true)
	sweep := readSweep(a)
	picture := figure.Read(a, figure.FixedPanels(sweep.axis))
	if flag := axes[sweep.axis].flag; a.CLI.IsSet(flag) {
		a.Warn("--%s is ignored, because --over %v sets it", flag, sweep.axis)
	}
	return ui.Table[static.Point]{
		Rows: len(sweep.series) * len(sweep.values), AtOnce: 1,
		Find:   sweep.find,
		Record: sweep.record,
		Save: func(points []static.Point) error {
			return picture.Save(func() []figure.Panel { return sweep.panels(points) })
		},
		Text: func(out *ui.Screen, _ []static.Point, records []ui.Record) {
			out.Heading("The best fixed number of robots as %s varies", axes[sweep.axis].symbol)
			out.Printf("  %s\n\n", sweep.given)
			out.Records(records)
		},
	}.Print(a)
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
					s.series = append(s.series, p)
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

// find finds a point of a series; the series come one after the other.
func (s sweep) find(ctx context.Context, i int, _ time.Duration) (static.Point, error) {
	p, value := s.series[i/len(s.values)], s.values[i%len(s.values)]
	return soon.Do(ctx, 0, func() (static.Point, error) {
		if ctx.Err() != nil {
			return static.Point{}, context.Canceled
		}
		points, err := static.Sweep(p, s.axis, []float64{value})
		if err != nil {
			return static.Point{}, inputFault(err)
		}
		return points[0], nil
	})
}

// record returns a row for printing, with all columns: what is given, what is best, and what
// is best without a limit on pages. In text, what has a single value is above the table.
func (s sweep) record(point static.Point) ui.Record {
	var listed, fixed ui.Record
	for _, p := range s.listed {
		listed = append(listed, ui.Field{Value: ui.Given(p.symbol, p.of(point.Parameters))})
	}
	for _, p := range parameters {
		if p.flag != "buffer" {
			fixed = append(fixed, ui.Field{Name: p.flag, Value: p.of(point.Parameters)})
		}
	}
	unlimited, condition := point.Unlimited, " (K → ∞)"
	load := any(unlimited.Load)
	if s.limitOnly {
		condition, load = "", ui.Shown("ρ", unlimited.Load, ui.Digits(8))
	}
	return slices.Concat(
		listed,
		ui.Record{{"", ui.Shown(axes[s.axis].symbol, point.Value, ui.Digits(8))}},
		ui.When(s.axis == static.OverRatio, ui.Record{{"ratio", point.Value}}),
		fixed,
		ui.When(!s.limitOnly, append(ui.Record{{"buffer", point.Parameters.Buffer}}, record(point.Result)...)),
		ui.Record{
			{"robots_unlimited_buffer", ui.Shown("N"+condition, unlimited.Robots)},
			{"cost_unlimited_buffer", ui.Shown("cost"+condition, unlimited.Cost, ui.Digits(8))},
			{"rho_unlimited_buffer", load},
		},
	)
}
