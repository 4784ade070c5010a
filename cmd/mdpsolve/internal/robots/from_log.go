// This file holds robots from-log: what it reads, and what it finds.

package robots

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	refresh "github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/estimate"
	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

func robotsFromLogCommand() *cli.Command {
	return &cli.Command{
		Name:      "from-log",
		Usage:     "how many robots, from the log of a crawler and the times of its indexer",
		UsageText: "mdpsolve robots from-log LOG --index-times FILE --active N --buffer K --gamma G [options]",
		ArgsUsage: "LOG",
		Description: `LOG has the accesses of the crawler, as for mdpsolve refresh estimate, with points in
time; - is standard input. The file of --index-times has the times that indexing took, in the
order in which they were measured. The answer has

  λ        pages per unit of time of one robot, with a confidence interval
  μ        pages indexed per unit of time, with a confidence interval
  service  a law of phase type fitted to the times of the indexer, and how far it is off
  fixed    the best fixed number of robots, and its range for λ and μ in their intervals
  switching  the policy of least cost, and the range of its cost

Failed accesses deliver no page. With --changed-only, neither do accesses that found a page
unchanged: the columns changed or digest of LOG say so; the first digest of a page does not
say, and does not count. With --from, earlier accesses serve only to compare digests. Both
intervals hold together with probability --confidence. They are wider if pages come in bursts,
or if slow times follow each other; dispersion, about 1 for independent events, says how much.
The ranges cover the answers for all combinations of the ends of the two intervals.

The distance of the fitted law is Kolmogorov's: the greatest difference between the share of
measured times up to t and the probability of times up to t. If the fitted law is true, the
distance exceeds limit, a key of the answer, in at most one case of 20. A distance above limit
refutes the law, which may still serve: compare static_cost_sample with static_cost.

Examples:
  mdpsolve robots from-log fetches.csv --index-times seconds.txt --active 12 --buffer 50 --gamma 1.4
  mdpsolve robots from-log fetches.csv --index-times seconds.txt --active 12 --buffer 50 --gamma 1.4 --pause 10min --plot robots.svg`,
		Flags: slices.Concat([]cli.Flag{
			ui.ValueFlag("index-times", "read the times that indexing took from `FILE`, in seconds by default", ""),
			ui.ValueFlag("active", "`N` robots were active, on average, while LOG was written", ""),
			ui.ValueFlag("pause", "leave out gaps longer than `D` between accesses, as in 10min", ""),
			ui.SwitchFlag("changed-only", "count only pages that had changed: others are not indexed"),
			ui.ValueFlag("from", "count only pages that came at `TIME` or later, such as 2026-12-01T00:00:00Z", ""),
			ui.BufferFlag(), ui.GammaFlag(),
			ui.ValueFlag("robots", "`N` robots, or auto: the number beyond which more do not help", ui.Automatic),
			ui.ValueFlag("max-phases", "fit a law of at most `n` phases", fmt.Sprint(mostPhases)),
			lists.UnitFlag(), ui.ConfidenceFlag(), ui.OutputFlag(),
		}, figure.Flags("the law of indexing times, and costs by number of robots"), ui.MethodFlags(variantMethods...)),
		Action: ui.Action(runFromLog),
	}
}

// fromLog is what a log tells.
type fromLog struct {
	unit       unit.Unit
	log        []float64 // times at which pages came, in units of time since the first of them
	begin, end time.Time
	failed     int // accesses that brought no page
	active     float64
	times      []float64 // of the indexer
	confidence float64

	lambda, mu estimate.Rate
	fit        *queue.Fit
	sampleCost float64 // of the best fixed number, with the times themselves
	corners    []corner
	found      *answer // for the estimates
	differing  int     // states in which decisions differ between corners
	states     int
}

// A corner is the answer for rates at the ends of their intervals; the first is that for the
// estimates.
type corner struct {
	parameters robots.Parameters
	fixed      static.Result
	excess     float64 // by what share the number that is best for the estimates costs more than fixed
	solution   *robots.Solution
}

