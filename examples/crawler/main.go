// The command crawler crawls one site, keeps a full-text index of it, and learns while it runs how
// many robots should fetch and which page to visit next.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/robots/controller"
)

// Exit statuses.
const (
	failed      = 1
	badInput    = 2
	interrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// command runs a command line and returns the exit status.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "crawler:", err)
		return badInput
	}
	if err := run(ctx, o, stdout); err != nil {
		fmt.Fprintln(stderr, "crawler:", err)
		return failed
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "crawler: interrupted")
		return interrupted
	}
	return 0
}

const usage = `Usage: go run . [flags]

Crawls a small web of its own on this machine or, with -site, a real site, and obeys robots.txt.
A pool of robots fetches pages into a queue, from which one indexer takes them. A policy learnt
on the way says how many robots run; a store of pages says which page to access next.

`

// options are the values of the flags.
type options struct {
	site                 *url.URL // nil: a web of our own
	length, delay, unit  time.Duration
	pages, robots, limit int
	gamma                float64
	store, listen, words string
	seed                 uint64
}

func parse(args []string, stdout io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("crawler", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	site := flags.String("site", "", "crawl the site of this `URL`, from that page on (default: a small web on this machine)")
	flags.DurationVar(&o.length, "for", 30*time.Second, "how long to crawl")
	flags.DurationVar(&o.delay, "delay", time.Second, "with -site: politeness `delay` between two fetches; a longer crawl-delay in robots.txt wins")
	flags.IntVar(&o.pages, "pages", 200, "access at most this `number` of pages")
	flags.IntVar(&o.robots, "robots", 16, "`number` of robots available")
	flags.IntVar(&o.limit, "buffer", 5, "`number` of pages that the queue holds, the one being indexed included")
	flags.Float64Var(&o.gamma, "gamma", 1.4, "γ: `cost` of an empty queue per unit of time; a lost page costs 1")
	flags.DurationVar(&o.unit, "unit", 20*time.Millisecond, "unit of time, about the mean `time` of indexing a page")
	flags.StringVar(&o.store, "store", "", "with -site: keep the pages and their history in `FILE` for the next run")
	flags.StringVar(&o.listen, "listen", "", "serve metrics for Prometheus at `HOST:PORT`, such as 127.0.0.1:9464")
	flags.StringVar(&o.words, "search", "", "at the end, search the index for these `WORDS`")
	flags.Uint64Var(&o.seed, "seed", 1, "random `seed` of the small web")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return o, err
	case err != nil:
		return o, fmt.Errorf("%w; -help lists the flags", err)
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q is not expected: use flags only, see -help", flags.Arg(0))
	}
	if *site != "" {
		o.site, err = url.Parse(*site)
		if err != nil || o.site.Host == "" || o.site.Scheme != "http" && o.site.Scheme != "https" {
			return o, fmt.Errorf("-site: %q is no URL of a page: use one such as https://example.org/", *site)
		}
		o.site.Fragment = ""
	}
	return o, o.check()
}

func (o options) check() error {
	const mostRobots, mostBuffer = 1000, 1000
	switch {
	case o.length <= 0:
		return fmt.Errorf("-for: %v is not valid: use a time above 0, such as 30s", o.length)
	case o.delay < 0:
		return fmt.Errorf("-delay: %v is negative: use 0s or more", o.delay)
	case o.pages < 1:
		return fmt.Errorf("-pages: %d is too few: use 1 or more", o.pages)
	case o.robots < 1 || o.robots > mostRobots:
		return fmt.Errorf("-robots: %d is not valid: use 1 to %d", o.robots, mostRobots)
	case o.limit < 2 || o.limit > mostBuffer:
		return fmt.Errorf("-buffer: %d is not valid: use 2 to %d", o.limit, mostBuffer)
	case !(o.gamma > 0 && o.gamma <= 1e6):
		return fmt.Errorf("-gamma: %v is not valid: use a number above 0, at most 1e6", o.gamma)
	case o.unit < time.Millisecond || o.unit > time.Minute:
		return fmt.Errorf("-unit: %v is not valid: use 1ms to 1m", o.unit)
	case o.store != "" && o.site == nil:
		return errors.New("-store: only valid with -site, as the small web differs from run to run")
	}
	return nil
}

