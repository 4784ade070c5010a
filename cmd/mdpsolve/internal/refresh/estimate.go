package refresh

// The verb refresh estimate.

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

func estimateCommand() *cli.Command {
	return &cli.Command{
		Name:      "estimate",
		Usage:     "change rates of pages, from a history of accesses",
		UsageText: "mdpsolve refresh estimate --input HISTORY [--out FILE] [options]",
		Description: `HISTORY is CSV, JSON lines or Parquet, also as .gz or .zst. Each row is an access, and the
rows of a page must be in order of time. The columns are

  id (or url)  of the page
  time         a number, or as in 2026-01-31T15:00:00Z
  changed      true or false: has the page changed since the access before? Not needed at
               the first access
  digest       instead of changed: a new digest shows that the page has changed
  status       optional: ok, failed, denied, gone, or an HTTP status; 2xx found the page, 304
               found it unchanged, 404 and 410 found it gone, 401, 403 and 451 were denied,
               others failed, also 0, 999 and the negative ones that crawlers write

A failed access says nothing about the page. A page that is gone is left out, unless a
later access finds it. Times that are numbers are in --unit, and rates are per --unit. If
times are points in time, the default is day.

The prior says what counts for a page besides its own history:

  host  the other pages of its host, and less so those of other hosts
  all   every other page
  none  nothing: the rate is the most likely one; if every access saw a change, half an
        access without one is added, and if none did, half an access with one (smoothing)

A prior is a gamma law fitted to all accesses or, where they show that some pages change far
more often, a law with a heavy tail; if none fits, a default is taken, with a warning. The
rate is then the posterior mean, even for pages with one access or none. The default
is host with --pages or if 30 pages have two accesses; otherwise none, which trusts each page's
own history.

The output has a row for each page, in the order of their first rows, with the columns id,
change_rate, standard_error, confidence_lower, confidence_upper, accesses (without the
first, which has nothing to be compared with), changes, prior or smoothing, and unit if
known. With no prior, each interval contains the rate with at least probability
--confidence; with a prior, this holds on average over pages.

Examples:
  mdpsolve refresh estimate --input history.csv
  mdpsolve refresh estimate --input history.csv --pages pages.csv --out estimated.csv -o json`,
		Flags: append([]cli.Flag{
			lists.InputFlag("accesses"), lists.UnitFlag(),
			ui.NewChoiceFlag("prior", "fit a prior to the pages of `SCOPE`", "", priorHost, priorAll, priorNone),
			ui.ValueFlag("pages", "also estimate pages that are only in `LIST`: id (or url)", ""),
			ui.SwitchFlag("only-listed", "leave out pages that are not in LIST"),
			ui.ValueFlag("out", "write the estimates to `FILE`", ""),
			ui.ConfidenceFlag(),
			ui.WorkersFlag(), ui.OutputFlag(),
		}, lists.ReadingFlags()...),
		Action: ui.Action(runEstimate),
	}
}

func runEstimate(a *ui.Arguments) error {
	c := a.CLI
	lists.Source(a, "input") // its faults come before all others
	e := &estimates{confidence: a.Confidence(), workers: a.Workers()}
	if c.IsSet("prior") {
		e.prior = a.Choice("prior")
	}
	if c.IsSet("pages") && e.prior == priorNone {
		a.Fault("pages", "not valid with --prior none: use --prior host or all")
	}
	out := lists.OutFile(a, "out")
	listed := readListed(a)
	complete := c.Bool("only-listed")
	if complete && listed == nil {
		a.Fault("only-listed", "not valid without --pages: give the list of all pages")
	}
	histories, report := lists.Read(a, "input", lists.Access, lists.InputOptions(a), pagefile.ReadHistories)
	e.rows, e.unusable = report.Rows, report.Unusable
	e.gather(histories, listed, complete)
	if e.informed == 0 {
		return ui.UsageErrorf("--input: %s has no page with two accesses: give at least one", lists.FileName(a, "input"))
	}
	e.choosePrior(listed != nil)
	if err := e.compute(c.Context); err != nil {
		return err
	}
	if e.priors != nil && e.priors.Plain {
		a.Warn("no prior can be fitted to the log: a plain one serves (a gamma law with shape 1 and mean %s)", ui.PlainText(e.priors.Overall.Mean()))
	}
	if e.gone > 0 {
		a.Warn("%s left out: gone", wording.Count(e.gone, "page"))
	}
	if e.unlisted > 0 {
		a.Warn("%s left out: not in --pages", wording.Count(e.unlisted, "page"))
	}
	for _, id := range e.unknown {
		a.Warn("page %q has fewer than two accesses: use --prior host or all to estimate its change rate", id)
	}
	if more := e.withoutRate - len(e.unknown); more > 0 {
		a.Warn("%d more pages have fewer than two accesses", more)
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

// readListed reads --pages; nil without it.
func readListed(a *ui.Arguments) *pagefile.IDs {
	if !a.CLI.IsSet("pages") {
		return nil
	}
	ids, _ := lists.Read(a, "pages", "page", lists.Options(a), pagefile.ReadIDs)
	return ids
}
