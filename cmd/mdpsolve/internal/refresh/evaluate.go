package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/queue"
)

func refreshEvaluateCommand() *cli.Command {
	return &cli.Command{
		Name:      "evaluate",
		Usage:     "the exact cost of a schedule, and what none can beat",
		UsageText: "mdpsolve refresh evaluate --input PAGES --schedule FILE --bandwidth R …",
		Description: `PAGES has the columns id (or url), change_rate and, optional, weight; the
schedule has the columns slot and id (or url), such as mdpsolve refresh schedule
writes, in any of the formats of PAGES. The cost is that of Coffman, Liu and
Weber: Σ weight × the share of time in which the copy of the page is out of date,
with the schedule repeated without end. A page that the schedule leaves out is out
of date all the time.

` + accessLawText + `

The bound holds for all schedules of a crawler that is never idle; that of the
same frequencies, for all with as many accesses of each page as this one.

Examples:
  mdpsolve refresh evaluate --input pages.csv --schedule slots.csv --bandwidth 5
  mdpsolve refresh evaluate --input pages.csv --schedule slots.csv --access-mean 1/5 --access-time erlang:3`,
		Flags: append([]cli.Flag{
			inputFlag("pages"),
			valueFlag("schedule", "read the slots of a cycle from `FILE`", ""),
			bandwidthFlag("make `R` accesses per unit of time, one after the other"),
			strictFlag(), workersFlag(), outputFlag(),
		}, accessFlags()...),
		Action: runRefreshEvaluate,
	}
}

// evaluated is what there is to say of a schedule.
type evaluated struct {
	*refresh.Evaluation
	law      queue.Law
	optimum  *refresh.Solution
	pages    refresh.Pages
	accessed int
}

func runRefreshEvaluate(c *cli.Context) error {
	a := &arguments{context: c}
	format := a.format()
	law := a.busyLaw()
	if a.text("schedule", "a file, or - for standard input,") == "-" && a.context.String("input") == "-" {
		a.fault("schedule", "- found with --input -; one of the two is allowed")
	}
	pages := a.pageList()
	if a.err != nil {
		return a.err
	}
	evaluator, err := refresh.NewEvaluator(pages.Pages.Pages, law)
	if err != nil {
		return pages.solveFault(err)
	}
	a.accesses(pages, evaluator)
	if a.err != nil {
		return a.err
	}
	e := &evaluated{Evaluation: evaluator.Cycle(), law: law, pages: pages.Pages.Pages}
	for _, accesses := range e.Accesses {
		if accesses > 0 {
			e.accessed++
		}
	}
	problem := refresh.Problem{Pages: e.pages, Objective: refresh.NewCoffman(law), Bandwidth: 1 / law.Mean()}
	e.optimum, err = refresh.Optimize(c.Context, problem, refresh.Settings{Workers: a.workers()})
	if e.optimum == nil {
		return pages.solveFault(err)
	}
	answer := e.record()
	if err := (document{json: answer, rows: []record{answer}, text: func(s *screen) { printEvaluation(s, e) }}).write(c, format); err != nil {
		return err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return endEarly(exitInterrupted, "interrupted: the cost is exact, and the bound holds, but may be far")
	case errors.Is(err, refresh.ErrPrecision):
		return endEarly(exitLimit, "precision-limit: the cost is exact, and the bound holds, but is not the best")
	}
	return err
}

// busyLaw reads the law of access times of a crawler that is never idle, whose
// mean one of two flags gives.
func (a *arguments) busyLaw() queue.Law {
	if a.context.IsSet("access-mean") && a.context.IsSet("bandwidth") {
		a.fault("bandwidth", "found with --access-mean; one of the two, each the inverse of the other, is allowed")
	}
	if a.context.IsSet("access-mean") {
		return a.accessLaw(1 / a.positive("access-mean"))
	}
	return a.accessLaw(a.bandwidth())
}

// ratio compares the cost with the least one; where both are 0 they are equal.
func (e *evaluated) ratio() float64 {
	if e.Cost == e.optimum.Bound {
		return 1
	}
	return e.Cost / e.optimum.Bound
}

func (e *evaluated) record() record {
	return record{
		{"pages", e.pages.Len()},
		{"accessed", e.accessed},
		{"slots", int(e.Slots)},
		{"cost", e.Cost},
		{"bound", e.optimum.Bound},
		{"ratio", e.ratio()},
		{"bound_same_frequencies", e.Bound},
		{"randomized_same_frequencies", e.Randomized},
		{"access_time", e.law.String()},
		{"access_mean", e.law.Mean()},
	}
}

func printEvaluation(s *screen, e *evaluated) {
	s.heading("What the schedule costs")
	s.printf("  %s   a cycle of %s   access time %s, mean %s\n\n", count(e.pages.Len(), "page"), count(int(e.Slots), "slot"),
		e.law.String(), plainText(e.law.Mean()))
	total := totalWeight(e.pages)
	s.item("cost", "%s%s", s.styled(bold, plainText(e.Cost)), meanWords("cost", e.Cost, total))
	s.item("bound", "at least %s for any schedule: this one costs %s more", lowerText(e.optimum.Bound), moreText(e.Cost, e.optimum.Bound))
	s.item("", "at least %s for any with as many accesses of each page: %s more", lowerText(e.Bound), moreText(e.Cost, e.Bound))
	s.item("at random", "%s with pages drawn at random, as often as here", plainText(e.Randomized))
	s.item("accessed", "%d of the pages (%s)", e.accessed, percentText(float64(e.accessed)/float64(e.pages.Len())))
}

// moreText returns by how much a cost exceeds a bound.
func moreText(cost, bound float64) string {
	if cost <= bound {
		return "nothing"
	}
	return percentText(cost/bound - 1)
}

// accesses hands the slots of the schedule to an evaluator. A row left out would
// move those behind it, so that none may be.
func (a *arguments) accesses(pages *pageInput, evaluator *refresh.Evaluator) {
	options := a.readOptions()
	options.Strict = true
	slots, report, err := pagefile.ReadSchedule(a.context.Context, a.source("schedule"), options, &pages.IDs)
	if a.inputRead("schedule", report, err); a.err != nil {
		return
	}
	if len(slots) == 0 {
		a.fault("schedule", "%s has no slots; one or more are needed", a.context.String("schedule"))
	}
	for _, page := range slots {
		if err := evaluator.Access(page); err != nil {
			a.fault("schedule", "%v", err)
		}
	}
}
