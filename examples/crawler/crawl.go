// This file has the crawler: robots that fetch pages into a bounded queue, and one indexer.

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
)

// A document is the text of a page, on its way to the index.
type document struct{ address, text string }

// crawler is one crawl. Its controller decides how many robots fetch, and its frontier which pages.
type crawler struct {
	robots  int
	pages   *frontier
	fetcher *fetcher
	texts   *index
	control *controller.Adaptive
	counts  *tally
	service func() time.Duration // the least time that indexing a page takes

	wake  chan struct{} // one element for each robot to activate
	queue chan document
	mu    sync.Mutex // the controller and the counts see the same order of events
}

func newCrawler(robots, buffer int, pages *frontier, f *fetcher, texts *index, control *controller.Adaptive, counts *tally, service func() time.Duration) *crawler {
	return &crawler{
		robots: robots, pages: pages, fetcher: f, texts: texts, control: control, counts: counts, service: service,
		wake: make(chan struct{}, robots), queue: make(chan document, buffer),
	}
}

// run crawls until ctx ends: robots give up what they are fetching.
func (c *crawler) run(ctx context.Context) error {
	queue, active := c.control.Counts()
	c.counts.set(time.Now(), queue, active)
	for range active {
		c.wake <- struct{}{}
	}
	workers := pool.New().WithErrors().WithContext(ctx).WithCancelOnError().WithFirstError()
	for range c.robots {
		workers.Go(c.robot)
	}
	workers.Go(c.indexer)
	return workers.Wait()
}

// robot rests until it is activated, and then fetches until the controller lets it rest.
func (c *crawler) robot(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.wake:
		}
		for again := true; again; {
			var err error
			if again, err = c.visit(ctx); ctx.Err() != nil {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
}

// visit fetches the page that is due, and reports whether the robot goes on.
func (c *crawler) visit(ctx context.Context) (again bool, err error) {
	page, wait, err := c.pages.next(ctx, time.Now())
	if err != nil {
		return false, err
	}
	if page == nil {
		const most = time.Second // another robot may find links meanwhile
		pause(ctx, min(wait, most))
		return true, nil
	}
	f, err := c.fetcher.fetch(ctx, page.ID, page.Note)
	if ctx.Err() != nil {
		return false, nil // the visit has not taken place
	}
	if err != nil {
		f = fetched{outcome: store.Failed}
	}
	c.counts.fetched(f.outcome)
	again = true
	if f.text != "" {
		d, err := c.deliver(document{page.ID, f.text})
		if err != nil {
			return false, err
		}
		if again = d.Reactivate; !d.Accepted {
			f.note = nil // so that the next fetch asks for the whole page again
		}
	}
	if err := c.pages.visited(page.ID, time.Now(), f); err != nil {
		return false, err
	}
	return again, c.pages.add(f.links)
}

// deliver brings a page to the queue. It is lost if the queue is full.
func (c *crawler) deliver(d document) (controller.Delivery, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delivery, err := c.control.Deliver(0)
	if err != nil {
		return delivery, err
	}
	if delivery.Accepted {
		c.queue <- d // never waits: the controller counts the same pages
	}
	queue, active := c.control.Counts()
	c.counts.delivered(time.Now(), queue, active, delivery.Accepted)
	return delivery, nil
}

// indexer indexes one page after the other.
func (c *crawler) indexer(ctx context.Context) error {
	for {
		var d document
		select {
		case <-ctx.Done():
			return nil
		case d = <-c.queue:
		}
		begin := time.Now()
		if err := c.texts.add(d); err != nil {
			return fmt.Errorf("index %s: %w", d.address, err)
		}
		pause(ctx, c.service()-time.Since(begin))
		if err := c.indexed(); err != nil {
			return err
		}
	}
}

// indexed tells the controller that a page has left the queue.
func (c *crawler) indexed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	class, err := c.control.Indexed()
	if err != nil {
		return err
	}
	queue, active := c.control.Counts()
	c.counts.indexed(time.Now(), queue, active)
	if class != robots.NoClass {
		c.wake <- struct{}{} // never waits: there are no more elements than resting robots
	}
	return nil
}

// pause waits for a time or until ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
