// Package trial lets pools of robots crawl the same site under the same load, and compares what
// they cost with what the model of the robots predicts.
package trial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
)

// Settings describe a load. Rates are per Unit.
type Settings struct {
	Robots, Buffer   int
	StarvationWeight float64       // γ
	Unit             time.Duration // of time of the model
	ArrivalRate      float64       // λ, at which a robot brings pages, where Speed is 1
	ServiceRate      float64       // μ

	Load    Load
	Reality Reality

	WarmUp, Length time.Duration // of a run: what happens in WarmUp comes before, and is not counted
	Seed           uint64        // of the first run; each run after it has the next one

	// Synchronous makes new policies while the crawler waits: in virtual time, which stands
	// still meanwhile.
	Synchronous bool
}

// Network connects a crawler with the site: by TCP, or in a test without.
type Network interface {
	Listen() (net.Listener, error)
	Dial(ctx context.Context, listener net.Listener) (net.Conn, error)
}

// Loopback is the network of this machine.
type Loopback struct{}

// Listen implements [Network].
func (Loopback) Listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

// Dial implements [Network].
func (Loopback) Dial(ctx context.Context, listener net.Listener) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", listener.Addr().String())
}

// RateAt returns λ at a time since the run has begun.
func (s Settings) RateAt(since time.Duration) float64 {
	return s.ArrivalRate * s.Load.Speed(max(0, float64(since-s.WarmUp)/float64(s.Length)))
}

// timeout is when a fetch is given up, in mean times of an answer. Where nothing hangs, even an
// exponential time is never as long as exponentialTimeout times its mean.
const timeout, exponentialTimeout = 20, 50

// Run lets a switch crawl, and returns what was measured after the time to warm up. observe, which may
// be nil, is given the site and returns who observes the run.
func (s Settings) Run(ctx context.Context, network Network, sw crawl.Switch, index crawl.Index, observe func(*site.Site) crawl.Observer) (sums crawl.Sums, err error) {
	listener, err := network.Listen()
	if err != nil {
		return crawl.Sums{}, fmt.Errorf("listen: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	begin := time.Now()
	web := s.site(begin)
	served := make(chan error, 1)
	go func() { served <- site.Serve(ctx, listener, web) }()
	client := site.Client(s.Robots, func(ctx context.Context) (net.Conn, error) { return network.Dial(ctx, listener) })
	defer func() {
		client.CloseIdleConnections()
		cancel(nil)
		if fault := <-served; err == nil {
			err = fault
		}
	}()
	chooser, closeChooser, err := s.chooser(ctx, web, cancel)
	if err != nil {
		return crawl.Sums{}, err
	}
	defer func() {
		if fault := closeChooser(); err == nil {
			err = fault
		}
	}()

	meter := crawl.NewMeter(sw, begin)
	observers := []crawl.Observer{meter.Observe}
	if observe != nil {
		observers = append(observers, observe(web))
	}
	crawler, err := crawl.New(crawl.Settings{
		Client: client, Switch: sw, Chooser: chooser, Index: index,
		Robots: s.Robots, Buffer: s.Buffer,
		Service: s.service(), Timeout: s.timeout(), Unconditional: s.Reality&Revisits == 0,
		Observers: observers,
	})
	if err != nil {
		return crawl.Sums{}, err
	}
	end := begin.Add(s.WarmUp + s.Length)
	run, stop := context.WithDeadline(ctx, end)
	defer stop()
	before := make(chan crawl.Sums, 1)
	timer := time.AfterFunc(s.WarmUp, func() { before <- meter.Sums(time.Now()) })
	defer timer.Stop()
	if err := crawler.Run(run); err != nil {
		return crawl.Sums{}, err
	}
	after := meter.Sums(end) // what the crawler did until all of it had stopped counts for nothing
	select {
	case b := <-before:
		return after.Minus(b), context.Cause(ctx)
	default: // interrupted while warming up
		return crawl.Sums{}, context.Cause(ctx)
	}
}

// mean returns the mean time of a rate per unit.
func (s Settings) mean(rate float64) time.Duration {
	return time.Duration(float64(s.Unit) / rate)
}

func (s Settings) timeout() time.Duration {
	if s.Reality&Faults == 0 {
		return exponentialTimeout * s.answer()
	}
	return timeout * s.answer()
}

// answer is the mean time of an answer where Speed is 1.
func (s Settings) answer() time.Duration {
	return s.mean(s.ArrivalRate * s.Reality.fetches())
}

// day is the time that passes for a day of the pages, in units. There are 200 pages, of which two
// or so are fetched in a unit, and so each about once in eight days.
const day = 12

func (s Settings) site(begin time.Time) *site.Site {
	return site.New(site.Settings{
		Hosts: 20, PagesPerHost: 10, Seed: s.Seed, Begin: begin,
		Latency:    s.Reality.latency(s.answer()),
		Size:       s.Reality.size(),
		ChangeRate: site.ChoGarciaMolina(day * s.Unit.Seconds()),
		Faults:     s.Reality.faults(),
		Load:       func(since time.Duration) float64 { return s.RateAt(since) / s.ArrivalRate },
	})
}

// service returns the times of services: the n-th takes the same time for each pool or, with
// Sizes, a page does.
func (s Settings) service() func(int, crawl.Page) time.Duration {
	mean := float64(s.mean(s.ServiceRate))
	if s.Reality&Sizes != 0 {
		return func(_ int, p crawl.Page) time.Duration {
			return time.Duration(mean * float64(len(p.Body)) / site.PageSize.Mean())
		}
	}
	random := rand.New(rand.NewPCG(s.Seed, 1))
	return func(int, crawl.Page) time.Duration { return time.Duration(mean * random.ExpFloat64()) }
}
