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
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

func outFlag() cli.Flag {
	return ui.ValueFlag("out", "write to `FILE`: .csv, .jsonl or .parquet (default: CSV to standard output)", "")
}

// writeRows writes n rows, one for each page or access.
func writeRows[T any](a *ui.Arguments, out lists.Out, n int, what string, row func(i int) T, without ...string) error {
	interrupted, err := lists.WriteWhole(a, func(ctx context.Context) error { return lists.WriteRows(ctx, out, n, row, without...) })
	if err == nil && out.Name != "" {
		err = printWritten(a, n, what, out.Name)
	}
	if err != nil {
		return err
	}
	return lists.EndOfWriting(interrupted, "the pages")
}

func dueCommand() *cli.Command {
	return &cli.Command{
		Name:      "due",
		Usage:     "list the pages that are due for an access",
		UsageText: "mdpsolve store due --store FILE --most N [--now TIME] [--host H]",
		Description: `Writes up to N pages that are due, with the columns id and host: first those
whose greatest interval sets their rate, then the others, in each group those with the earliest
deadlines first. A page is due one interval, 1/rate, after its last access; its deadline is one
interval later. A warning counts pages past their deadline for which the list has no room.
A new page is due at once. A host with a politeness delay has at most one page in the list; its
next page is due after the delay. The verb does not change the store: pages stay due until an
access is recorded.

With --per-host, --until or --bandwidth-by, the list has the column time: the earliest time of
the access that keeps politeness delays. --per-host lists up to K pages of a host that are due
now. --until also lists pages that become due by then, several times if they are due so often.
The accesses are spread evenly, as many as the bandwidth of the store and --most allow; pages may
come up to half an interval early. --bandwidth-by makes them as fast as FILE allows: its columns are
bandwidth (3000/hour) and, optionally, hour (7 or 22-6) and day (sun or mon-fri), in UTC. The
first row that fits an hour counts; an hour without a row has no accesses.

--for nutch writes one URL a line, for nutch freegen. --for heritrix writes a journal:
move it to the action directory of a job. If its name ends in .force, Heritrix also
fetches pages that it knows.

Examples:
  mdpsolve store due --store pages.db --most 1000
  mdpsolve store due --store pages.db --most 1000 --per-host 50 --for nutch --out due.txt
  mdpsolve store due --store pages.db --most 1000 --for heritrix --out due.force
  mdpsolve store due --store pages.db --most 1000 --now 2026-02-01T06:00:00Z --out due.csv`,
		Flags: []cli.Flag{
			storeFlag(), ui.ValueFlag("most", "list at most `N` pages", ""),
			nowFlag("list what is due at `TIME`, such as 2026-01-31T15:00:00Z (default: now)"),
			ui.ValueFlag("host", "list only pages of the host `H`", ""),
			ui.ValueFlag("per-host", "list at most `K` pages of a host, with the delay between them", ""),
			ui.ValueFlag("until", "list what is due until `T`: a time, or a duration such as 6h", ""),
			ui.ValueFlag("bandwidth-by", "read the bandwidth by hour and day of the week from `FILE`", ""),
			&ui.ChoiceFlag{StringFlag: ui.ValueFlag("for", "write for the crawler `C`: heritrix or nutch", ""), Choices: slices.Sorted(maps.Keys(lineBefore))},
			outFlag(),
		},
		Action: ui.Action(due),
	}
}

// warn says why the rates of a store are less good than they could be.
func warn(a *ui.Arguments, s *store.Store) error {
	if s.Plain() {
		lists.WarnOfPlainPrior(a)
	}
	factor, err := s.Stretched()
	if factor > 1+1e-6 {
		a.Warn("greatest intervals do not fit into the bandwidth and the delays of hosts: they are stretched up to %s times", ui.ShortText(factor, 3))
	}
	return err
}

// dueRow is a row of a list of what is due; batches also have times.
type dueRow struct {
	ID   []byte `parquet:"id,string"`
	Host []byte `parquet:"host,string,dict"`
	Time int64  `parquet:"time,timestamp(millisecond)"`
}

