package pagefile

// This file reads page lists and lists of rates.

import (
	"context"
	"math"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// Pages is a page list: names, change rates, and what else the file has. Page i
// of package refresh is IDs.At(i).
type Pages struct {
	IDs           IDs
	refresh.Pages           // nil Weights stand for 1 everywhere
	Hosts         *Hosts    // nil without [Options].Hosts
	Unit          unit.Unit // of all rates; Unknown if neither the file nor [Options] say one

	StandardErrors []float64 // of the change rates, 0 where none is known; nil without [Options].StandardErrors or the column
}

// Rates is a list of access rates: Rates[i] accesses of page IDs.At(i) per unit of
// time.
type Rates struct {
	IDs        IDs
	Rates      []float64
	Freshness  []float64 // shares of time, 0 where it is not known; nil without such a column
	LeastRates []float64 // 1 divided by the greatest interval, 0 without one; nil without such a column
	Hosts      *Hosts    // nil without [Options].Hosts
	Unit       unit.Unit // Unknown if neither the file nor [Options] say one
}

// The numbers of a row of a page list: fields 1, 2 and so on.
const (
	changeRate = iota
	weight
	recall
	falseRate
	greatestInterval // a least rate
	leastInterval    // a greatest rate
	standardError
	maxNumbers
)

// Limits of pages, which are read as rates.
var (
	greatestIntervalField = field{names: []string{"greatest_interval"}, holds: intervals, interval: true, rate: true, optional: true, blank: true}
	leastIntervalField    = field{names: []string{"least_interval"}, holds: intervals, interval: true, rate: true, optional: true, blank: true, absent: math.Inf(1)}
)

// weightField is that of the weights of pages.
var weightField = field{names: []string{"weight"}, holds: refreshNumbers, optional: true, blank: true, absent: 1}

// ReadPages reads a page list. Intervals of pages become limits of their rates, with those that
// [Options].Rules give. Rows are left out that have a change rate or a weight
// which refresh.Pages does not take, another such number, or an id seen before: see [Options]
// and [Report]. Errors are of type *[FileError] if they belong to a place in the file.
func ReadPages(ctx context.Context, source Source, options Options) (*Pages, *Report, error) {
	l := layout{
		idField,
		1 + changeRate: {names: []string{"change_rate"}, holds: refreshNumbers, rate: true},
		1 + weight:     weightField,
		1 + recall:     {names: []string{"recall"}, holds: shares, optional: true, blank: true},
		1 + falseRate:  {names: []string{"false_rate"}, holds: refreshNumbers, rate: true, optional: true, blank: true},

		1 + greatestInterval: greatestIntervalField,
		1 + leastInterval:    leastIntervalField,
	}
	l = append(l, field{holds: anyNumbers, rate: true, optional: true, blank: true})
	if options.StandardErrors {
		l[1+standardError].names = []string{"standard_error"}
	}
	if options.Hosts {
		l = append(l, hostFields...)
	}
	t, report, err := readTable(ctx, source, options, l)
	if err != nil {
		return nil, report, err
	}
	pages := &Pages{
		IDs: t.ids, Unit: t.unit, Hosts: t.hosts, StandardErrors: t.numbers[standardError],
		Pages: refresh.Pages{
			ChangeRates: t.numbers[changeRate], Weights: t.numbers[weight],
			Recalls: t.numbers[recall], FalseRates: t.numbers[falseRate],
			LeastRates: t.numbers[greatestInterval], GreatestRates: t.numbers[leastInterval],
		},
	}
	return pages, report, nil
}

// ReadIDs reads the names of the pages of a list, and ignores other columns. Rows with an id
// seen before are left out.
func ReadIDs(ctx context.Context, source Source, options Options) (*IDs, *Report, error) {
	t, report, err := readTable(ctx, source, options, layout{idField})
	if err != nil {
		return nil, report, err
	}
	ids := t.ids // which is kept without the rest of t
	return &ids, report, nil
}

// ReadRates reads a list of rates. Rows with a rate that is not a finite number of 0
// or more, or an id seen before, are left out.
func ReadRates(ctx context.Context, source Source, options Options) (*Rates, *Report, error) {
	l := layout{
		idField,
		{names: []string{"rate"}, holds: anyNumbers, rate: true},
		{names: []string{"freshness"}, holds: anyNumbers, optional: true, blank: true},
		greatestIntervalField,
	}
	if options.Hosts {
		l = append(l, hostFields...)
	}
	t, report, err := readTable(ctx, source, options, l)
	if err != nil {
		return nil, report, err
	}
	return &Rates{t.ids, t.numbers[0], t.numbers[1], t.numbers[2], t.hosts, t.unit}, report, nil
}
