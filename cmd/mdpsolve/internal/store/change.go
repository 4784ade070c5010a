package store

// The verbs that change what a store knows: store add, store remove and store record.

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
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
		Flags:  []cli.Flag{storeFlag(), inputFlag("pages"), ui.SwitchFlag("new", "leave pages as they are that are in the store"), ui.OutputFlag()},
		Action: ui.Action(func(a *ui.Arguments) error { return withStore(a, func(s *store.Store) error { return add(a, s) }) }),
	}
}

func add(a *ui.Arguments, s *store.Store) error {
	read, before := 0, s.Counts().Pages
	onlyNew := a.CLI.Bool("new")
	err := readRows(a, []string{"id", "host", "weight"}, pageOf, func(pages []store.Page) error {
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
	return a.PrintRecord(ui.Record{{Name: "read", Value: read}, {Name: "added", Value: s.Counts().Pages - before}, {Name: "pages", Value: s.Counts().Pages}},
		func(screen *ui.Screen) {
			screen.Printf("%s read, %d new: the store has %d\n", ui.Count(read, "page"), s.Counts().Pages-before, s.Counts().Pages)
		})
}

func pageOf(r *row) (store.Page, error) {
	id, err := r.id()
	if err != nil {
		return store.Page{}, err
	}
	page := store.Page{ID: id, Host: r.text("host")}
	if text := r.text("weight"); text != "" && !strings.EqualFold(text, "null") {
		page.Weight, err = number.Parse(text)
		if err != nil || !(page.Weight >= refresh.LeastNumber && page.Weight <= refresh.GreatestNumber) {
			return page, r.faultf("weight", "weight %q is not valid: use a number from 1e-100 to 1e100, or nothing for 1", text)
		}
	}
	if err := page.Validate(); err != nil {
		return page, r.faultf("id", "%v", err)
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
		Flags: []cli.Flag{storeFlag(), inputFlag("pages"), ui.OutputFlag()},
		Action: ui.Action(func(a *ui.Arguments) error {
			return withStore(a, func(s *store.Store) error { return remove(a, s) })
		}),
	}
}

func remove(a *ui.Arguments, s *store.Store) error {
	read, removed := 0, 0
	err := readRows(a, []string{"id"}, (*row).id, func(ids []string) error {
		read += len(ids)
		n, err := s.Remove(ids...)
		removed += n
		return err
	})
	if err != nil {
		return err
	}
	return a.PrintRecord(ui.Record{{Name: "read", Value: read}, {Name: "removed", Value: removed}, {Name: "pages", Value: s.Counts().Pages}},
		func(screen *ui.Screen) {
			screen.Printf("%s read, %d removed: the store has %d\n", ui.Count(read, "page"), removed, s.Counts().Pages)
		})
}

func recordCommand() *cli.Command {
	return &cli.Command{
		Name:      "record",
		Usage:     "record visits of pages, and what came of them",
		UsageText: "mdpsolve store record --store FILE --input VISITS [--now T]",
		Description: `VISITS is in the order of time, and has the columns

  id (or url)  of the page
  time         such as 2026-01-31T15:00:00Z; without it, now
  changed      1 or 0: whether the page has changed since the visit before
  digest       of what was found, such as a hash: changed if it is another one
               than that of the visit before
  status       ok (or empty), failed, gone, or the code of HTTP: 304 is unchanged,
               404 and 410 are gone, other codes from 400 on have failed

Nothing is learned about changes from a visit that failed, or has neither changed
nor a digest; the first visit of a page needs neither. A page that is gone is not
visited again, until it is added again.

Visits of pages that are not in the store, or not later than the last one of their
page, are left out and counted: recording a file twice does no harm. A time that is
later than now by more than a day is refused: its page would not be due until then.

` + inputText + `

Examples:
  mdpsolve store record --store pages.db --input visits.csv
  crawler | mdpsolve store record --store pages.db --input -`,
		Flags: []cli.Flag{storeFlag(), inputFlag("visits"), nowFlag("take `T`, such as 2026-01-31T15:00:00Z, for now"), ui.OutputFlag()},
		Action: ui.Action(func(a *ui.Arguments) error {
			return withStore(a, func(s *store.Store) error { return record(a, s) })
		}),
	}
}

func record(a *ui.Arguments, s *store.Store) error {
	clock := clockOf(a)
	read, unknown, notLater := 0, 0, 0
	type rowOfVisit struct {
		*row
		store.Visit
	}
	err := readRows(a, []string{"id", "time", "changed", "digest", "status"}, func(r *row) (rowOfVisit, error) {
		visit, err := visitOf(r, clock())
		return rowOfVisit{r, visit}, err
	}, func(rows []rowOfVisit) error {
		visits := make([]store.Visit, len(rows))
		for i := range rows {
			visits[i] = rows[i].Visit
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
				return rows[r.Index].faultf("time", "%v", r.Err)
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
		screen.Printf("\n")
	})
}

func visitOf(r *row, now time.Time) (visit store.Visit, err error) {
	visit.Time = now
	if visit.ID, err = r.id(); err != nil {
		return visit, err
	}
	if text := r.text("time"); text != "" {
		if visit.Time, err = unit.ParseTime(text); err != nil {
			return visit, r.faultf("time", "time %v", err)
		}
		const ahead = 24 * time.Hour // that clocks of crawlers may be
		if visit.Time.After(now.Add(ahead)) {
			return visit, r.faultf("time", "time %q is not valid: use one up to a day after now, %s (or --now for another now)", text, now.UTC().Format(time.RFC3339))
		}
	}
	if visit.Outcome, err = outcomeOf(r.text("status")); err != nil {
		return visit, r.faultf("status", "%v", err)
	}
	if visit.Outcome != seen {
		return visit, nil
	}
	visit.Outcome = store.Found
	if digest := r.text("digest"); digest != "" {
		visit.Digest = []byte(digest)
		return visit, nil
	}
	if text := r.text("changed"); text != "" {
		changed, err := strconv.ParseBool(text)
		if err != nil {
			return visit, r.faultf("changed", "changed %q is not valid: use 1 or 0", text)
		}
		visit.Outcome = store.Unchanged
		if changed {
			visit.Outcome = store.Changed
		}
	}
	return visit, nil
}

// seen is no outcome: the other columns say whether the page has changed.
const seen = store.Outcome(255)

// outcomeOf returns what a status says.
func outcomeOf(status string) (store.Outcome, error) {
	switch strings.ToLower(status) {
	case "", "ok":
		return seen, nil
	case "failed":
		return store.Failed, nil
	case "gone":
		return store.Gone, nil
	}
	code, err := strconv.Atoi(status)
	switch {
	case err != nil || code < 100 || code > 599:
		return 0, fmt.Errorf("status %q is not valid: use ok, failed, gone or a code of HTTP", status)
	case code == http.StatusNotModified:
		return store.Unchanged, nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return store.Gone, nil
	case code >= http.StatusBadRequest:
		return store.Failed, nil
	}
	return seen, nil
}
