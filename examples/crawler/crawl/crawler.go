// Package crawl is a crawler: robots that fetch pages over HTTP, a bounded queue, and one indexer.
//
// How many robots fetch is left to a [Switch], and which pages to a [Chooser]. [Observer]s are
// told of all that happens; a [Meter] measures from it what the model of the robots predicts.
package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Page is a page that a robot has delivered.
type Page struct {
	URL  string
	Body []byte
}

// Index takes pages in. It is called from one goroutine.
type Index interface {
	Index(p Page) error
}

// Settings describe a crawler. Client, Switch, Chooser, Index, Robots and Buffer are to be given.
type Settings struct {
	Client  *http.Client // how pages are fetched; its redirects are followed as it says
	Switch  Switch
	Chooser Chooser
	Index   Index

	Robots int // N, robots that there are
	Buffer int // K, pages that the queue holds, the one that is being indexed included

	// Service returns the least time that indexing a page takes, the n-th that is indexed:
	// the index is waited for, and then the rest of that time. Nil: as long as the index takes.
	Service func(n int, p Page) time.Duration

	// UserAgent names the crawler, in requests and to robots.txt. "" stands for DefaultUserAgent.
	UserAgent string
	// Timeout ends a fetch that takes longer and, before it, a wait for robots.txt and for the
	// delay that it demands. 0 stands for 10 s.
	Timeout time.Duration
	// BodyLimit is the greatest number of bytes of a page. 0 stands for 10 MB. A longer page
	// counts as failed.
	BodyLimit int64
	// Unconditional has each fetch ask for the whole page, and deliver it.
	Unconditional bool

	Observers []Observer
}

// DefaultUserAgent is what the crawler calls itself.
const DefaultUserAgent = "mdpsolve-example-crawler/1.0"

// Crawler crawls; New makes one.
type Crawler struct {
	settings Settings
	fetcher  *fetcher
	wake     chan struct{} // one element for each robot that is to be activated
	queue    chan Page

	mu sync.Mutex // one event at a time, from the decision to the observers
}

// New returns a crawler.
func New(s Settings) (*Crawler, error) {
	switch {
	case s.Client == nil || s.Switch == nil || s.Chooser == nil || s.Index == nil:
		return nil, errors.New("crawl: Client, Switch, Chooser and Index are to be given")
	case s.Robots < 1:
		return nil, fmt.Errorf("crawl: %d robots: use 1 or more", s.Robots)
	case s.Buffer < 2:
		return nil, fmt.Errorf("crawl: a queue of %d pages: use 2 or more", s.Buffer)
	}
	if s.UserAgent == "" {
		s.UserAgent = DefaultUserAgent
	}
	if s.Timeout == 0 {
		s.Timeout = 10 * time.Second
	}
	if s.BodyLimit == 0 {
		s.BodyLimit = 10 << 20
	}
	return &Crawler{
		settings: s,
		fetcher:  newFetcher(s),
		wake:     make(chan struct{}, s.Robots),
		queue:    make(chan Page, s.Buffer),
	}, nil
}

// Run crawls until ctx ends: robots give up what they fetch, and the page that is being indexed
// is finished. It returns an error only for a fault of the index or of the switch.
func (c *Crawler) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	_, active := c.settings.Switch.Counts()
	for range active {
		c.wake <- struct{}{}
	}
	var group sync.WaitGroup
	fault := func(err error) {
		if err != nil {
			cancel(&faultError{err})
		}
	}
	for robot := range c.settings.Robots {
		group.Go(func() { fault(c.robot(ctx, robot)) })
	}
	group.Go(func() { fault(c.indexer(ctx)) })
	group.Wait()
	if f := (*faultError)(nil); errors.As(context.Cause(ctx), &f) {
		return f.error
	}
	return nil
}

// faultError tells a fault of the crawler from the end of its context.
type faultError struct{ error }

func (c *Crawler) tell(e Event) {
	for _, o := range c.settings.Observers {
		o(e)
	}
}

// event tells of an event that is no decision.
func (c *Crawler) event(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.Queue, e.Active = c.settings.Switch.Counts()
	c.tell(e)
}

