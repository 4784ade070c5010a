// This file compares pools by runs of the same load.

package trial

import (
	"context"
	"fmt"
	"io"
	"math"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
)

// Interval is the mean of observations, and how far the expectation may be from it with a
// confidence of 95 %, by Student's distribution. With one observation HalfWidth is NaN.
type Interval struct {
	Mean, HalfWidth float64
}

// Contains reports whether x is in the interval.
func (i Interval) Contains(x float64) bool { return math.Abs(x-i.Mean) <= i.HalfWidth }

// String returns the interval as mean ± half-width.
func (i Interval) String() string { return fmt.Sprintf("%.4f ± %.4f", i.Mean, i.HalfWidth) }

func interval(observations []float64) Interval {
	mean, deviation := stat.MeanStdDev(observations, nil)
	n := float64(len(observations))
	if n < 2 {
		return Interval{mean, math.NaN()}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return Interval{mean, t * deviation / math.Sqrt(n)}
}

// Measured is what a pool did in a run. Rates are per unit.
type Measured struct {
	Cost                     float64 // γS + L
	Starvation, LossRate     float64
	RobotsMean               float64
	ArrivalRate, ServiceRate float64
	Predicted                float64 // the cost by the model, NaN for none
	Sums                     crawl.Sums
}

// Comparison is what pools did in runs of the same load.
type Comparison struct {
	Settings Settings
	Pools    []Pool
	Runs     [][]Measured // by run and pool
}

// NewComparison returns a comparison without runs as yet.
func NewComparison(ctx context.Context, s Settings) (*Comparison, error) {
	pools, err := s.Pools(ctx)
	return &Comparison{Settings: s, Pools: pools}, err
}

// Observe is told that a run of a pool begins now, and on which site, and returns who observes it.
type Observe func(pool int, sw crawl.Switch, web *site.Site) crawl.Observer

// Run lets all pools crawl once more, side by side: each has a site and an index of its own, and
// meets the same latencies, faults and services. An index that has a method Close is closed. observe
// may be nil.
func (c *Comparison) Run(ctx context.Context, network Network, index func(pool int) (crawl.Index, error), observe Observe) error {
	s := c.Settings
	s.Seed += uint64(len(c.Runs))
	run := make([]Measured, len(c.Pools))
	group, ctx := errgroup.WithContext(ctx)
	for i, pool := range c.Pools {
		group.Go(func() error {
			x, err := index(i)
			if err != nil {
				return err
			}
			if closer, ok := x.(io.Closer); ok {
				defer func() { _ = closer.Close() }() // nobody reads it any more
			}
			sw, err := pool.Switch(ctx)
			if err != nil {
				return err
			}
			var observed func(*site.Site) crawl.Observer
			if observe != nil {
				observed = func(web *site.Site) crawl.Observer { return observe(i, sw, web) }
			}
			sums, err := s.Run(ctx, network, sw, x, observed)
			if err != nil {
				return err
			}
			run[i], err = s.measure(ctx, pool, sums)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	c.Runs = append(c.Runs, run)
	return nil
}

// measure expresses sums per unit, and predicts the cost: for a steady load at the rates that
// were measured, otherwise as the average of what the rates of each time cost in the long run.
func (s Settings) measure(ctx context.Context, pool Pool, sums crawl.Sums) (Measured, error) {
	unit := s.Unit.Seconds()
	m := Measured{
		Starvation: sums.Starvation(), LossRate: sums.LossRate() * unit, RobotsMean: sums.RobotsMean(),
		ArrivalRate: sums.ArrivalRate() * unit, ServiceRate: sums.ServiceRate() * unit,
		Predicted: math.NaN(), Sums: sums,
	}
	m.Cost = s.StarvationWeight*m.Starvation + m.LossRate
	if pool.Predict == nil {
		return m, nil
	}
	var err error
	if s.varies() {
		m.Predicted, err = s.Promised(ctx, pool)
	} else {
		m.Predicted, err = pool.Predict(ctx, m.ArrivalRate, m.ServiceRate)
	}
	return m, err
}

// Promised returns the cost that the model predicts for a pool before the run: the average of what
// the rates of each time cost in the long run, NaN where the model promises nothing.
func (s Settings) Promised(ctx context.Context, pool Pool) (float64, error) {
	if pool.Predict == nil {
		return math.NaN(), nil
	}
	return s.average(func(rate float64) (float64, error) { return pool.Predict(ctx, rate, s.ServiceRate) })
}

// Of returns the interval of a quantity of a pool over the runs.
func (c *Comparison) Of(pool int, quantity func(Measured) float64) Interval {
	var observed []float64
	for _, run := range c.Runs {
		observed = append(observed, quantity(run[pool]))
	}
	return interval(observed)
}

// Difference is how much more one pool costs than another, from runs in pairs.
type Difference struct {
	Interval
	// P is the probability, if there were no difference, of one at least as great: of the
	// two-sided paired t test. NaN for one run.
	P float64
	// Less counts the runs in which the pool cost less.
	Less int
}

// Difference compares two pools.
func (c *Comparison) Difference(pool, other int) Difference {
	var d Difference
	var observed []float64
	for _, run := range c.Runs {
		observed = append(observed, run[pool].Cost-run[other].Cost)
		if run[pool].Cost < run[other].Cost {
			d.Less++
		}
	}
	d.Interval = interval(observed)
	n := float64(len(observed))
	_, deviation := stat.MeanStdDev(observed, nil)
	if d.P = math.NaN(); n < 2 {
		return d
	}
	d.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Survival(math.Abs(d.Mean)*math.Sqrt(n)/deviation)
	return d
}
