package store

// The verbs that change the pages of a store: store add, store remove and store record.

import (
	"errors"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

func addCommand() *cli.Command {
	return &cli.Command{
		Name:      "add",
		Usage:     "add pages to a store, or change their host and weight",
		UsageText: "mdpsolve store add --store FILE (--input PAGES [--new] | --sitemap FILE | --input FILE --from F)",
		Description: `PAGES has the column id (or url) and, optionally, host (default: that of
the URL), weight (default: 1), least_interval and greatest_interval (such as 10min or 14d),
which override the settings of the store. Pages that are already in the store get the new host,
weight and intervals, and keep their history. With --new, pages that are already in the store
do not change.

--sitemap adds the pages of a sitemap. A page whose lastmod is later than its last access is
due at once. For a new page, changefreq is a first guess of the change rate, until accesses
tell more; the weight is the priority divided by 0.5. If FILE is an index of sitemaps, the verb
prints their URLs: fetch and add these.

--from reads the files of other programs; pages in the store keep their data.

` + waysText() + `

A server log adds no pages; --site https://a.example says where its paths belong.

` + inputText + `

Examples:
  mdpsolve store add --store pages.db --input pages.csv
  mdpsolve store add --store pages.db --input found.csv --new
  mdpsolve store add --store pages.db --sitemap sitemap.xml
  mdpsolve store add --store pages.db --input index.cdx --from cdx`,
		Flags: []cli.Flag{
			lists.InputFlag("pages"), storeFlag(), ui.SwitchFlag("new", "add new pages only"),
			ui.ValueFlag("sitemap", "add the pages of the sitemap `FILE`; - is standard input", ""),
			&ui.ChoiceFlag{StringFlag: ui.ValueFlag("from", "read --input as `F`: "+wording.Alternatives(wayNames()), ""), Choices: wayNames()},
			ui.ValueFlag("site", "of a server log: put `URL` before its paths", ""),
			nowFlag("take `TIME` as the present, such as 2026-01-31T15:00:00Z"), ui.OutputFlag(),
		},
		Action: ui.Action(func(a *ui.Arguments) error {
			way, flag, isWay := readWay(a)
			a.OnlyWith("now", "sitemap or --from", isWay)
			return lists.WithStore(a, func(s *store.Store) error {
				if isWay {
					return addFound(a, s, way, flag)
				}
				return add(a, s)
			})
		}),
	}
}

func add(a *ui.Arguments, s *store.Store) error {
	read, before := 0, s.Counts().Pages
	onlyNew := a.CLI.Bool("new")
	err := readRows(a, "input", pagefile.EachPage, lineOfPage, pageOf, func(_ *input, pages []store.Page) error {
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

// printChange prints how many pages were read, and how many of them were added or removed, by a
// key for programs and a word.
func printChange(a *ui.Arguments, s *store.Store, read int, key, word string, n int) error {
	pages := s.Counts().Pages
	return a.PrintRecord(ui.Record{{Name: "read", Value: read}, {Name: key, Value: n}, {Name: "pages", Value: pages}}, func(screen *ui.Screen) {
		screen.Printf("%s read, %d %s: the store has %d\n", wording.Count(read, "page"), n, word, pages)
	})
}

func lineOfPage(row pagefile.Page) int { return row.Line }

func pageOf(in *input, row pagefile.Page) (store.Page, error) {
	page := store.Page{ID: row.ID, Host: row.Host, Weight: row.Weight, Intervals: row.Intervals}
	if err := page.Validate(); err != nil {
		return page, in.faultf(row.Line, "%v", err)
	}
	return page, nil
}

func removeCommand() *cli.Command {
	return &cli.Command{
		Name:      "remove",
		Usage:     "remove pages and their history from a store",
		UsageText: "mdpsolve store remove --store FILE --input PAGES",
		Description: `PAGES has the column id (or url). Pages that are not in the store are ignored.

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
	err := readRows(a, "input", pagefile.EachID, lineOfPage, idOf, func(_ *input, ids []string) error {
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
		Usage:     "record accesses to pages and their outcomes",
		UsageText: "mdpsolve store record --store FILE --input ACCESSES [--now TIME]",
		Description: `ACCESSES is in the order of time, and has id and at least one more of the columns

  id (or url)  of the page
  time         such as 2026-01-31T15:00:00Z (default: now)
  changed      true or false: has the page changed since the access before?
  digest       instead of changed, such as a hash: a new digest shows that the page has
               changed
  status       ok (or empty), failed, denied, gone, or an HTTP status; 2xx found the page,
               304 found it unchanged, 404 and 410 found it gone, 401, 403 and 451 were
               denied, others failed, also 0, 999 and the negative ones that crawlers write
  redirect     the URL that the page has moved to for good, or its path: with status 301,
               308, 2xx, ok or none. It takes the page's place, with its history, weight and
               intervals

A failed access, or one with neither changed nor digest, says nothing about changes. The first
access to a page needs neither. A page that was not found is due again at growing intervals:
see --retries of mdpsolve store set. So is a page with the digest of many others of its host:
it may be an error page without status 404.

Two kinds of accesses are left out and counted: those to pages that are not in the store, and
those that are not later than the last access to the same page. So recording a file twice does
no harm. A time more than a day in the future is refused. If a clock was wrong and the last
access is in the future, the next access replaces it.

` + inputText + `

Examples:
  mdpsolve store record --store pages.db --input visits.csv
  crawler | mdpsolve store record --store pages.db --input -`,
		Flags: []cli.Flag{lists.InputFlag("accesses"), storeFlag(), nowFlag("take `TIME` as the present, such as 2026-01-31T15:00:00Z"), ui.OutputFlag()},
		Action: ui.Action(func(a *ui.Arguments) error {
			return lists.WithStore(a, func(s *store.Store) error { return record(a, s) })
		}),
	}
}

// clocksDiffer is how far the clock of a crawler may be ahead.
const clocksDiffer = 24 * time.Hour

func record(a *ui.Arguments, s *store.Store) error {
	defer lists.SaveMemory()()
	clock := clockOf(a)
	read, unknown, notLater, telling := 0, 0, 0, 0
	var latest time.Time // of the log
	isSorted := true
	type visitOfLine struct {
		store.Visit
		line int
	}
	lineOf := func(row pagefile.Visit) int { return row.Line }
	parse := func(in *input, row pagefile.Visit) (visitOfLine, error) {
		now := clock()
		visit := visitOf(&row, now)
		if visit.Time.After(now.Add(clocksDiffer)) {
			return visitOfLine{}, in.faultf(row.Line, "time %s is not valid: use a time up to a day after now, %s, or another --now",
				visit.Time.Format(time.RFC3339Nano), now.UTC().Format(time.RFC3339))
		}
		if err := visit.Validate(); err != nil {
			return visitOfLine{}, in.faultf(row.Line, "%v", err)
		}
		return visitOfLine{visit, row.Line}, nil
	}
	err := readRows(a, "input", pagefile.EachVisit, lineOf, parse, func(in *input, rows []visitOfLine) error {
		visits := make([]store.Visit, len(rows))
		for i := range rows {
			visits[i] = rows[i].Visit
			isSorted = isSorted && !visits[i].Time.Before(latest)
			latest = visits[i].Time
			if visits[i].Outcome != store.Found || visits[i].Digest != nil {
				telling++
			}
		}
		read += len(rows)
		err := s.RecordAt(clock(), visits...)
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
	if notLater > 0 && !isSorted {
		a.Warn("the log is not in the order of time, so earlier accesses were left out: sort it before you record it")
	}
	if read > 0 && unknown == read {
		a.Warn("no access is to a page of the store: store add --input adds the pages of a log")
	}
	return a.PrintRecord(ui.Record{
		{Name: "read", Value: read}, {Name: "recorded", Value: recorded}, {Name: "no_such_page", Value: unknown}, {Name: "not_later", Value: notLater},
	}, func(screen *ui.Screen) {
		screen.Printf("%s read, %d recorded", wording.Count(read, "access"), recorded)
		if read > recorded {
			screen.Printf("; left out: %d to pages that are not in the store, %d not later than the last access to the same page", unknown, notLater)
		}
		if read > 0 && telling == 0 {
			screen.Printf("; no access says whether its page has changed: add the column changed or digest")
		}
		screen.Printf("\n")
	})
}

// visitOf returns the visit of a row; without a time it was now.
func visitOf(row *pagefile.Visit, now time.Time) store.Visit {
	visit := store.Visit{ID: row.ID, Time: row.Time, Outcome: row.Outcome, Digest: row.Digest, Target: row.Target}
	if visit.Time.IsZero() {
		visit.Time = now
	}
	return visit
}
