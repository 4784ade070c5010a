// This file holds robots sweep: its flags, and its answer in all formats.

package robots

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
)

func robotsSweepCommand() *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "the optimum and the best fixed number as a parameter varies",
		UsageText: "mdpsolve robots sweep --over PARAMETER --from A --to B [--steps n] …",
		Description: `Prints a row for each value of the parameter that varies: the least cost with its
bounds, the best fixed number of robots with its cost, and what switching saves. The
varying parameter needs no flag of its own. The other flags listed mean what they mean
in mdpsolve robots solve. --time-limit is for all rows together, and -o csv prints each
row as soon as it is found.

Over max-loss or max-starvation, leave out --gamma. The cost in a row is then the least
starvation or loss rate within the limit, and gamma is the multiplier (see mdpsolve help
robots solve).

Examples:
  mdpsolve robots sweep --over gamma --from 0.5 --to 5 --robots 16 --buffer 5 --lambda 0.1 --mu 1
  mdpsolve robots sweep --over robots --from 1 --to 30 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --plot cost.svg
  mdpsolve robots sweep --over max-loss --from 0.001 --to 0.2 --robots 16 --buffer 5 --lambda 0.1 --mu 1 -o csv`,
		Flags: slices.Concat(ui.SweepFlags("vary `PARAMETER`", "gamma", "lambda", "mu", "buffer", "robots", "max-loss", "max-starvation"), []cli.Flag{
			robotsFlag(), ui.BufferFlag(), ui.LambdaFlag(), ui.MuFlag(), ui.GammaFlag(), ui.TableOutputFlag(), ui.DigitsFlag(),
		}, figure.Flags("the least cost and the best fixed cost"), variantFlags(), ui.MethodFlags(methods...)),
		Action: ui.Action(runRobotsSweep),
	}
}

// axis is a parameter, or a limit, that may vary.
type axis struct {
	flag, symbol, title string
	least, most         int // bounds of a whole number; most is 0 for a real number above 0
	set                 func(p *robots.Parameters, value float64)
	limit               *limitAxis // nil for a parameter
}

var axes = []axis{
	{"gamma", "γ", "γ, cost per unit of time with an empty queue", 0, 0, func(p *robots.Parameters, value float64) { p.StarvationWeight = value }, nil},
	{"lambda", "λ", "λ, pages per unit of time of one robot", 0, 0, func(p *robots.Parameters, value float64) { p.ArrivalRate = value }, nil},
	{"mu", "μ", "μ, pages indexed per unit of time", 0, 0, func(p *robots.Parameters, value float64) { p.ServiceRate = value }, nil},
	{"buffer", "K", "K, room for pages", 2, static.MaxBuffer, func(p *robots.Parameters, value float64) { p.Buffer = int(value) }, nil},
	{"robots", "N", "N, robots", 1, static.MaxRobots, func(p *robots.Parameters, value float64) { p.Robots = int(value) }, nil},
	{"max-loss", "L", "limit on L, pages lost per unit of time", 0, 0, noWeight, &leastStarvation},
	{"max-starvation", "S", "limit on S, share of time with an empty queue", 0, 0, noWeight, &leastLosses},
}

// number returns a value as it is printed.
func (x axis) number(value float64) any {
	if x.most > 0 {
		return int(value)
	}
	return value
}

// sweep is what the flags of robots sweep ask for.
type sweep struct {
	axis       axis
	values     []float64
	cases      []robots.Parameters // by value
	sufficient bool                // --robots auto
	given      string              // the parameters that do not vary, as on the command line
	method     ui.Method
}

func runRobotsSweep(a *ui.Arguments) error {
	a.ReadDigits(true)
	s := readRobotsSweep(a)
	picture := figure.Read(a, sweepPanelCount)
	name := "cost"
	if s.axis.limit != nil {
		name = s.question(0, s.method).limit.minimisedWords()
	}
	t := table(a.CLI.Context, s.method, s.cases, s.row)
	t.Streams = true
	t.Record = func(row sweepRow) ui.Record { return row.record(s.axis) }
	t.End = func(row sweepRow) error { return ui.EndOfMeasure(name, row.Status, row.Lower, row.Upper) }
	t.Save = func(rows []sweepRow) error {
		return picture.Save(func() []figure.Panel { return sweepPanels(s, rows) })
	}
	t.Text = func(out *ui.Screen, _ []sweepRow, records []ui.Record) {
		out.Heading("Robots switched on and off, and the best fixed number, as %s varies", s.axis.symbol)
		out.Printf("  %s\n\n", s.given)
		out.Records(records)
	}
	return t.Print(a)
}

// sweepRow is the answer for one value of the parameter that varies.
type sweepRow struct {
	value float64
	*answer
	fixedCost, saving float64 // of the best fixed number; with a limit, of the measure minimised
}

