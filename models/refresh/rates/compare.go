package rates

// This file compares the best rates with simpler rules.

import (
	"context"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// A Rule is a way to choose rates, see [Compare].
type Rule int

// The rules.
const (
	Optimum        Rule = iota // best for accesses at even intervals
	Randomized                 // best for random times, used at even intervals, as Azar et al. do
	RandomTimes                // best for random times, used at random times: F₂ in Azar et al.
	ChangeDirected             // best if all weights were equal
	Harmonic                   // best for [refresh.Harmonic], which gives no page up
	Proportional               // in proportion to weights
	Uniform                    // equal rates
	NumRules                   // their number
)

// A Comparison is what the rules achieve with a bandwidth: the share of requests that meet a
// fresh page, Σw·F/Σw, if pages are requested in proportion to their weights.
type Comparison struct {
	Bandwidth float64
	Shares    [NumRules]float64
	Bound     float64 // no rates exceed it
}

// Compare compares the rules for pages, at least one of which has a weight. Workers are as in
// [Settings], and errors those of [Optimize].
//
// Source: Azar et al., Figure 1.
func Compare(ctx context.Context, pages refresh.Pages, bandwidth float64, workers int) (Comparison, error) {
	c, n, total := Comparison{Bandwidth: bandwidth}, pages.Len(), pages.TotalWeight()
	x, values, marginals := make([]float64, n), make([]float64, n), make([]float64, n)
	measure := func() float64 {
		refresh.FixedOrder{}.Measure(values, marginals, pages, x)
		sum := doubledouble.Accumulator{}
		sum.AddAll(values)
		return sum.Sum() / total
	}
	for _, best := range []struct {
		rule      Rule
		objective refresh.Objective
		pages     refresh.Pages
	}{
		{Optimum, refresh.FixedOrder{}, pages},
		{Randomized, refresh.Random{}, pages},
		{ChangeDirected, refresh.FixedOrder{}, refresh.Pages{ChangeRates: pages.ChangeRates}},
		{Harmonic, refresh.Harmonic{}, pages},
	} {
		problem := refresh.Problem{Pages: best.pages, Objective: best.objective, Bandwidth: bandwidth}
		s, err := Optimize(ctx, problem, Settings{Workers: workers, Rates: x})
		if err != nil {
			return c, err
		}
		c.Shares[best.rule] = measure()
		switch best.rule {
		case Optimum:
			c.Shares[Optimum], c.Bound = s.Value/total, s.Bound/total
		case Randomized:
			c.Shares[RandomTimes] = s.Value / total
		}
	}
	for i := range x {
		x[i] = bandwidth * (pages.Weight(i) / total)
	}
	c.Shares[Proportional] = measure()
	for i := range x {
		x[i] = bandwidth / float64(n)
	}
	c.Shares[Uniform] = measure()
	return c, nil
}
