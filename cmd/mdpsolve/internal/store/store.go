// Package store has the verbs for a store of pages that an operator keeps: what is known
// of each page, how often to visit it, and what is due.
package store

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Command is the group of verbs.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "store",
		Usage:     "a file that keeps pages, their visits and their rates",
		UsageText: "mdpsolve store set|add|remove|record|due|rates|info --store FILE [options]",
		Description: `A store is a file that knows the pages of a crawler: add them, record what came of
each visit, and ask what is due. From the visits it estimates how often pages
change, and keeps the best rates for that, within a bandwidth and with delays between
visits to a host. What a verb has done is on disk when it ends: a process that is
killed, or a machine without power, loses nothing of it.

One process at a time has a store open; mdpsolve frontier serve serves one to many.

Examples:
  mdpsolve store set --store pages.db --bandwidth 20000/day --host-delay 2s
  mdpsolve store add --store pages.db --input pages.csv
  mdpsolve store due --store pages.db --most 1000
  mdpsolve store record --store pages.db --input visits.csv`,
		Subcommands: []*cli.Command{
			setCommand(), addCommand(), removeCommand(), recordCommand(), dueCommand(), ratesCommand(), infoCommand(),
		},
	}
}

func storeFlag() cli.Flag { return ui.ValueFlag("store", "use the store `FILE`", "") }

func nowFlag(usage string) cli.Flag { return ui.ValueFlag("now", usage, "") }

// clockOf returns a clock that stands at --now, or that of the system.
func clockOf(a *ui.Arguments) func() time.Time {
	if !a.CLI.IsSet("now") {
		return time.Now
	}
	const lastYear = 2261 // stores count nanoseconds
	now := lists.Time(a, "now", lastYear)
	return func() time.Time { return now }
}
