// This file keeps the pages of the site in a store, which says which of them to visit next.

package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// frontier is the store of the pages of one site. The store estimates from the outcomes of visits how
// often each page changes, and hands pages out at the best rates for that. It keeps the politeness
// delay as well.
type frontier struct {
	store *store.Store
	site  *url.URL
	limit int // pages

	mu sync.Mutex // one robot at a time adds pages, so that there are never more than limit
}

// openFrontier opens a store, or makes one with the first page of the site.
func openFrontier(ctx context.Context, file string, site *url.URL, settings store.Settings, limit int) (*frontier, error) {
	s, err := store.Open(ctx, file)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, store.ErrEmpty) {
		s, err = store.Create(ctx, file, settings)
	} else if err == nil {
		settings.Objective = s.Settings().Objective
		err = s.Configure(settings)
	}
	if err != nil {
		return nil, err
	}
	f := &frontier{store: s, site: site, limit: limit}
	return f, f.add([]string{site.String()})
}

func (f *frontier) close() error { return f.store.Close() }

// next returns the page to visit now, or nil and how long to wait for one.
func (f *frontier) next(ctx context.Context, now time.Time) (*store.Page, time.Duration, error) {
	const lease = time.Hour // longer than any fetch takes
	pages, err := f.store.Due(ctx, store.Request{Now: now, Most: 1, Lease: lease})
	if err != nil || len(pages) > 0 {
		return firstOf(pages), 0, err
	}
	next := f.store.Next()
	if next.IsZero() {
		return nil, lease, nil
	}
	return nil, max(next.Sub(now), time.Millisecond), nil
}

func firstOf(pages []store.Page) *store.Page {
	if len(pages) == 0 {
		return nil
	}
	return &pages[0]
}

// visited records the outcome of a visit.
func (f *frontier) visited(address string, at time.Time, found fetched) error {
	if found.retryAfter > 0 {
		if err := f.leaveAlone(found.retryAfter); err != nil {
			return err
		}
	}
	return f.store.Record(store.Visit{ID: address, Time: at, Outcome: found.outcome, Note: found.note})
}

// leaveAlone sends no robot to the site for some time.
func (f *frontier) leaveAlone(wait time.Duration) error {
	return f.store.Block(f.site.Hostname(), time.Now().Add(wait))
}

// setDelay takes up the crawl-delay of robots.txt. The store keeps the longer of it and its own.
func (f *frontier) setDelay(delay time.Duration) error {
	return f.store.SetDelay(f.site.Hostname(), delay)
}

// add adds the pages of the site that links lead to and that are not there yet, up to the limit.
func (f *frontier) add(links []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, link := range links {
		u, err := url.Parse(link)
		if err != nil || u.Scheme != f.site.Scheme || !strings.EqualFold(u.Host, f.site.Host) {
			continue
		}
		if f.store.Counts().Pages >= f.limit {
			return nil
		}
		page := store.Page{ID: link, Host: f.site.Hostname()}
		if page.Validate() != nil {
			continue // too long
		}
		if _, err := f.store.Add(page); err != nil {
			return err
		}
	}
	return nil
}
