package refresh

// The verb refresh estimate.

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

func estimateCommand() *cli.Command {
	return &cli.Command{
		Name:      "estimate",
		Usage:     "change rates of pages, from a history of accesses",
		UsageText: "mdpsolve refresh estimate --input HISTORY [--out FILE] [options]",
		Description: `HISTORY is CSV, JSON lines or Parquet, plain, .gz or .zst, with an access in each
row: id (or url), time (a number, or as in 2026-01-31T15:00:00Z), and changed
(true or false: since the access before) or digest (the page has changed if it is
another one). The accesses of a page are in the order of time; pages may be mixed.

A column status tells other rows apart: failed (the access says nothing of the page,
and the next one counts from the one before), gone (the page is left out unless it is
found again later), or an HTTP status: 2xx is an access, 304 one without a change, 404
and 410 are gone, others failed.

Rates are per --unit, and per day without it where times are points in time; those
that are numbers are in that unit.

--prior says what else than its own history counts for a page:

  host  the other pages of its host (as in its URL), and less so all others
  all   every other page
  none  nothing: the rate is that of maximum likelihood, and where all accesses saw a
        change, or none, half an access of the other kind is added (smoothing)

A prior is the gamma law of the rates of pages that makes what was seen most probable.
With it the rate of a page is the mean of what is known of it, also where the page was
accessed once, or never (--pages LIST). The default is host from 30 pages with two
accesses on, as fewer hardly show what pages are like, and where --pages or --draw need
a prior; else it is none.

Written are id, change_rate, standard_error, confidence_lower, confidence_upper,
accesses (the first, with nothing to compare with, is not counted), changes and, where
it is known, unit; with a prior also its kind, without one smoothing. The interval of a
page holds the rate with at least the probability --confidence without a prior (no upper
end where all accesses saw a change), and with one on average over pages. The order is
that in which pages first appear. It goes to standard output, or to --out, in the format
that its name says; mdpsolve refresh rates reads it. With --out a summary is printed.

A crawler that only visits what it knows to be worth it does not learn about the rest.
--draw SEED writes as change_rate a random draw from what is known of the rate
(Thompson sampling): the less is known, the more it varies, so that plans made every day
with another seed find out what they need to know.

Examples:
  mdpsolve refresh estimate --input history.csv
  mdpsolve refresh estimate --input history.csv --pages pages.csv --out estimated.csv -o json`,
		Flags: append([]cli.Flag{
			lists.InputFlag("accesses"), lists.UnitFlag(),
			ui.NewChoiceFlag("prior", "`WHOSE` pages count beside a page's own history: see above", "", priorHost, priorAll, priorNone),
			ui.ValueFlag("pages", "estimate the pages of `LIST`, too, with the column id (or url): it needs a prior", ""),
			ui.SwitchFlag("only-listed", "leave out the pages that are not in the list of --pages: they are there no more"),
			ui.ValueFlag("draw", "draw each change_rate from what is known of it, with random numbers of `SEED`: it needs a prior", ""),
			ui.ValueFlag("out", "write the estimates to `FILE`", ""),
			ui.ConfidenceFlag(),
			ui.WorkersFlag(), ui.OutputFlag(),
		}, lists.ReadingFlags()...),
		Action: ui.Action(runEstimate),
	}
}

func runEstimate(a *ui.Arguments) error {
	c := a.CLI
	lists.Source(a, "input") // a fault comes before all others
	e := &estimates{confidence: a.Confidence(), workers: a.Workers()}
	if c.IsSet("prior") {
		e.prior = a.Choice("prior")
	}
	if c.IsSet("draw") {
		e.drawn, e.seed = true, uint64(a.WholeWithin("draw", 0, ui.GreatestWhole))
	}
	for _, flag := range []string{"pages", "draw"} {
		if c.IsSet(flag) && e.prior == priorNone {
			a.Fault(flag, "not valid with --prior none: use --prior host or all")
		}
	}
	out := lists.OutFile(a, "out")
	listed := readListed(a)
	complete := c.Bool("only-listed")
	if complete && listed == nil {
		a.Fault("only-listed", "not valid without --pages: name the list of all pages there are")
	}
	histories, report := lists.Read(a, "input", lists.Access, lists.InputOptions(a), pagefile.ReadHistories)
	e.rows, e.unusable = report.Rows, report.Unusable
	e.gather(histories, listed, complete)
	if e.informed == 0 {
		return ui.UsageErrorf("--input: %s has no page with two accesses: give one or more", c.String("input"))
	}
	e.choosePrior(listed != nil || e.drawn)
	if err := e.compute(c.Context); err != nil {
		return err
	}
	if e.gone > 0 {
		a.Warn("%s left out as gone", ui.Count(e.gone, "page"))
	}
	if e.unlisted > 0 {
		a.Warn("%s left out as not in --pages", ui.Count(e.unlisted, "page"))
	}
	for _, id := range e.unknown {
		a.Warn("page %q has no two accesses: its change rate is not known without --prior host or all", id)
	}
	if more := e.withoutRate - len(e.unknown); more > 0 {
		a.Warn("so have %d more pages", more)
	}
	if out.Name == "" && a.Format != ui.FormatText && a.Format != ui.FormatCSV {
		return a.PrintRecords(e.records(), nil)
	}
	interrupted, err := lists.WriteWhole(a, func(ctx context.Context) error { return e.write(ctx, out) })
	if err != nil {
		return err
	}
	if out.Name != "" {
		if err := a.PrintRecord(e.summary(), func(s *ui.Screen) { printEstimates(s, e, out.Name) }); err != nil {
			return err
		}
	}
	return lists.EndOfWriting(interrupted, "the estimates")
}

// readListed reads the pages of --pages; nil without it.
func readListed(a *ui.Arguments) *pagefile.IDs {
	if !a.CLI.IsSet("pages") {
		return nil
	}
	ids, _ := lists.Read(a, "pages", "page", lists.Options(a), pagefile.ReadIDs)
	return ids
}
