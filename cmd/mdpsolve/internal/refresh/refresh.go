// Package refresh has the verbs that say how often, and in which order, to access pages.
package refresh

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Command is the group of verbs.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "refresh",
		Usage:     "how often to access each page, and in which order",
		UsageText: "mdpsolve refresh rates|schedule|evaluate|review|estimate|compare [options]",
		Description: `Three verbs lead from a crawl log to a schedule: estimate finds how often pages change,
rates finds the best access rate of each page, and schedule puts the accesses in order.
Three verbs compare: evaluate computes the cost of a schedule, review compares what a plan
promised with the log of its day, and compare shows how close simpler rules come to the
best rates.

Examples:
  mdpsolve refresh estimate --input history.csv
  mdpsolve refresh rates --input pages.csv --bandwidth 12/day --unit day`,
		Subcommands: []*cli.Command{
			ratesCommand(),
			scheduleCommand(),
			evaluateCommand(),
			reviewCommand(),
			estimateCommand(),
			compareCommand(),
		},
	}
}

// Flags that several verbs of refresh share.

func bandwidthFlag(usage string) cli.Flag { return ui.ValueFlag("bandwidth", usage, "") }

// accessFlags are the flags on how long an access takes.
func accessFlags() []cli.Flag {
	return []cli.Flag{
		ui.ValueFlag("access-time", "`LAW` of access durations: see mdpsolve help static", "constant"),
		ui.ValueFlag("access-mean", "mean `TIME` of an access (default: 1/bandwidth)", ""),
	}
}

// readAccessLaw reads the law of access times for a crawler that makes accesses one after the
// other, with a bandwidth per unit of time u.
func readAccessLaw(a *ui.Arguments, bandwidth float64, u unit.Unit) queue.Law {
	mean := 1 / bandwidth
	if a.CLI.IsSet("access-mean") {
		mean = lists.Duration(a, "access-mean").In(u)
		if !(mean*bandwidth <= 1+1e-9) { // the quotient may be rounded
			a.Fault("access-mean", "%s is not valid: use at most 1/bandwidth, because accesses come one after the other", a.CLI.String("access-mean"))
		}
	}
	return a.Law("access-time", mean)
}

// weightsFlag names a file of weights.
func weightsFlag() cli.Flag {
	return ui.ValueFlag("weights", "read weights from `FILE`: id (or url), weight", "")
}

// readWeights gives pages the weights of --weights. Pages that are not in it keep the weights
// of the page list.
func readWeights(a *ui.Arguments, pages *pagefile.Pages) {
	if !a.CLI.IsSet("weights") {
		return
	}
	weights, _ := lists.Read(a, "weights", "", lists.Options(a), pagefile.ReadWeights)
	unknown := weights.Give(pages)
	switch {
	case len(unknown) == weights.IDs.Len():
		a.Fault("weights", "%s has no page of %s: use the same ids", a.CLI.String("weights"), lists.FileName(a, "input"))
	case len(unknown) > 0:
		a.Warn("--weights: %s without a page ignored, such as that of %q", wording.Count(len(unknown), "row"), weights.IDs.At(unknown[0]))
	}
}

// pageFault words an error of package refresh about pages or a flag.
func pageFault(pages *pagefile.Pages, err error) error {
	if page, ok := errors.AsType[*refresh.PageError](err); ok {
		column := map[string]string{"ChangeRates": "change_rate", "Weights": "weight", "LeastRates": "1/greatest_interval"}[page.Field]
		return ui.UsageErrorf("--input: page %q: %s %v is not valid: use %s", pages.IDs.At(page.Page), column, page.Value, page.Allowed)
	}
	return err
}