func runFromLog(a *ui.Arguments) error {
	f := &fromLog{unit: unit.Second}
	if a.CLI.IsSet("unit") {
		f.unit, _ = unit.Parse(a.Choice("unit")) // one of the choices
	}
	f.confidence = a.Confidence()
	f.active = a.Positive("active")
	pause := math.Inf(1)
	if a.CLI.IsSet("pause") {
		length, own, err := unit.ParseDuration(a.CLI.String("pause"))
		if pause = unit.Duration(length, cmp.Or(own, f.unit), f.unit); err != nil || !(pause > 0) {
			a.Fault("pause", "%q is not valid: use a duration above 0, such as 30s, 5min or 2h", a.CLI.String("pause"))
		}
	}
	p := robots.Parameters{Buffer: a.Whole("buffer", 2), StarvationWeight: a.Positive("gamma")}
	var sufficient bool
	p.Robots, sufficient = robotsOrAuto(a)
	phases := a.WholeWithin("max-phases", 1, 100)
	method, picture := a.Method(), figure.Read(a, 2)
	f.times = readTimes(a, "index-times", a.Text("index-times", "a file of the times that indexing took"))
	f.readLog(a)

	each := (1 + f.confidence) / 2 // so that both intervals hold together
	var err error
	if f.lambda, err = estimate.Arrivals(f.log, f.active, pause, each); err != nil {
		return ui.UsageErrorf("%s: %v", a.CLI.Args().First(), faultOf(err))
	}
	if f.mu, err = estimate.Services(f.times, each); err != nil {
		a.Fault("index-times", "%s: %v", a.CLI.String("index-times"), faultOf(err))
	}
	if !(f.mu.Lower >= 1e-100 && f.mu.Upper <= 1e100) { // or NaN, after an overflow
		a.Fault("index-times", "%s: times too large or too small: give times whose mean is from 1e-100 to 1e100", a.CLI.String("index-times"))
	}
	sample, err := queue.NewSample(a.CLI.String("index-times"), f.times, 1/f.mu.Rate)
	a.Fail(err) // never: the times have been used
	f.fit, err = queue.FitPhaseType(sample, int(phases))
	a.Fail(err) // never: the law is a sample
	if err := f.solve(a.CLI.Context, method, p, sufficient); err != nil {
		return err
	}
	alone := f.corners[0].parameters.Static()
	alone.Service = sample
	bySample, err := alone.Evaluate(f.corners[0].fixed.Robots)
	if err != nil {
		return inputFault(err)
	}
	f.sampleCost = bySample.Cost
	f.found.given = fmt.Sprintf("K = %d, γ = %s, λ = %s, μ = %s %s", p.Buffer, a.CLI.String("gamma"),
		ui.ShortText(f.lambda.Rate, 3), ui.ShortText(f.mu.Rate, 3), f.unit.Per())
	if err := picture.Save(f.panels); err != nil {
		return err
	}
	if err := a.PrintRecord(f.record(), f.print); err != nil {
		return err
	}
	for _, c := range f.corners {
		if err := ui.EndOf(c.solution.Status, c.solution.Lower, c.solution.Upper); err != nil {
			return err
		}
	}
	return nil
}

// faultOf leaves the name of the package out of an error.
func faultOf(err error) string {
	if fault, ok := errors.AsType[*estimate.Error](err); ok {
		return fmt.Sprintf("%v: give %s", fault.Value, fault.Allowed)
	}
	return err.Error()
}

