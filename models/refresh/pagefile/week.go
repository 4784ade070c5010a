package pagefile

// This file reads a bandwidth by hour of the day and day of the week.

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// ReadWeek reads a bandwidth for each hour of a week from Monday on, in accesses per day, from rows
// with the column bandwidth, a rate such as 3000/hour or a number in the unit of the column unit, and,
// optional, hour and day. An hour is one from 0 to 23, or several up to another one: 22-6. A day is
// mon to sun, or several: mon-fri. The first row that fits an hour counts; without one it has no
// accesses.
func ReadWeek(ctx context.Context, source Source, options Options) (*[7 * 24]float64, *Report, error) {
	l := layout{
		{names: []string{"day"}, holds: groupNames, optional: true, blank: true},
		{names: []string{"hour"}, optional: true, blank: true},
		{names: []string{"bandwidth"}},
		unitField,
	}
	var week [7 * 24]float64
	var given [7 * 24]bool
	report, err := eachRow(ctx, source, options, l, func(r *record) (*FileError, error) {
		days, ok := cycle(strings.ToLower(string(r.cells[0].text)), len(weekdays), func(day string) int {
			return slices.Index(weekdays, day[:min(3, len(day))])
		})
		if !ok {
			return r.fault(0, "a day from mon to sun, or several, such as mon-fri"), nil
		}
		hours, ok := cycle(string(r.cells[1].text), 24, func(hour string) int {
			if n, err := strconv.Atoi(hour); err == nil {
				return n
			}
			return -1
		})
		if !ok {
			return r.fault(1, "an hour from 0 to 23, or several, such as 22-6"), nil
		}
		if len(hours) > 1 && !r.cells[1].empty() {
			hours = hours[:len(hours)-1] // up to the last one
		}
		own, fault := r.unit(3, "unit")
		if fault != nil {
			return fault, nil
		}
		bandwidth, its, err := unit.ParseRate(string(r.cells[2].text))
		if its = cmp.Or(its, own, options.Unit); err != nil || its == unit.Unknown || !(bandwidth >= 0 && bandwidth <= 1e100) {
			return r.fault(2, "a rate of 0 or more such as 3000/hour"), nil
		}
		for _, day := range days {
			for _, hour := range hours {
				if at := 24*day + hour; !given[at] {
					week[at], given[at] = unit.Rate(bandwidth, its, unit.Day), true
				}
			}
		}
		return nil, nil
	})
	return &week, report, err
}

// cycle returns the numbers of a range such as 22-6, out of 0 … n−1, where 0 follows n−1; it returns
// all n for "". number returns the number of a name, −1 if it has none.
func cycle(text string, n int, number func(string) int) (all []int, ok bool) {
	first, last, several := strings.Cut(text, "-")
	if !several {
		last = first
	}
	if text == "" {
		for i := range n {
			all = append(all, i)
		}
		return all, true
	}
	from, to := number(first), number(last)
	if from < 0 || to < 0 || from >= n || to >= n {
		return nil, false
	}
	for i := from; ; i = (i + 1) % n {
		if all = append(all, i); i == to {
			return all, true
		}
	}
}
