// Package store has the verbs for a store of pages that an operator keeps: what is known
// of each page, how often to visit it, and what is due.
package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// Command is the group of verbs.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "store",
		Usage:     "a file that keeps pages, their visits and their rates",
		UsageText: "mdpsolve store set|add|remove|record|due|rates|info --store FILE [options]",
		Description: `A store is a file that knows the pages of a crawler: add them, record what came of
each visit, and ask what is due. From the visits it estimates how often pages
change, and keeps the best rates for that, within a bandwidth and with hosts left
in peace. What a verb has done is on disk when it ends: a process that is killed, or
a machine without power, loses nothing of it.

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
	const firstYear, lastYear = 1970, 2261 // stores count nanoseconds
	now, err := unit.ParseTime(a.CLI.String("now"))
	if err == nil && (now.Year() < firstYear || now.Year() > lastYear) {
		err = fmt.Errorf("%q is not valid: use a time of the years %d to %d", a.CLI.String("now"), firstYear, lastYear)
	}
	if err != nil {
		a.Fault("now", "%v", err)
	}
	return func() time.Time { return now }
}

// withStore has use called with the store of --store, and closes that.
func withStore(a *ui.Arguments, use func(*store.Store) error) error {
	name := a.Text("store", "the file of a store")
	pages, err := store.Open(a.CLI.Context, name)
	return withOpened(a, name, pages, err, use)
}

// withOpened has use called with a store, unless opening it has come to an error.
func withOpened(a *ui.Arguments, name string, pages *store.Store, err error, use func(*store.Store) error) (fault error) {
	switch {
	case a.CLI.Err() != nil:
		return ui.EndEarly(ui.ExitInterrupted, "interrupted while opening the store: it is as it was")
	case err != nil:
		return ui.StoreFault(name, err)
	}
	defer func() { fault = errors.Join(fault, pages.Close()) }() // also where use ends by a panic, as flags do
	return use(pages)
}