// readLog reads the times of LOG.
func (f *fromLog) readLog(a *ui.Arguments) {
	source := pagefile.Source{Name: a.CLI.Args().First()}
	if source.Name == "-" {
		source = pagefile.Source{Name: "standard input", Reader: a.CLI.App.Reader}
	}
	onlyChanged, seen := a.CLI.Bool("changed-only"), map[string]*refresh.Seen{}
	var from time.Time
	if a.CLI.IsSet("from") {
		from = lists.Time(a, "from", 2261) // as a number of nanoseconds can hold
	}
	first := 0 // accesses with the first digest of a page
	lists.EachAccess(a, "LOG", source, func(v pagefile.Visit) {
		outcome := v.Outcome
		if onlyChanged {
			if seen[v.ID] == nil {
				seen[v.ID] = new(refresh.Seen)
			}
			outcome = seen[v.ID].Take(v.Outcome, v.Digest)
		}
		switch isFirst := onlyChanged && outcome == refresh.Found && v.Digest != nil; {
		case v.Time.Before(from):
			return
		case isFirst:
			first++
			return
		case outcome.IsFailure() || outcome == refresh.Gone || onlyChanged && outcome == refresh.Unchanged:
			f.failed++
			return
		}
		if f.log == nil {
			f.begin, f.end = v.Time, v.Time
		}
		f.log = append(f.log, v.Time.Sub(f.begin).Seconds()/f.unit.Seconds())
		if v.Time.After(f.end) {
			f.end = v.Time
		}
	})
	if first > 0 {
		a.Warn("%s not counted: the first digest of a page does not say whether it has changed", wording.Count(first, "access"))
	}
	if len(f.log) > 0 {
		f.begin = f.begin.Add(time.Duration(slices.Min(f.log) * f.unit.Seconds() * 1e9))
	}
}

// solve finds the best fixed number and the best policy for the estimates and for the corners.
// The corner of the least λ and the greatest μ needs the most robots.
func (f *fromLog) solve(ctx context.Context, method ui.Method, p robots.Parameters, sufficient bool) error {
	var all []robots.Parameters
	for _, rates := range [][2]float64{
		{f.lambda.Rate, f.mu.Rate},
		{f.lambda.Lower, f.mu.Upper},
		{f.lambda.Lower, f.mu.Lower},
		{f.lambda.Upper, f.mu.Upper},
		{f.lambda.Upper, f.mu.Lower},
	} {
		p.ArrivalRate, p.ServiceRate = rates[0], rates[1]
		law, err := queue.ParseLaw(f.fit.Law.String(), 1/p.ServiceRate, nil)
		if err != nil {
			return err
		}
		if p.Service = law; queue.IsExponential(law) {
			p.Service = nil
		}
		if err := p.Validate(); err != nil {
			return inputFault(err)
		}
		all = append(all, p)
	}
	if sufficient {
		most, err := solve(ctx, method, all[1], true)
		if err != nil {
			return withoutAnswer(method, p, err)
		}
		for i := range all {
			all[i].Robots = most.Parameters.Robots
		}
	}
	for _, p := range all {
		alone := p.Static()
		c := corner{parameters: p}
		var err error
		if c.fixed, err = alone.Optimize(); err != nil {
			return inputFault(err)
		}
		if len(f.corners) > 0 {
			here, err := alone.Evaluate(f.corners[0].fixed.Robots)
			if err != nil {
				return inputFault(err)
			}
			c.excess = max(0, here.Cost/c.fixed.Cost-1)
		}
		if c.solution, err = solve(ctx, method, p, false); err != nil {
			return withoutAnswer(method, p, err)
		}
		f.corners = append(f.corners, c)
	}
	f.found = &answer{
		question: question{parameters: all[0], method: method, variant: all[0].Service != nil},
		Solution: f.corners[0].solution,
	}
	f.compareDecisions()
	return nil
}

// compareDecisions counts the states in which the corners decide differently.
func (f *fromLog) compareDecisions() {
	var decided []robots.Decisions
	var differs []bool
	for i, c := range f.corners {
		at := 0
		for _, d := range c.solution.Policy.Queues(0, c.parameters.Buffer+1) {
			if i == 0 {
				decided, differs = append(decided, d), append(differs, false)
			}
			differs[at] = differs[at] || d != decided[at]
			at++
		}
	}
	for _, does := range differs {
		if f.states++; does {
			f.differing++
		}
	}
}

// ranges returns the least and the greatest value of corners.
func (f *fromLog) ranges(of func(corner) float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, c := range f.corners {
		least, most = min(least, of(c)), max(most, of(c))
	}
	return least, most
}

func fixedRobots(c corner) float64 { return float64(c.fixed.Robots) }
func fixedCost(c corner) float64   { return c.fixed.Cost }
func fixedExcess(c corner) float64 { return c.excess }
func gainOf(c corner) float64      { return c.solution.Gain }
