// This file chooses the pages of a run.

package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/revisit"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// objective is what the store chooses pages for: copies that are out of date for as short as can
// be, as FRESHNESS.md advises for pages of the same weight that are fetched about once a week.
const objective = "age"

// chooser returns what says which page is fetched next. In the model of the robots each fetch brings
// a page, and it does not matter which: they take turns. With Revisits it does matter, and a
// [store.Store] decides, which learns how often each page changes. Its errors are handed to failed;
// close removes it.
func (s Settings) chooser(ctx context.Context, web *site.Site, failed func(error)) (chooser crawl.Chooser, closeChooser func() error, err error) {
	var pages []revisit.Page
	var urls []string
	for _, p := range web.Pages() {
		pages = append(pages, revisit.Page{ID: p.URL})
		urls = append(urls, p.URL)
	}
	if s.Reality&Revisits == 0 {
		return crawl.NewRoundRobin(urls), func() error { return nil }, nil
	}
	folder, err := os.MkdirTemp("", "crawler-store")
	if err != nil {
		return nil, nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	kept, err := store.Create(ctx, filepath.Join(folder, "pages.db"), store.Settings{Bandwidth: s.bandwidth(), Objective: objective})
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	stored := revisit.NewStore(kept, len(pages)/10) // at a time: each time is a write to disk
	closeChooser = func() error { return errors.Join(stored.Close(), remove()) }
	if err := stored.Add(time.Now(), pages...); err != nil {
		return nil, nil, errors.Join(err, closeChooser())
	}
	return revisit.ForCrawler(stored, func(err error) { failed(fmt.Errorf("choose a page: %w", err)) }), closeChooser, nil
}

// bandwidth is the number of fetches per day, of the clock, that bring about as many pages as can be
// indexed. Where robots are faster than that they wait until a page is due.
func (s Settings) bandwidth() float64 {
	return s.ServiceRate * s.Reality.fetches() * float64(24*time.Hour) / float64(s.Unit)
}