// robot rests until it is activated, and then fetches until the switch lets it rest.
func (c *Crawler) robot(ctx context.Context, robot int) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.wake:
		}
		c.event(Event{Kind: RobotOn, At: time.Now(), Robot: robot})
		for again := true; again; {
			page, ok, death := c.fetch(ctx, robot)
			if ctx.Err() != nil {
				return nil
			}
			if death != nil {
				if replaced, err := c.died(robot, death); err != nil || !replaced {
					return err
				}
			}
			if !ok {
				continue
			}
			var err error
			if again, err = c.deliver(robot, page); err != nil {
				return err
			}
		}
	}
}

// fetch fetches the next page, and reports whether it is one to deliver. death is not nil if
// something has panicked on the way.
func (c *Crawler) fetch(ctx context.Context, robot int) (page Page, ok bool, death error) {
	defer func() {
		if fault := recover(); fault != nil {
			death = fmt.Errorf("panic: %v", fault)
		}
	}()
	url, wait := c.settings.Chooser.Next(time.Now())
	if url == "" {
		pause(ctx, time.Now().Add(wait))
		return Page{}, false, nil
	}
	c.event(Event{Kind: FetchBegun, At: time.Now(), Robot: robot, URL: url})
	page, r := c.fetcher.fetch(ctx, url)
	if ctx.Err() != nil {
		return Page{}, false, nil
	}
	c.settings.Chooser.Fetched(url, r)
	c.event(Event{Kind: FetchEnded, At: time.Now(), Robot: robot, URL: url, Result: r})
	return page, r.Outcome == Found || r.Outcome == Changed, nil
}

// died withdraws a robot that has died. Where the switch knows nothing of deaths, another robot
// takes its place at once, and replaced is true.
func (c *Crawler) died(robot int, why error) (replaced bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := Event{Kind: RobotDied, At: time.Now(), Robot: robot, Result: Result{Err: why}}
	w, ok := c.settings.Switch.(Withdrawer)
	if !ok {
		e.Queue, e.Active = c.settings.Switch.Counts()
		c.tell(e)
		return true, nil
	}
	instead, err := w.Withdraw(0, true)
	if err != nil {
		return false, err
	}
	e.Queue, e.Active = c.settings.Switch.Counts()
	c.tell(e)
	if instead != robots.NoClass {
		c.wake <- struct{}{}
	}
	return false, nil
}

func (c *Crawler) deliver(robot int, p Page) (again bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err := c.settings.Switch.Deliver()
	if err != nil {
		return false, err
	}
	e := Event{Kind: Lost, At: time.Now(), Robot: robot, URL: p.URL}
	if d.Accepted {
		e.Kind = Delivered
		c.queue <- p // the switch accepts no page that the queue has no room for
	} else {
		c.fetcher.forget(p.URL) // so that it counts as found, not as unchanged, the next time
	}
	e.Queue, e.Active = c.settings.Switch.Counts()
	c.tell(e)
	if !d.Reactivate {
		e.Kind = RobotOff
		c.tell(e)
	}
	return d.Reactivate, nil
}

// indexer indexes one page after the other. Each is to be ready at a time that counts from when
// the one before was to be, so that timers that fire late do not add up.
func (c *Crawler) indexer(ctx context.Context) error {
	ready := time.Now()
	for n := 0; ; n++ {
		var p Page
		waited := false
		select {
		case p = <-c.queue:
		default:
			waited = true
			select {
			case <-ctx.Done():
				return nil
			case p = <-c.queue:
			}
		}
		begun := time.Now()
		if waited {
			ready = begun
		}
		if err := c.settings.Index.Index(p); err != nil {
			return fmt.Errorf("index %s: %w", p.URL, err)
		}
		if c.settings.Service != nil {
			ready = ready.Add(c.settings.Service(n, p))
			pause(ctx, ready)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := c.indexed(p, begun); err != nil {
			return err
		}
	}
}

func (c *Crawler) indexed(p Page, begun time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	activate, err := c.settings.Switch.Indexed()
	if err != nil {
		return err
	}
	now := time.Now()
	e := Event{Kind: Indexed, At: now, URL: p.URL, Duration: now.Sub(begun)}
	e.Queue, e.Active = c.settings.Switch.Counts()
	c.tell(e)
	if activate {
		c.wake <- struct{}{}
	}
	return nil
}

// pause waits until a time or the end of ctx.
func pause(ctx context.Context, until time.Time) {
	wait := time.Until(until)
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
