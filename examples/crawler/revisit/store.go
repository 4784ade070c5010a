package revisit

// The operator's store as a chooser.

import (
	"context"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// Store fetches the pages that are due in a [store.Store]: at the rates that are best for
// the share of the weight that is up to date, for change rates that are estimated from what
// fetches have shown. [NewStore] makes one.
type Store struct {
	store *store.Store
	batch int

	mu    sync.Mutex
	ready []store.Page

	visiting sync.Mutex // another one, so that who wants a page need not wait for visits to be on disk
	visits   []store.Visit
}

// NewStore returns a chooser on a store, which it closes with itself. Pages are asked for by
// the batch, and visits are recorded by it, since each takes a write to disk.
func NewStore(s *store.Store, batch int) *Store { return &Store{store: s, batch: max(batch, 1)} }

// lease is how long a page is out until it is given out again.
const lease = 24 * time.Hour

// Add makes pages known.
func (c *Store) Add(_ time.Time, pages ...Page) error {
	stored := make([]store.Page, len(pages))
	for i, p := range pages {
		stored[i] = store.Page{ID: p.ID, Weight: p.Weight}
	}
	_, err := c.store.Add(stored...)
	return err
}

// Next returns the page to fetch now.
func (c *Store) Next(now time.Time) (id string, wait time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ready) == 0 {
		if err := c.record(); err != nil {
			return "", 0, err
		}
		if c.ready, err = c.store.Due(context.Background(), store.Request{Now: now, Most: c.batch, Lease: lease}); err != nil {
			return "", 0, err
		}
	}
	if len(c.ready) == 0 {
		next := c.store.Next()
		if next.IsZero() {
			return "", never, nil
		}
		return "", max(next.Sub(now), 0), nil
	}
	id, c.ready = c.ready[0].ID, c.ready[1:]
	return id, 0, nil
}

// Fetched says what came of a fetch.
func (c *Store) Fetched(id string, at time.Time, outcome store.Outcome) error {
	c.visiting.Lock()
	c.visits = append(c.visits, store.Visit{ID: id, Time: at, Outcome: outcome})
	full := len(c.visits) >= c.batch
	c.visiting.Unlock()
	if !full {
		return nil
	}
	return c.record()
}

// record writes visits to the store.
func (c *Store) record() error {
	c.visiting.Lock()
	visits := c.visits
	c.visits = nil
	c.visiting.Unlock()
	if len(visits) == 0 {
		return nil
	}
	return c.store.Record(visits...)
}

// Close records what has not been recorded and closes the store.
func (c *Store) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.record()
	if closed := c.store.Close(); err == nil {
		err = closed
	}
	return err
}
