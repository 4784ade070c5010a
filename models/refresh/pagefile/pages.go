package pagefile

// This file reads page lists and lists of rates.

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// Pages is a page list: names, change rates, and what else the file has. Page i
// of package refresh is IDs.At(i).
type Pages struct {
	IDs             IDs
	refresh.Pages             // nil Weights stand for 1 everywhere
	Least, Greatest []float64 // bounds on access rates; nil for none; 0 and +Inf stand for no bound
	Hosts           *Hosts    // nil without [Options].Hosts
}

// Rates is a list of access rates: Rates[i] accesses of page IDs.At(i) per unit of
// time.
type Rates struct {
	IDs   IDs
	Rates []float64
}

// What numbers may be, for messages.
const (
	anyExpected     = "a finite number of 0 or more"
	limitedExpected = "0 or a number from 1e-100 to 1e100"
	orNothing       = ", or nothing"
)

// The numbers of a row of a page list: fields 1, 2 and so on.
const (
	changeRate = iota
	weight
	leastRate
	greatestRate
	maxNumbers
)

// ReadPages reads a page list. Rows are left out that have a change rate or a weight
// which refresh.Pages does not take, another number that is not a finite one of 0 or
// more, a least rate above the greatest, or an id seen before: see [Options] and
// [Report]. Errors are of type *[FileError] if they belong to a place in the file.
func ReadPages(ctx context.Context, source Source, options Options) (*Pages, *Report, error) {
	l := layout{
		idField,
		1 + changeRate:   {names: []string{"change_rate"}, expected: limitedExpected, limited: true},
		1 + weight:       {names: []string{"weight"}, expected: limitedExpected, limited: true, optional: true, absent: 1},
		1 + leastRate:    {names: []string{"least_rate"}, expected: anyExpected + orNothing, optional: true, blank: true},
		1 + greatestRate: {names: []string{"greatest_rate"}, expected: anyExpected + orNothing, optional: true, blank: true, absent: math.Inf(1)},
	}
	if options.Hosts {
		l = append(l, hostFields...)
	}
	t, report, err := readTable(ctx, source, options, l)
	if err != nil {
		return nil, report, err
	}
	pages := &Pages{
		IDs:   t.ids,
		Pages: refresh.Pages{ChangeRates: t.numbers[changeRate], Weights: t.numbers[weight]},
		Least: t.numbers[leastRate], Greatest: t.numbers[greatestRate],
	}
	if t.hosts != nil {
		pages.Hosts = &t.hosts.hosts
	}
	return pages, report, nil
}

// ReadRates reads a list of rates. Rows with a rate that is not a finite number of 0
// or more, or an id seen before, are left out.
func ReadRates(ctx context.Context, source Source, options Options) (*Rates, *Report, error) {
	t, report, err := readTable(ctx, source, options, layout{
		idField,
		{names: []string{"rate"}, expected: anyExpected},
	})
	if err != nil {
		return nil, report, err
	}
	return &Rates{t.ids, t.numbers[0]}, report, nil
}
