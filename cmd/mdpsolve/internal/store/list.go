package store

// The verbs that list pages: store due and store rates.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

func outFlag() cli.Flag {
	return ui.ValueFlag("out", "write them to `FILE`: CSV, JSON lines or Parquet, as its name says (default: CSV to standard output)", "")
}

// writeRows writes n rows, a page in each.
func writeRows[T any](a *ui.Arguments, out lists.Out, n int, row func(i int) T) error {
	interrupted, err := lists.WriteWhole(a, func(ctx context.Context) error { return lists.WriteRows(ctx, out, n, row) })
	if err == nil && out.Name != "" {
		err = printWritten(a, n, out.Name)
	}
	if err != nil {
		return err
	}
	return lists.EndOfWriting(interrupted, "the pages")
}

func dueCommand() *cli.Command {
	return &cli.Command{
		Name:      "due",
		Usage:     "list the pages that are to be visited now",
		UsageText: "mdpsolve store due --store FILE --most N [--now T] [--host H]",
		Description: `Writes up to N pages that are due, those of the earliest deadlines first, with the
columns id and host. Each page comes up once in every interval of its rate; of a
host with a delay there is one page, as the next is not due before the delay has
passed. Nothing changes in the store: pages stay due until a visit is recorded.

With --for nutch there is one URL a line, which nutch freegen makes a segment of, and
with --for heritrix a journal to be moved into the action directory of a job, with a
name that ends in .force, so that pages are fetched again that Heritrix knows.

Examples:
  mdpsolve store due --store pages.db --most 1000
  mdpsolve store due --store pages.db --most 1000 --for nutch --out due.txt
  mdpsolve store due --store pages.db --most 1000 --for heritrix --out due.force
  mdpsolve store due --store pages.db --most 1000 --now 2026-02-01T06:00:00Z --out due.csv`,
		Flags: []cli.Flag{
			storeFlag(), ui.ValueFlag("most", "list `N` pages at most", ""),
			nowFlag("list what is due at the time `T`, such as 2026-01-31T15:00:00Z (default: now)"),
			ui.ValueFlag("host", "list pages of the host `H` alone", ""),
			&ui.ChoiceFlag{StringFlag: ui.ValueFlag("for", "write them as the crawler `C` reads them: nutch or heritrix", ""), Choices: slices.Sorted(maps.Keys(lineBefore))},
			outFlag(),
		},
		Action: ui.Action(due),
	}
}

// dueRow is a row of a list of what is due.
type dueRow struct {
	ID   []byte `parquet:"id,string"`
	Host []byte `parquet:"host,string,dict"`
}

func due(a *ui.Arguments) error {
	named := lists.OutFile
	if a.CLI.IsSet("for") {
		named = lists.TextFile
	}
	out := named(a, "out")
	request := store.Request{Most: a.Whole("most", 1), Host: a.CLI.String("host"), Now: clockOf(a)()}
	return lists.WithStore(a, func(s *store.Store) error {
		pages, err := s.Due(a.CLI.Context, request)
		if err != nil {
			return listFault(a, err)
		}
		if a.CLI.IsSet("for") {
			return writeLines(a, out.Name, lineBefore[a.Choice("for")], pages)
		}
		return writeRows(a, out, len(pages), func(i int) dueRow { return dueRow{[]byte(pages[i].ID), []byte(pages[i].Host)} })
	})
}

// lineBefore is what stands before each URL in the files of other crawlers. That of
// Heritrix is a directive of its recovery journal.
var lineBefore = map[string]string{"nutch": "", "heritrix": "F+ "}

// writeLines writes URLs, one a line. An ID that is no URL, or takes two lines, is refused.
func writeLines(a *ui.Arguments, name, before string, pages []store.Page) error {
	write := func(out io.Writer) error {
		buffered := bufio.NewWriter(out)
		for _, page := range pages {
			if _, isURL := urlhost.Of([]byte(page.ID)); !isURL {
				return ui.UsageErrorf("--for: the ID %q is no URL: leave --for out, or take the page out by store remove", page.ID)
			}
			if strings.ContainsAny(page.ID, "\r\n") {
				return ui.UsageErrorf("--for: the ID %q has more than one line: leave --for out", page.ID)
			}
			fmt.Fprintf(buffered, "%s%s\n", before, page.ID)
		}
		return buffered.Flush()
	}
	if name == "" {
		return write(a.CLI.App.Writer)
	}
	const mode = 0o666 // users' own masks apply
	if err := wholefile.Write(name, mode, func(file *wholefile.File) error { return write(file) }); err != nil {
		return err
	}
	return printWritten(a, len(pages), name)
}

func printWritten(a *ui.Arguments, n int, name string) error {
	_, err := fmt.Fprintf(a.CLI.App.Writer, "%s written to %s\n", ui.Count(n, "page"), name)
	return err
}

// listFault words what has kept a list from being made.
func listFault(a *ui.Arguments, err error) error {
	if a.CLI.Err() != nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted before there was a list")
	}
	return err
}

func ratesCommand() *cli.Command {
	return &cli.Command{
		Name:      "rates",
		Usage:     "list all pages, with their best rates",
		UsageText: "mdpsolve store rates --store FILE [--host H] [--out FILE]",
		Description: `Writes the pages of a store with the columns

  id, host, weight
  change_rate      estimated, per day
  rate             the best number of visits per day, 0 for pages that are gone
  visits, changes  counted so far: all visits, and those that saw a change
  visited          time of the last visit
  outcome          what came of it: changed, unchanged, found, failed or gone
  unit             of the rates: day

The verbs of mdpsolve refresh can read them.

Examples:
  mdpsolve store rates --store pages.db --out rates.parquet`,
		Flags:  []cli.Flag{storeFlag(), ui.ValueFlag("host", "list pages of the host `H` alone", ""), outFlag()},
		Action: ui.Action(rates),
	}
}

// rateRow is a row of the list of all pages.
type rateRow struct {
	ID         []byte  `parquet:"id,string"`
	Host       []byte  `parquet:"host,string,dict"`
	Weight     float64 `parquet:"weight"`
	ChangeRate float64 `parquet:"change_rate"`
	Rate       float64 `parquet:"rate"`
	Visits     int64   `parquet:"visits"`
	Changes    int64   `parquet:"changes"`
	Visited    []byte  `parquet:"visited,string"`
	Outcome    []byte  `parquet:"outcome,string,dict"`
	Unit       []byte  `parquet:"unit,string,dict"`
}

func rates(a *ui.Arguments) error {
	out := lists.OutFile(a, "out")
	return lists.WithStore(a, func(s *store.Store) error {
		if err := s.Learn(a.CLI.Context); err != nil {
			return listFault(a, err)
		}
		var rows []rateRow
		for page, err := range s.Pages(a.CLI.String("host")) {
			if err == nil {
				err = a.CLI.Err()
			}
			if err != nil {
				return listFault(a, err)
			}
			row := rateRow{
				ID: []byte(page.ID), Host: []byte(page.Host), Weight: page.Weight, ChangeRate: page.ChangeRate, Rate: page.Rate,
				Visits: page.Visits, Changes: page.Changes, Unit: []byte(unit.Day.String()),
			}
			if !page.Visited.IsZero() {
				row.Visited, row.Outcome = page.Visited.AppendFormat(nil, time.RFC3339), []byte(page.Outcome.String())
			}
			rows = append(rows, row)
		}
		return writeRows(a, out, len(rows), func(i int) rateRow { return rows[i] })
	})
}
