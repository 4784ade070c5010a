package pagefile

// This file reads rules for the least and the greatest interval of pages.

import (
	"cmp"
	"context"

	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// ReadRules reads rules in their order, with the optional columns host, path and label, which say
// what pages a rule fits, least_interval and greatest_interval, durations such as 10min, or numbers
// in the unit of the column unit or of [Options], and unit. A row needs one of the intervals.
func ReadRules(ctx context.Context, source Source, options Options) (limits.Rules, *Report, error) {
	const (
		host = iota
		path
		label
		least
		greatest
		unitAt
	)
	l := layout{
		host:     {names: []string{"host"}, holds: hostNames, optional: true, blank: true},
		path:     {names: []string{"path"}, optional: true, blank: true},
		label:    {names: []string{"label"}, optional: true, blank: true},
		least:    {names: []string{"least_interval"}, optional: true, blank: true},
		greatest: {names: []string{"greatest_interval"}, optional: true, blank: true},
		unitAt:   unitField,
	}
	var rules limits.Rules
	report, err := eachRow(ctx, source, options, l, func(r *record) (*FileError, error) {
		rule := limits.Rule{Host: string(r.id), Path: string(r.cells[path].text), Label: string(r.cells[label].text)}
		var fault *FileError
		if rule.Intervals, fault = r.intervals(least, greatest, unitAt, options.Unit); fault != nil {
			return fault, nil
		}
		if rule.Intervals == (limits.Intervals{}) {
			return faultAt(r.line, 1, "a rule without an interval", "least_interval, greatest_interval or both"), nil
		}
		rules = append(rules, rule)
		return nil, nil
	})
	return rules, report, err
}

// intervals reads the least and the greatest interval of a row: durations with a unit, or numbers in
// that of the row or another.
func (r *record) intervals(least, greatest, unitAt int, other unit.Unit) (i limits.Intervals, fault *FileError) {
	own, fault := r.unit(unitAt, "unit")
	if fault != nil {
		return i, fault
	}
	for _, field := range []int{least, greatest} {
		c := &r.cells[field]
		if c.empty() || c.isNull() {
			continue
		}
		x, its, err := unit.ParseDuration(string(c.text))
		its = cmp.Or(its, own, other)
		seconds := unit.Duration(x, its, unit.Second)
		if err != nil || its == unit.Unknown || !(seconds > 0) {
			return i, r.fault(field, "a duration above 0 such as 10min, 2h or 14d")
		}
		if field == least {
			i.Least = seconds
		} else {
			i.Greatest = seconds
		}
	}
	if err := i.Validate(); err != nil {
		return i, faultAt(r.line, 1, err.Error(), "other intervals")
	}
	return i, nil
}
