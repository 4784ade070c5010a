// Package refresh has the verbs for how often, and in which order, to access pages.
package refresh

import (
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
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
func inputFlag(what string) cli.Flag {
	return ui.ValueFlag("input", "read "+what+" from `FILE`, or from standard input: -", "", "i")
}

func strictFlag() cli.Flag {
	return ui.SwitchFlag("strict", "refuse a file with a row that cannot be used, instead of leaving it out")
}

func bandwidthFlag(usage string) cli.Flag { return ui.ValueFlag("bandwidth", usage, "") }

// accessFlags are those that say how long an access takes.
func accessFlags() []cli.Flag {
	return []cli.Flag{
		ui.ValueFlag("access-time", "`LAW` of the time that an access takes: see above", "constant"),
		ui.ValueFlag("access-mean", "mean `TIME` of an access, in the unit of time of the rates (default: 1/bandwidth)", ""),
	}
}

// accessLawText is for the help of verbs with accessFlags.
const accessLawText = `The time of an access is scaled to the mean --access-mean, 1/R without that flag: a
crawler that is never idle. Its law, --access-time, is one of these:

` + ui.LawText

// readRate reads a number of accesses per unit of time, within the range that package
// refresh allows.
func readRate(a *ui.Arguments, name string) float64 {
	return a.Within(name, refresh.LeastNumber, refresh.GreatestNumber, "a number from 1e-100 to 1e100")
}

func readBandwidth(a *ui.Arguments) float64 { return readRate(a, "bandwidth") }

// readAccessLaw reads the law of access times of a crawler that makes bandwidth
// accesses per unit of time, one after the other.
func readAccessLaw(a *ui.Arguments, bandwidth float64) queue.Law {
	mean := 1 / bandwidth
	if a.CLI.IsSet("access-mean") {
		const allowed = "a number above 0 and up to 1/bandwidth (accesses come one after the other)"
		mean = a.Parse("access-mean", a.CLI.String("access-mean"), allowed,
			func(x float64) bool { return x > 0 && x*bandwidth <= 1+1e-9 }) // the quotient may be rounded
	}
	return a.Law("access-time", mean)
}