func due(a *ui.Arguments) error {
	named := lists.OutFile
	if a.CLI.IsSet("for") {
		named = lists.TextFile
	}
	out := named(a, "out")
	request := store.Request{Most: a.Whole("most", 1), Host: a.CLI.String("host"), Now: clockOf(a)()}
	find, isBatch := readBatch(a, request)
	return lists.ReadStore(a, func(s *store.Store) error {
		pages, err := find(s)
		if err != nil {
			return listFault(a, err)
		}
		if err := warn(a, s); err != nil {
			return err
		}
		if !isBatch {
			more, overdue, err := s.Backlog(request.Now)
			if err != nil {
				return err
			}
			if overdue > 0 {
				a.Warn("%d more pages are due, %d of them overdue by more than an interval: access more pages, or lower the bandwidth or the delays of their hosts", more, overdue)
			}
		}
		if a.CLI.IsSet("for") {
			return writeLines(a, out.Name, lineBefore[a.Choice("for")], pages)
		}
		what, without := "access", []string(nil)
		if !isBatch {
			what, without = "page", []string{"time"}
		}
		return writeRows(a, out, len(pages), what, func(i int) dueRow {
			return dueRow{[]byte(pages[i].ID), []byte(pages[i].Host), pages[i].Time.UnixMilli()}
		}, without...)
	})
}

// readBatch returns what finds the pages of a request: those that are due now, or a batch.
func readBatch(a *ui.Arguments, request store.Request) (find func(*store.Store) ([]store.Planned, error), isBatch bool) {
	batch := store.Batch{Request: request}
	if a.CLI.IsSet("per-host") {
		batch.MostOfHost = a.Whole("per-host", 1)
	}
	if a.CLI.IsSet("until") {
		batch.Until = readUntil(a, request.Now)
	}
	if a.CLI.IsSet("bandwidth-by") {
		week, _ := lists.Read(a, "bandwidth-by", "bandwidth", pagefile.Options{Strict: true}, pagefile.ReadWeek)
		batch.Week = (*store.Week)(week)
		if batch.Week.Mean() == 0 {
			a.Fault("bandwidth-by", "%s has no bandwidth above 0: give at least one", a.CLI.String("bandwidth-by"))
		}
	}
	if batch.MostOfHost > 0 || batch.Week != nil || !batch.Until.IsZero() {
		return func(s *store.Store) ([]store.Planned, error) {
			batch := batch
			if bandwidth := s.Settings().Bandwidth; batch.Week != nil {
				warnOfMean(a, batch.Week.Mean(), bandwidth)
			} else if !batch.Until.IsZero() {
				batch.Week = store.EvenWeek(min(bandwidth, float64(request.Most)/(batch.Until.Sub(request.Now).Hours()/24)))
			}
			planned, err := s.Plan(a.CLI.Context, batch)
			if a.CLI.IsSet("for") { // without times, each page once
				listed := map[string]bool{}
				planned = slices.DeleteFunc(planned, func(p store.Planned) bool {
					again := listed[p.ID]
					listed[p.ID] = true
					return again
				})
			}
			return planned, err
		}, true
	}
	return func(s *store.Store) (due []store.Planned, err error) {
		pages, err := s.Due(a.CLI.Context, request)
		for _, page := range pages {
			due = append(due, store.Planned{Page: page})
		}
		return due, err
	}, false
}

// readUntil reads --until: a point in time, or a duration from now on.
func readUntil(a *ui.Arguments, now time.Time) time.Time {
	text := a.CLI.String("until")
	until, err := unit.ParseTime(text)
	if err != nil {
		var length float64
		var own unit.Unit
		if length, own, err = unit.ParseDuration(text); err == nil && own != unit.Unknown && length < 1e5 {
			until = now.Add(time.Duration(unit.Duration(length, own, unit.Second) * float64(time.Second)))
		}
	}
	if !until.After(now) || until.Year() > 2261 { // stores count nanoseconds
		a.Fault("until", "%q is not valid: use a time after now, such as 2026-01-31T15:00:00Z, or a duration such as 6h", text)
	}
	return until
}

