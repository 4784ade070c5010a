// This file prints a comparison.

package trial

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"
)

// Report prints what the pools cost, and how much the last of them, which adapts, saves.
func (c *Comparison) Report(w io.Writer) {
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "pool\tcost γS+L\tpredicted\tmeasured − predicted\tS\tL\trobots\tλ\tμ")
	for i, pool := range c.Pools {
		of := func(quantity func(Measured) float64) Interval { return c.Of(i, quantity) }
		predicted, apart := "-", "-"
		if pool.Predict != nil {
			predicted = fmt.Sprintf("%.4f", of(func(m Measured) float64 { return m.Predicted }).Mean)
			apart = signed(c.Apart(i))
		}
		fmt.Fprintf(table, "%s\t%v\t%s\t%s\t%.4f\t%.4f\t%.2f\t%.4f\t%.4f\n", pool.Name,
			of(func(m Measured) float64 { return m.Cost }), predicted, apart,
			of(func(m Measured) float64 { return m.Starvation }).Mean,
			of(func(m Measured) float64 { return m.LossRate }).Mean,
			of(func(m Measured) float64 { return m.RobotsMean }).Mean,
			of(func(m Measured) float64 { return m.ArrivalRate }).Mean,
			of(func(m Measured) float64 { return m.ServiceRate }).Mean)
	}
	_ = table.Flush() // as unlikely to fail as the lines around it
	fmt.Fprintf(w, "\nMean of %d runs ± 95 %% confidence. S, L, λ and μ are measured, per unit of time.\n", len(c.Runs))
	if c.Settings.varies() {
		fmt.Fprintln(w, "Predicted: the cost in the long run at the rates of each time, which are the site's, on average.")
	} else {
		fmt.Fprintln(w, "Predicted: the cost in the long run at the λ and μ that were measured in each run.")
	}
	if slow := c.Slowdown(); slow > busy {
		fmt.Fprintf(w, "The machine was busy: a page took %.1f times as long to index as it should, so that the runs say little. "+
			"Use a longer -unit, or virtual time: go test ./trial -run Steady -v\n", slow)
	}
	last := len(c.Pools) - 1
	for i, pool := range c.Pools[:last] {
		d := c.Difference(last, i)
		fmt.Fprintf(w, "%s − %s: %s, less in %d of %d runs, p = %.2g (paired t test)\n",
			c.Pools[last].Name, pool.Name, signed(d.Interval), d.Less, len(c.Runs), d.P)
	}
}

// Apart is how much more a pool cost than predicted.
func (c *Comparison) Apart(pool int) Interval {
	return c.Of(pool, func(m Measured) float64 { return m.Cost - m.Predicted })
}

func signed(i Interval) string {
	sign := "+"
	if i.Mean < 0 {
		sign = "−"
	}
	return fmt.Sprintf("%s%.4f ± %.4f", sign, math.Abs(i.Mean), i.HalfWidth)
}

// busy is the slowdown from which on a report has a warning. With Sizes, runs of another seed have
// pages of another mean size: by up to a fifth.
const busy = 1.25

// Slowdown returns how many times as long as it should a page took to be indexed, on average.
func (c *Comparison) Slowdown() float64 {
	var took []float64
	for i := range c.Pools {
		took = append(took, c.Of(i, func(m Measured) float64 { return c.Settings.ServiceRate / m.ServiceRate }).Mean)
	}
	return stat.Mean(took, nil)
}
