package store

// The verbs that keep the file of a store safe: store check and store backup.

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "check that the file of a store is as it was written",
		UsageText: "mdpsolve store check --store FILE",
		Description: `Reads the whole file: checksums of all values, the order of keys, the use of each part of
the file, and which page has which record. If anything is wrong, it says what, with exit
status 3. It changes nothing.

Examples:
  mdpsolve store check --store pages.db`,
		Flags:  []cli.Flag{storeFlag(), ui.OutputFlag()},
		Action: ui.Action(check),
	}
}

func check(a *ui.Arguments) error {
	name := a.Text("store", "the file of a store")
	summary, err := store.Check(a.CLI.Context, name)
	if errors.Is(err, store.ErrDamaged) {
		return ui.EndEarly(ui.ExitLimit, fmt.Sprintf("%s: %v", name, err))
	}
	if err := lists.StoreFault(a, name, err); err != nil {
		return err
	}
	pages := summary.Counts.Pages
	return a.PrintRecord(ui.Record{{Name: "pages", Value: pages}, {Name: "damaged", Value: false}}, func(s *ui.Screen) {
		s.Printf("%s of %s checked: nothing is damaged\n", name, wording.Count(pages, "page"))
	})
}

func backupCommand() *cli.Command {
	return &cli.Command{
		Name:      "backup",
		Usage:     "copy a store",
		UsageText: "mdpsolve store backup --store FILE --out COPY",
		Description: `Writes a copy of a store that all verbs can use. COPY is only replaced once the copy is
whole and on disk; a file that is there must be a store that no process has open. While
"mdpsolve store serve" has the store open, let the server make copies: see its flags
--backup and --backup-every.

Examples:
  mdpsolve store backup --store pages.db --out backup.db`,
		Flags:  []cli.Flag{storeFlag(), ui.ValueFlag("out", "write the copy to `FILE`", "")},
		Action: ui.Action(backup),
	}
}

func backup(a *ui.Arguments) error {
	a.Text("out", "a file for the copy")
	out := lists.CopyFile(a, "out")
	return lists.ReadStore(a, func(s *store.Store) error {
		if err := lists.Backup(s, out); err != nil {
			return err
		}
		return printWritten(a, s.Counts().Pages, "page", out)
	})
}