// question returns the question of row i.
func (s sweep) question(i int, m ui.Method) question {
	q := question{parameters: s.cases[i], sufficient: s.sufficient, method: m}
	if x := s.axis.limit; x != nil {
		q.limit = &limit{x.of(s.values[i]), "from", ui.ExactText(s.values[i])}
	}
	return q
}

// row finds row i.
func (s sweep) row(ctx context.Context, m ui.Method, i int) (sweepRow, error) {
	q := s.question(i, m)
	found, err := q.find(ctx)
	if ui.EndedEarly(err) {
		return sweepRow{}, err
	}
	if err != nil {
		return sweepRow{}, refusal(m, q.parameters, err)
	}
	found.Policy = nil // there may be many rows
	row, p, within := sweepRow{value: s.values[i], answer: found}, found.Parameters, robots.Limit{}
	if q.limit != nil {
		p, within = q.parameters, q.limit.Limit
	}
	if row.fixed = bestFixed(ctx, p, within); row.fixed == nil {
		return row, nil
	}
	policy := policyCost(found.Solution)
	row.fixedCost = row.fixed.Cost
	if q.limit != nil {
		policy, row.fixedCost = found.Gain, s.axis.limit.minimised(row.fixed)
	}
	row.saving = math.NaN()
	if row.fixedCost != 0 {
		row.saving = 1 - policy/row.fixedCost
	}
	return row, nil
}

// record declares the columns of the table. Each is a key of robots solve, too, except those of the
// parameter that varies.
func (row *sweepRow) record(x axis) ui.Record {
	var fixedRobots, fixedCost, saving any
	if row.fixed != nil {
		fixedRobots, fixedCost, saving = sum(row.fixed.Robots), row.fixedCost, row.saving
	}
	m, weight := measuresOf(row.Measures), row.Parameters.StarvationWeight
	return slices.Concat(
		ui.Record{{strings.ReplaceAll(x.flag, "-", "_"), ui.Shown(x.symbol, x.number(row.value), ui.Digits(8))}},
		ui.When(x.limit != nil, ui.Record{{"", ui.Shown("γ", weight, ui.Digits(6))}}),
		gainRecord(ui.Shown("cost", row.Gain, ui.Digits(8)), row.Lower, row.Upper),
		ui.Record{
			{"static_robots", ui.Shown("N fixed", fixedRobots)},
			{"static_cost", ui.Shown("cost fixed", fixedCost, ui.Digits(8))},
			{"saving", ui.Shown("saving", saving, ui.PercentText)},
			{"robots_mean", ui.Shown("N mean", m.RobotsMean, ui.Digits(6))},
			{"starvation", ui.Shown("starvation", m.Starvation, ui.PercentText)},
			{"loss_rate", ui.Shown("loss rate", m.LossRate, ui.Digits(6))},
			{"status", ui.Shown("status", row.Status)},
		},
		ui.When(x.limit != nil, ui.Record{{"gamma", weight}}),
	)
}

// readRobotsSweep reads the flags of a sweep.
func readRobotsSweep(a *ui.Arguments) sweep {
	var s sweep
	over := a.Choice("over")
	s.axis = axes[slices.IndexFunc(axes, func(x axis) bool { return x.flag == over })]
	if a.CLI.IsSet("class") && (over == "robots" || over == "lambda") {
		a.Fault("over", "%s is not valid with --class: use gamma, mu or buffer", over)
	}
	if a.CLI.IsSet(over) {
		a.Warn("--%s is ignored: --over %s varies it", over, over)
	}
	from, to, steps := a.Sweep(s.axis.least, s.axis.most)
	spacing := static.OverWeight
	if s.axis.most > 0 {
		spacing = static.OverBuffer
	}
	var err error
	s.values, err = static.Grid(spacing, from, to, steps)
	a.Fail(inputFault(err))
	var p robots.Parameters
	s.axis.set(&p, s.values[0])
	variant := isVariant(a)
	s.sufficient = readParameters(a, &p, variant, over)
	s.given = given(a, 0, over)
	switch {
	case s.axis.limit != nil:
		s.axis.limit.check(a, s)
	case over != "gamma":
		p.StarvationWeight = a.Positive("gamma")
	}
	if variant {
		refuseBeside(a, variantWords)
	}
	s.method = a.Method()
	s.cases = make([]robots.Parameters, len(s.values))
	for i, value := range s.values {
		s.axis.set(&p, value)
		if over == "mu" && p.Service != nil {
			p.Service = readPhaseType(a, value)
		}
		a.Fail(inputFault(p.Validate()))
		s.cases[i] = p
	}
	a.Fail(fitMemory(a.CLI.Context, s.method, s.cases[0], s.sufficient)) // the first or the last is the largest
	a.Fail(fitMemory(a.CLI.Context, s.method, p, s.sufficient))
	return s
}