// warnOfMean warns if the bandwidth of a week is not that for which the rates are best.
func warnOfMean(a *ui.Arguments, mean, own float64) {
	const same = 0.01
	if mean < own*(1-same) || mean > own*(1+same) {
		a.Warn("--bandwidth-by: %s allows %s accesses per day on average, and the rates are for %s: use store set --bandwidth %s/day",
			a.CLI.String("bandwidth-by"), ui.ShortText(mean, 6), ui.ShortText(own, 6), ui.ShortText(mean, 6))
	}
}

// lineBefore is the text before each URL in the files of other crawlers. That of Heritrix is a
// directive of its recovery journal.
var lineBefore = map[string]string{"nutch": "", "heritrix": "F+ "}

// writeLines writes URLs, one a line. It refuses an ID that is no URL or has several lines.
func writeLines(a *ui.Arguments, name, before string, pages []store.Planned) error {
	write := func(out io.Writer) error {
		buffered := bufio.NewWriter(out)
		for _, page := range pages {
			if _, isURL := urlhost.Of([]byte(page.ID)); !isURL {
				return ui.UsageErrorf("--for: the ID %q is not a URL: leave --for out, or remove the page with \"mdpsolve store remove\"", page.ID)
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
	return printWritten(a, len(pages), "page", name)
}

func printWritten(a *ui.Arguments, n int, what, name string) error {
	_, err := fmt.Fprintf(a.CLI.App.Writer, "%s written to %s\n", wording.Count(n, what), name)
	return err
}

// listFault words why there is no list.
func listFault(a *ui.Arguments, err error) error {
	if a.CLI.Err() != nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted: nothing was written")
	}
	return err
}

func ratesCommand() *cli.Command {
	return &cli.Command{
		Name:      "rates",
		Usage:     "list all pages with their best access rates",
		UsageText: "mdpsolve store rates --store FILE [--host H] [--gone] [--out FILE]",
		Description: `Writes the pages of a store, without those that are gone, with the columns

  id, host, weight
  change_rate  estimated changes per day
  rate         the best number of accesses per day
  visits       the number of accesses so far
  changes      the number of accesses that saw a change
  visited      the time of the last access
  outcome      of the last access: changed, unchanged, found, failed, denied or gone
  unit         the unit of the rates: day
  standard_error  that of change_rate

The verbs of mdpsolve refresh read this list.

Examples:
  mdpsolve store rates --store pages.db --out rates.parquet`,
		Flags: []cli.Flag{
			storeFlag(), ui.ValueFlag("host", "list only pages of the host `H`", ""),
			ui.SwitchFlag("gone", "also list pages that are gone, with the rate 0"), outFlag(),
		},
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
	Error      float64 `parquet:"standard_error"`
}

func rates(a *ui.Arguments) error {
	out := lists.OutFile(a, "out")
	return lists.ReadStore(a, func(s *store.Store) error {
		if err := s.Learn(a.CLI.Context); err != nil {
			return listFault(a, err)
		}
		if err := warn(a, s); err != nil {
			return err
		}
		var rows []rateRow
		for page, err := range s.Pages(a.CLI.String("host")) {
			if err == nil {
				err = a.CLI.Err()
			}
			if err != nil {
				return listFault(a, err)
			}
			if page.Outcome == store.Gone && !a.CLI.Bool("gone") {
				continue
			}
			row := rateRow{
				ID: []byte(page.ID), Host: []byte(page.Host), Weight: page.Weight, ChangeRate: page.ChangeRate, Rate: page.Rate,
				Visits: page.Visits, Changes: page.Changes, Unit: []byte(unit.Day.String()),
				Error: page.StandardError,
			}
			if !page.Visited.IsZero() {
				row.Visited, row.Outcome = page.Visited.AppendFormat(nil, time.RFC3339), []byte(page.Outcome.String())
			}
			rows = append(rows, row)
		}
		return writeRows(a, out, len(rows), "page", func(i int) rateRow { return rows[i] })
	})
}