// run crawls for as long as the options say, and reports.
func run(ctx context.Context, o options, out io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "crawler")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // the system clears it, too

	var own *web
	service := func() time.Duration { return 0 } // as long as the index takes
	perSecond := 1 / max(o.delay.Seconds(), 0.1)
	if o.site == nil {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		own = newWeb(o.seed, o.pages, 10*o.unit)
		server := &http.Server{Handler: own, ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = server.Serve(listener) }() // ends with an error when it is closed
		defer server.Close()                       //nolint:errcheck // nothing is written there
		o.site = &url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/"}
		o.delay = 0
		perSecond = 1 / o.unit.Seconds()
		random := rand.New(rand.NewPCG(o.seed, 1))
		service = func() time.Duration { return time.Duration(float64(o.unit) * random.ExpFloat64()) }
	}
	if o.store == "" {
		o.store = filepath.Join(folder, "pages.db")
	}
	settings := store.Settings{Bandwidth: perSecond * (24 * time.Hour).Seconds(), HostDelay: o.delay}
	pages, err := openFrontier(ctx, o.store, o.site, settings, o.pages)
	if err != nil {
		return fmt.Errorf("-store: %w", err)
	}
	defer func() { err = errors.Join(err, pages.close()) }()
	texts, err := newIndex(filepath.Join(folder, "index"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, texts.close()) }()

	begin := time.Now()
	// The controller begins with a rough guess and learns the rates.
	guess := robots.Parameters{Robots: o.robots, Buffer: o.limit, StarvationWeight: o.gamma, ArrivalRate: 1. / 30, ServiceRate: 2}
	control, err := controller.NewAdaptive(ctx, guess, controller.AdaptiveSettings{
		Now: func() float64 { return float64(time.Since(begin)) / float64(o.unit) },
	})
	if err != nil {
		return err
	}
	counts := newTally(begin)
	if o.listen != "" {
		listener, err := net.Listen("tcp", o.listen)
		if err != nil {
			return fmt.Errorf("-listen: %w", err)
		}
		server := metricsServer(counts, control, o.unit)
		go func() { _ = server.Serve(listener) }() // ends with an error when it is closed
		defer server.Close()                       //nolint:errcheck // nothing is written there
		fmt.Fprintf(out, "metrics: http://%s/metrics\n", listener.Addr())
	}
	c := newCrawler(o.robots, o.limit, pages, newFetcher(o.site, pages), texts, control, counts, service)
	fmt.Fprintf(out, "crawling %s for %v with up to %d robots and a queue of %d pages\n", o.site, o.length, o.robots, o.limit)
	limited, cancel := context.WithTimeout(ctx, o.length)
	defer cancel()
	if err := c.run(limited); err != nil {
		return err
	}
	return report(out, o, counts.now(time.Now()), control.Belief(), pages, texts, own)
}

// report prints what the crawl has done, beside what the policy in force promises.
func report(out io.Writer, o options, s sums, b controller.Belief, pages *frontier, texts *index, own *web) error {
	if err := texts.flush(); err != nil {
		return err
	}
	indexed, err := texts.pages()
	if err != nil {
		return err
	}
	unit := o.unit.Seconds()
	starvation, losses := s.empty/s.time, float64(s.lost)/s.time*unit
	fmt.Fprintf(out, "fetches: %d", s.fetches())
	for i, n := range s.outcomes {
		if n > 0 {
			fmt.Fprintf(out, ", %d %s", n, store.Outcome(i))
		}
	}
	fmt.Fprintf(out, "\npages: %d known, %d in the index\n", pages.store.Counts().Pages, indexed)
	fmt.Fprintf(out, "queue: empty %.1f %% of the time, %d pages lost; cost γS + L = %.3f per %v\n", 100*starvation, s.lost, o.gamma*starvation+losses, o.unit)
	fmt.Fprintf(out, "robots: %.2f active on average\n", s.active/s.time)
	rate := func(symbol string, r controller.Rate) {
		fmt.Fprintf(out, "learnt: %s = %.3g (95 %% interval %.3g to %.3g) per %v\n", symbol, r.Mean, r.Lower, r.Upper, o.unit)
	}
	rate("λ", b.ArrivalRates[0])
	rate("μ", b.ServiceRate)
	fmt.Fprintf(out, "policies: %d; the one in force costs %.4f per %v at the rates it was made for\n", b.Policies, b.Gain, o.unit)
	if own != nil {
		fresh, err := own.fresh(pages, time.Now())
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "up to date: %.0f %% of the pages in the index\n", 100*float64(fresh)/math.Max(1, float64(indexed)))
	}
	if o.words == "" {
		return nil
	}
	const most = 5
	found, err := texts.search(o.words, most)
	for _, address := range found {
		fmt.Fprintln(out, "found:", address)
	}
	if len(found) == 0 && err == nil {
		fmt.Fprintf(out, "found: nothing for %q\n", o.words)
	}
	return err
}
