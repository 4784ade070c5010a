package store

// The verbs that change what a store knows: store add, store remove and store record.

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

func addCommand() *cli.Command {
	return &cli.Command{
		Name:      "add",
		Usage:     "add pages to a store, or change them",
		UsageText: "mdpsolve store add --store FILE --input PAGES [--new]",
		Description: `PAGES has the column id (or url) and, optional, host (that of the URL) and weight (1).
Pages that are in the store get the new host and weight; what is known from their
visits stays. With --new they stay as they are. A.example, a.example and a.example.
(with a dot behind it) are one host.

` + inputText + `

Examples:
  mdpsolve store add --store pages.db --input pages.csv
  mdpsolve store add --store pages.db --input found.csv --new`,
		Flags: []cli.Flag{lists.InputFlag("pages"), storeFlag(), ui.SwitchFlag("new", "leave pages as they are that are in the store"), ui.OutputFlag()},
		Action: ui.Action(func(a *ui.Arguments) error {
			return lists.WithStore(a, func(s *store.Store) error { return add(a, s) })
		}),
	}
}

func add(a *ui.Arguments, s *store.Store) error {
	read, before := 0, s.Counts().Pages
	onlyNew := a.CLI.Bool("new")
	err := readRows(a, pagefile.EachPage, lineOfPage, pageOf, func(_ *input, pages []store.Page) error {
		read += len(pages)
		if onlyNew {
			_, err := s.Add(pages...)
			return err
		}
		return s.Put(pages...)
	})
	if err != nil {
		return err
	}
	return printChange(a, s, read, "added", "new", s.Counts().Pages-before)
}

// printChange prints how many pages have been read, and what came of n of them: a key for programs,
// and a word.
func printChange(a *ui.Arguments, s *store.Store, read int, key, word string, n int) error {
	pages := s.Counts().Pages
	return a.PrintRecord(ui.Record{{Name: "read", Value: read}, {Name: key, Value: n}, {Name: "pages", Value: pages}}, func(screen *ui.Screen) {
		screen.Printf("%s read, %d %s: the store has %d\n", ui.Count(read, "page"), n, word, pages)
	})
}

func lineOfPage(row pagefile.Page) int { return row.Line }

func pageOf(in *input, row pagefile.Page) (store.Page, error) {
	page := store.Page{ID: row.ID, Host: row.Host, Weight: row.Weight}
	if err := page.Validate(); err != nil {
		return page, in.faultf(row.Line, "%v", err)
	}
	return page, nil
}

func removeCommand() *cli.Command {
	return &cli.Command{
		Name:      "remove",
		Usage:     "remove pages from a store, with all that is known of them",
		UsageText: "mdpsolve store remove --store FILE --input PAGES",
		Description: `PAGES has the column id (or url). Pages that are not in the store are counted.

` + inputText + `

Examples:
  mdpsolve store remove --store pages.db --input left.csv`,
		Flags: []cli.Flag{lists.InputFlag("pages"), storeFlag(), ui.OutputFlag()},
		Action: ui.Action(func(a *ui.Arguments) error {
			return lists.WithStore(a, func(s *store.Store) error { return remove(a, s) })
		}),
	}
}

func remove(a *ui.Arguments, s *store.Store) error {
	read, removed := 0, 0
	idOf := func(_ *input, row pagefile.Page) (string, error) { return row.ID, nil }
	err := readRows(a, pagefile.EachID, lineOfPage, idOf, func(_ *input, ids []string) error {
		read += len(ids)
		n, err := s.Remove(ids...)
		removed += n
		return err
	})
	if err != nil {
		return err
	}
	return printChange(a, s, read, "removed", "removed", removed)
}

func recordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "record visits of pages, and what came of them",
		UsageText: "mdpsolve store record --store FILE --input VISITS [--now T]",
		Description: `VISITS is in the order of time, and has the columns

  id (or url)  of the page
  time         such as 2026-01-31T15:00:00Z; without it, now
  changed      true or false: whether the page has changed since the visit before
  digest       without changed: of what was found, such as a hash; the page has
               changed if it is another one than that of the visit before
  status       ok (or empty), failed, gone, or an HTTP status: 2xx found the page,
               304 found it unchanged, 404 and 410 found it gone, others failed

Nothing is learned about changes from a visit that failed, or has neither changed
nor a digest; the first visit of a page needs neither. A page that is gone is not
visited again, until it is added again. mdpsolve refresh estimate takes such rows
the same way, but wants a status where there is neither changed nor digest.

Visits of pages that are not in the store, or not later than the last one of their
page, are left out and counted: recording a file twice does no harm. A time that is
later than now by more than a day is refused: its page would not be due until then.

` + inputText + `

Examples:
  mdpsolve store record --store pages.db --input visits.csv
  crawler | mdpsolve store record --store pages.db --input -`,
		Flags: []cli.Flag{lists.InputFlag("visits"), storeFlag(), nowFlag("take `T`, such as 2026-01-31T15:00:00Z, for now"), ui.OutputFlag()},
		Action: ui.Action(func(a *ui.Arguments) error {
			return lists.WithStore(a, func(s *store.Store) error { return record(a, s) })
		}),
	}
}

// clocksDiffer is by how much the clock of a crawler may be ahead.
const clocksDiffer = 24 * time.Hour

func record(a *ui.Arguments, s *store.Store) error {
	clock := clockOf(a)
	read, unknown, notLater, telling := 0, 0, 0, 0
	type visitOfLine struct {
		store.Visit
		line int
	}
	lineOf := func(row pagefile.Visit) int { return row.Line }
	parse := func(in *input, row pagefile.Visit) (visitOfLine, error) {
		now := clock()
		visit := visitOf(&row, now)
		if visit.Time.After(now.Add(clocksDiffer)) {
			return visitOfLine{}, in.faultf(row.Line, "time %s is not valid: use one up to a day after now, %s (or --now for another now)",
				visit.Time.Format(time.RFC3339Nano), now.UTC().Format(time.RFC3339))
		}
		return visitOfLine{visit, row.Line}, nil
	}
	err := readRows(a, pagefile.EachVisit, lineOf, parse, func(in *input, rows []visitOfLine) error {
		visits := make([]store.Visit, len(rows))
		for i := range rows {
			visits[i] = rows[i].Visit
			if visits[i].Outcome != store.Found || visits[i].Digest != nil {
				telling++
			}
		}
		read += len(rows)
		err := s.Record(visits...)
		refused, ok := errors.AsType[store.VisitErrors](err)
		if !ok {
			return err
		}
		for _, r := range refused {
			switch {
			case errors.Is(r, store.ErrNoPage):
				unknown++
			case errors.Is(r, store.ErrNotLater):
				notLater++
			default:
				return in.faultf(rows[r.Index].line, "%v", r.Err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	recorded := read - unknown - notLater
	return a.PrintRecord(ui.Record{
		{Name: "read", Value: read}, {Name: "recorded", Value: recorded}, {Name: "no_such_page", Value: unknown}, {Name: "not_later", Value: notLater},
	}, func(screen *ui.Screen) {
		screen.Printf("%s read, %d recorded", ui.Count(read, "visit"), recorded)
		if read > recorded {
			screen.Printf("; left out: %d of pages that are not in the store, %d not later than the last of their page", unknown, notLater)
		}
		if read > 0 && telling == 0 {
			screen.Printf("; none says whether its page has changed: there is no changed, digest or status that does")
		}
		screen.Printf("\n")
	})
}

// visitOf returns the visit of a row, which was now if that has no time.
func visitOf(row *pagefile.Visit, now time.Time) store.Visit {
	visit := store.Visit{ID: row.ID, Time: row.Time, Outcome: row.Outcome, Digest: row.Digest}
	if visit.Time.IsZero() {
		visit.Time = now
	}
	return visit
}
