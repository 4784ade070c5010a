package refresh

// The verb refresh evaluate.

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
	"github.com/mdpsolve/mdpsolve/queue"
)

func evaluateCommand() *cli.Command {
	return &cli.Command{
		Name:      "evaluate",
		Usage:     "the exact cost of a schedule, and a bound for all schedules",
		UsageText: "mdpsolve refresh evaluate --input PAGES --schedule FILE --bandwidth R …",
		Description: `PAGES has the columns id (or url), change_rate and, optionally, weight and unit. The
schedule has the columns slot and id (or url), as mdpsolve refresh schedule writes them.
Both are CSV, JSON lines or Parquet, also as .gz or .zst.

The schedule is repeated without end. The cost is that of Coffman, Liu and Weber: the
sum over pages of weight × share of time in which the copy is out of date. A page that is
never accessed is always out of date. The first bound holds for all schedules of a
crawler that is never idle. The second holds for any order of the same accesses.

With --last-fetch the schedule is not repeated: the answer is the freshness from its first to
its last slot, after the earlier accesses in that file, as for mdpsolve refresh schedule.

` + lists.UnitText + `

Examples:
  mdpsolve refresh evaluate --input pages.csv --schedule slots.csv --bandwidth 12/day --unit day
  mdpsolve refresh evaluate --input pages.csv --schedule slots.csv --unit day --access-mean 1/5 --access-time erlang:3`,
		Flags: slices.Concat([]cli.Flag{
			lists.InputFlag("pages"),
			ui.ValueFlag("schedule", "read one cycle of the schedule from `FILE`", ""),
			bandwidthFlag("make `R` accesses per unit of time, as in 12/day"), lists.UnitFlag(),
			weightsFlag(),
			ui.ValueFlag("last-fetch", "begin after the accesses in `FILE`: id (or url), time", ""),
			ui.ValueFlag("now", "with --last-fetch, begin at `TIME` (default: its latest time)", ""),
			ui.WorkersFlag(), ui.OutputFlag(),
		}, accessFlags(), lists.ReadingFlags()),
		Action: ui.Action(runEvaluate),
	}
}

// evaluated is the evaluation of a schedule, with the optimum for comparison.
type evaluated struct {
	*refresh.Evaluation
	law      queue.Law
	optimum  *rates.Solution
	pages    refresh.Pages
	unit     unit.Unit
	accessed int // pages that the schedule accesses
}

func runEvaluate(a *ui.Arguments) error {
	c := a.CLI
	busy := readBusy(a)
	lists.Source(a, "schedule") // a fault comes before the pages are read
	pages, _ := lists.Read(a, "input", "page", lists.InputOptions(a), pagefile.ReadPages)
	readWeights(a, pages)
	mean := busy.In(pages.Unit)
	if !a.CLI.IsSet("access-mean") {
		mean = 1 / mean
	}
	law := a.Law("access-time", mean)
	if c.IsSet("last-fetch") {
		return evaluateFromNow(a, pages, mean)
	}
	a.OnlyWith("now", "last-fetch", false)
	evaluator, err := refresh.NewEvaluator(pages.Pages, law)
	if err != nil {
		return pageFault(pages, err)
	}
	readAccesses(a, pages, evaluator)
	e := &evaluated{Evaluation: evaluator.Cycle(), law: law, pages: pages.Pages, unit: pages.Unit}
	for _, accesses := range e.Accesses {
		if accesses > 0 {
			e.accessed++
		}
	}
	problem := refresh.Problem{Pages: e.pages, Objective: refresh.NewCoffman(law), Bandwidth: 1 / law.Mean()}
	ui.ProgressOf(c.Context).Phase("solving")
	e.optimum, err = rates.Optimize(c.Context, problem, rates.Settings{Workers: a.Workers()})
	if e.optimum == nil {
		return pageFault(pages, err)
	}
	answer := e.record()
	if err := a.PrintRecord(answer, func(s *ui.Screen) { printEvaluation(s, e) }); err != nil {
		return err
	}
	if status := statusOf(err); status != mdp.Converged {
		return ui.EndEarly(ui.ExitOf(status), status.String()+": the cost is exact; the bound holds, but is not the tightest")
	}
	return nil
}

// readBusy reads the mean access time of a crawler that is never idle: --access-mean, or
// --bandwidth, which is 1/mean.
func readBusy(a *ui.Arguments) lists.Quantity {
	if !a.CLI.IsSet("access-mean") {
		return lists.Rate(a, "bandwidth")
	}
	if a.CLI.IsSet("bandwidth") {
		a.Fault("bandwidth", "not valid with --access-mean, because that is 1/bandwidth: use one of the two")
	}
	return lists.Duration(a, "access-mean")
}

// ratio returns the cost divided by the bound; 1 where both are 0.
func (e *evaluated) ratio() float64 {
	if e.Cost == e.optimum.Bound {
		return 1
	}
	return e.Cost / e.optimum.Bound
}

func (e *evaluated) record() ui.Record {
	return ui.Record{
		{"pages", e.pages.Len()},
		{"unit", lists.UnitValue(e.unit)},
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

func printEvaluation(s *ui.Screen, e *evaluated) {
	s.Heading("What the schedule costs")
	s.Printf("  %s   a cycle of %s   access time %s, mean %s\n\n", wording.Count(e.pages.Len(), "page"), wording.Count(int(e.Slots), "slot"),
		e.law.String(), e.unit.Of(ui.PlainText(e.law.Mean())))
	total := e.pages.TotalWeight()
	s.Item("cost", "%s", meanWords(s, "cost", e.Cost, total, e.unit))
	s.Item("bound", "at least %s for any schedule; this schedule costs %s more", ui.LowerText(e.optimum.Bound), moreText(e.Cost, e.optimum.Bound))
	s.Item("", "at least %s for any order of the same accesses; this schedule costs %s more", ui.LowerText(e.Bound), moreText(e.Cost, e.Bound))
	s.Item("at random", "%s with pages drawn at random, each as often as in this schedule", ui.PlainText(e.Randomized))
	s.Item("accessed", "%s of the pages (%d)", ui.PercentText(float64(e.accessed)/float64(e.pages.Len())), e.accessed)
}

// moreText returns by how much a cost exceeds a bound.
func moreText(cost, bound float64) string {
	if cost <= bound {
		return "nothing"
	}
	return ui.PercentText(cost/bound - 1)
}

// readSlots reads the pages of the slots of the schedule, −1 for an empty one. Every row must be
// usable: without one, all later accesses would move to an earlier slot.
func readSlots(a *ui.Arguments, pages *pagefile.Pages) []int {
	slots, _ := lists.Read(a, "schedule", "slot", lists.StrictOptions(a),
		func(ctx context.Context, source pagefile.Source, options pagefile.Options) ([]int, *pagefile.Report, error) {
			return pagefile.ReadSchedule(ctx, source, options, &pages.IDs)
		})
	return slots
}

// readAccesses gives the slots of the schedule to an evaluator.
func readAccesses(a *ui.Arguments, pages *pagefile.Pages, evaluator *refresh.Evaluator) {
	for _, page := range readSlots(a, pages) {
		if page < 0 {
			evaluator.Idle()
			continue
		}
		if err := evaluator.Access(page); err != nil {
			a.Fault("schedule", "%v", err)
		}
	}
}
