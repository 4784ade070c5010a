// Package refresh has the verbs for how often, and in which order, to access pages.
package refresh

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
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
		UsageText: "mdpsolve refresh rates|schedule|evaluate|estimate|compare [options]",
		Description: `From a history of accesses to an order of visits: estimate finds how often pages
change, rates how often to access each, schedule in which order; evaluate says what
an order costs, and compare how much better the best rates are than simple rules.

Examples:
  mdpsolve refresh estimate --input history.csv
  mdpsolve refresh rates --input pages.csv --bandwidth 5`,
		Subcommands: []*cli.Command{
			ratesCommand(),
			scheduleCommand(),
			evaluateCommand(),
			estimateCommand(),
			compareCommand(),
		},
	}
}

// Flags that several verbs of refresh have.

func bandwidthFlag(usage string) cli.Flag { return ui.ValueFlag("bandwidth", usage, "") }

// accessFlags are those that say how long an access takes.
func accessFlags() []cli.Flag {
	return []cli.Flag{
		ui.ValueFlag("access-time", "`LAW` of the time that an access takes: mdpsolve help static lists them", "constant"),
		ui.ValueFlag("access-mean", "mean `TIME` of an access, as in 250ms (default: 1/bandwidth)", ""),
	}
}

// accessLawText is for the help of verbs with accessFlags.
var accessLawText = `The time of an access is scaled to the mean --access-mean, 1/R without that flag: a
crawler that is never idle. Its law, --access-time, is one of these:

` + queue.LawText()

// readAccessLaw reads the law of access times of a crawler that makes bandwidth
// accesses per unit of time u, one after the other.
func readAccessLaw(a *ui.Arguments, bandwidth float64, u unit.Unit) queue.Law {
	mean := 1 / bandwidth
	if a.CLI.IsSet("access-mean") {
		mean = lists.Duration(a, "access-mean").In(u)
		if !(mean*bandwidth <= 1+1e-9) { // the quotient may be rounded
			a.Fault("access-mean", "%s is not valid: use up to 1/bandwidth (accesses come one after the other)", a.CLI.String("access-mean"))
		}
	}
	return a.Law("access-time", mean)
}

// weightsFlag is that of weights in a file of their own.
func weightsFlag() cli.Flag {
	return ui.ValueFlag("weights", "read the weights of pages from `FILE`, with the columns id (or url) and weight", "")
}

// readWeights gives pages the weights of --weights. Pages that are not in it have those of
// the page list.
func readWeights(a *ui.Arguments, pages *pagefile.Pages) {
	if !a.CLI.IsSet("weights") {
		return
	}
	weights, _ := lists.Read(a, "weights", "", lists.Options(a), pagefile.ReadWeights)
	unknown := weights.Give(pages)
	switch {
	case len(unknown) == weights.IDs.Len():
		a.Fault("weights", "%s names no page of %s: use the same ids", a.CLI.String("weights"), a.CLI.String("input"))
	case len(unknown) > 0:
		a.Warn("%s of --weights without a page, such as %q", ui.Count(len(unknown), "row"), weights.IDs.At(unknown[0]))
	}
}

// pageFault words what package refresh says of pages or of a flag.
func pageFault(pages *pagefile.Pages, err error) error {
	if page, ok := errors.AsType[*refresh.PageError](err); ok {
		column := map[string]string{"ChangeRates": "change_rate", "Weights": "weight"}[page.Field]
		return ui.UsageErrorf("--input: page %q: %s %v is not valid: use %s", pages.IDs.At(page.Page), column, page.Value, page.Allowed)
	}
	return err
}
