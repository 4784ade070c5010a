// The command crawler crawls a small web of its own, with robots that are switched on and off by
// four rules, and compares what they cost with what the model of the robots predicts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/index"
	"github.com/mdpsolve/mdpsolve/examples/crawler/trial"
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

// usageError is a fault of the command line.
type usageError struct{ error }

// command runs the command line, and returns the exit status.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var err error
	if len(args) > 0 && args[0] == "freshness" {
		err = runFreshness(ctx, args[1:], stdout, stderr)
	} else {
		err = compare(ctx, args, stdout)
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "crawler: interrupted")
		return interrupted
	}
	fmt.Fprintln(stderr, "crawler:", err)
	if errors.As(err, &usageError{}) {
		return badInput
	}
	return failed
}

const usage = `Usage: go run . [flags]
       go run . freshness [flags]   which page to fetch next: see go run . freshness -help

Crawls a small web of its own, on this machine alone, with 16 robots that bring pages to a queue
of 5. Four rules say how many of them fetch, side by side on the same load. Reported is what each
costs, γS + L: S is the share of time with an empty queue, L the pages lost per unit of time. That
takes 3 minutes unless -minutes says otherwise.

`

// options are what the flags say.
type options struct {
	trial.Settings
	runs    int
	minutes float64
	plot    string
	listen  string
}

func parse(args []string, stdout io.Writer) (options, error) {
	o := options{Settings: trial.Settings{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1}}
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.IntVar(&o.runs, "runs", 10, "`number` of runs of the same length")
	flags.Float64Var(&o.minutes, "minutes", 3, "`time` that all runs take together")
	load := flags.String("load", "steady", "`how` the site's speed varies: steady, jump or daily")
	likeTheWeb := flags.Bool("real", false, "a site as the Web has them: log-normal latencies, sizes, faults, pages that have not changed; a store chooses the pages")
	flags.Float64Var(&o.StarvationWeight, "gamma", 1.4, "γ, the `cost` per unit of time of an empty queue, where a lost page costs 1")
	flags.DurationVar(&o.Unit, "unit", 20*time.Millisecond, "mean `time` of indexing, which is the unit of time")
	flags.Uint64Var(&o.Seed, "seed", 1, "`number` that another one of makes other runs")
	flags.StringVar(&o.plot, "plot", "", "`file` for a picture of what the runs cost: .svg")
	flags.StringVar(&o.listen, "listen", "", "show the runs on a live page, and metrics, at `HOST:PORT` of this computer, such as 127.0.0.1:9464")
	err := readFlags(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return o, err
	}
	if err == nil {
		err = o.check()
	}
	if err == nil {
		o.Load, err = trial.ParseLoad(*load)
		if err != nil {
			err = fmt.Errorf("-load: %w", err)
		}
	}
	if err != nil {
		return o, usageError{err}
	}
	if *likeTheWeb {
		o.Reality = trial.Real
	}
	run := time.Duration(o.minutes * float64(time.Minute) / float64(o.runs))
	o.WarmUp = run / 6
	o.Length = run - o.WarmUp
	return o, nil
}

func (o options) check() error {
	run := time.Duration(o.minutes * float64(time.Minute) / float64(max(o.runs, 1)))
	switch {
	case o.runs < 2:
		return fmt.Errorf("-runs: %d is too few for an interval: use 2 or more", o.runs)
	case !(o.StarvationWeight > 0 && o.StarvationWeight <= 1e6):
		return fmt.Errorf("-gamma: %v is no weight: use a number over 0, at most 1e6", o.StarvationWeight)
	case o.Unit < time.Millisecond || o.Unit > time.Minute:
		return fmt.Errorf("-unit: %v cannot be measured: use 1ms to 1m", o.Unit)
	case !(o.minutes > 0 && o.minutes <= 1e5):
		return fmt.Errorf("-minutes: %v is no time: use a number over 0, at most 1e5", o.minutes)
	case run < 100*o.Unit:
		least := math.Ceil(1000*100*o.Unit.Minutes()*float64(o.runs)) / 1000
		return fmt.Errorf("-minutes: each run takes %v, less than 100 units of %v: use %v or more", run.Round(time.Millisecond), o.Unit, least)
	}
	return checkPicture(o.plot, ".svg")
}

// compare lets the pools crawl, and prints what they cost.
func compare(ctx context.Context, args []string, stdout io.Writer) error {
	o, err := parse(args, stdout)
	if err != nil {
		return err
	}
	c, err := trial.NewComparison(ctx, o.Settings)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "crawler")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // it is the system's to clear as well
	observe, stop, err := listen(ctx, o.listen, c, stdout)
	if err != nil {
		return err
	}
	defer stop() //nolint:errcheck // the runs are over
	fmt.Fprintf(stdout, "%d runs of %v, %v of them to warm up; the site's load: %s; unit of time: %v\n",
		o.runs, (o.WarmUp + o.Length).Round(time.Millisecond), o.WarmUp.Round(time.Millisecond), o.Load.Name, o.Unit)
	err = o.crawl(ctx, c, folder, observe, stdout)
	if len(c.Runs) > 1 {
		c.Report(stdout)
	}
	if len(c.Runs) > 0 { // of which an interruption leaves those that have ended
		if failed := writePicture(o.plot, c.Plot); err == nil {
			err = failed
		}
	}
	return err
}

// crawl lets the pools crawl, with their indexes in a folder.
func (o options) crawl(ctx context.Context, c *trial.Comparison, folder string, observe trial.Observe, stdout io.Writer) error {
	for run := range o.runs {
		newIndex := func(pool int) (crawl.Index, error) {
			return index.New(filepath.Join(folder, fmt.Sprintf("index-%d-%d", run, pool)))
		}
		if err := c.Run(ctx, trial.Loopback{}, newIndex, observe); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "run %d:", run+1)
		for i, m := range c.Runs[run] {
			fmt.Fprintf(stdout, "  %s %.3f", c.Pools[i].Name, m.Cost)
		}
		fmt.Fprintln(stdout)
	}
	return nil
}
