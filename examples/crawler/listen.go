// This file has what -listen does.

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
	"github.com/mdpsolve/mdpsolve/examples/crawler/trial"
	"github.com/mdpsolve/mdpsolve/examples/crawler/watch"
)

// listen shows runs at an address, HOST:PORT, until stop is called or ctx ends, and says on out
// where. Without an address it does nothing.
func listen(ctx context.Context, address string, c *trial.Comparison, out io.Writer) (observe trial.Observe, stop func() error, err error) {
	if address == "" {
		return nil, func() error { return nil }, nil
	}
	listener, err := watch.Listen(ctx, address)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("-listen: %w", err)}
	}
	ctx, cancel := context.WithCancel(ctx)
	w := watch.New()
	served := make(chan error, 1)
	go func() { served <- w.Serve(ctx, listener) }()
	fmt.Fprintf(out, "live page: http://%s   metrics: http://%[1]s/metrics\n", listener.Addr())
	stop = func() error {
		cancel()
		return <-served
	}
	return observing(ctx, w, c), stop, nil
}

// observing tells a watch of the runs of a comparison.
func observing(ctx context.Context, w *watch.Watch, c *trial.Comparison) trial.Observe {
	s := c.Settings
	return func(i int, sw crawl.Switch, web *site.Site) crawl.Observer {
		pool, indexed := c.Pools[i], newCopies(web)
		r := watch.Run{
			Pool: pool.Name, Robots: s.Robots, Buffer: s.Buffer, Gamma: s.StarvationWeight, Unit: s.Unit,
			Switch: sw, Policy: pool.Policy, WarmUp: s.WarmUp, Length: s.WarmUp + s.Length,
			Pages: func() watch.Pages { return indexed.count(time.Now()) },
		}
		if s.Reality == trial.Plain {
			r.Expected = expected(ctx, s, pool)
		}
		observe := w.Begin(r)
		return func(e crawl.Event) {
			indexed.observe(e)
			observe(e)
		}
	}
}

// expected returns what the model expects of a pool, in a run that begins now. That is known where the
// site does as the model says.
func expected(ctx context.Context, s trial.Settings, pool trial.Pool) func() watch.Expected {
	begin := time.Now()
	var mu sync.Mutex
	costs := map[float64]float64{} // by rate
	return func() watch.Expected {
		mu.Lock()
		defer mu.Unlock()
		rate := s.RateAt(min(time.Since(begin), s.WarmUp+s.Length))
		cost, known := costs[rate]
		if !known {
			cost = math.NaN()
			if pool.Predict != nil {
				if predicted, err := pool.Predict(ctx, rate, s.ServiceRate); err == nil {
					cost = predicted
				}
			}
			costs[rate] = cost
		}
		return watch.Expected{Lambda: rate, Mu: s.ServiceRate, Cost: cost}
	}
}
