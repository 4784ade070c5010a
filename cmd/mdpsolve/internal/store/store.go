// Package store has the verbs for a store of pages: their history, their access rates, and
// which of them are due.
package store

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Command is the group of verbs; serve is the one that serves a store.
func Command(serve *cli.Command) *cli.Command {
	return &cli.Command{
		Name:      "store",
		Usage:     "a file that keeps pages, their accesses and their rates",
		UsageText: "mdpsolve store set|add|remove|record|due|rates|info|check|backup|serve --store FILE [options]",
		Description: `A store is a file with the pages of a crawler: add pages, record each access, and ask
which pages are due. From the accesses, mdpsolve estimates how often pages change, and
computes the best access rates within a bandwidth. It keeps the politeness delays of
hosts. When a verb ends, its changes are on disk: a killed process or a power failure
loses nothing.

Only one process at a time can open a store. To share a store among crawlers, run
"mdpsolve store serve".

Examples:
  mdpsolve store set --store pages.db --bandwidth 20000/day --host-delay 2s
  mdpsolve store add --store pages.db --input pages.csv
  mdpsolve store due --store pages.db --most 1000
  mdpsolve store record --store pages.db --input visits.csv`,
		Subcommands: []*cli.Command{
			setCommand(), addCommand(), removeCommand(), recordCommand(), dueCommand(), ratesCommand(), infoCommand(), checkCommand(), backupCommand(), serve,
		},
	}
}

func storeFlag() cli.Flag { return ui.ValueFlag("store", "use the store in `FILE`", "") }

func nowFlag(usage string) cli.Flag { return ui.ValueFlag("now", usage, "") }

// clockOf returns a clock that stands at --now, or the clock of the system.
func clockOf(a *ui.Arguments) func() time.Time {
	if !a.CLI.IsSet("now") {
		return time.Now
	}
	const lastYear = 2261 // stores count nanoseconds
	now := lists.Time(a, "now", lastYear)
	return func() time.Time { return now }
}
