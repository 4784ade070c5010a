package pagefile

// This file reads when pages are accessed again that were not found.

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// ReadRetries reads rows with the column outcome: failed, denied, gone or copy. The rows of the first
// three have the columns first and greatest, which are durations such as 15min (first may be never),
// and factor, by which intervals grow. The row of copy has the column pages: a number of 2 or more,
// or never. An empty cell stands for the value of [limits.DefaultRetries]. Errors are an outcome that
// comes twice, and a cell in a column of other outcomes.
func ReadRetries(ctx context.Context, source Source, options Options) (limits.Retries, *Report, error) {
	const (
		outcome = iota
		first
		factor
		greatest
		pages
	)
	l := layout{
		outcome:  {names: []string{"outcome"}, holds: groupNames},
		first:    {names: []string{"first"}, optional: true, blank: true},
		factor:   {names: []string{"factor"}, optional: true, blank: true},
		greatest: {names: []string{"greatest"}, optional: true, blank: true},
		pages:    {names: []string{"pages"}, optional: true, blank: true},
	}
	retries := limits.DefaultRetries()
	given := map[string]bool{}
	report, err := eachRow(ctx, source, options, l, func(r *record) (*FileError, error) {
		var rule *limits.Retry
		name := strings.ToLower(string(r.id))
		if given[name] {
			return faultAt(r.line, 1, name+" for the second time", "each outcome once"), nil
		}
		given[name] = true
		others := []int{pages} // cells that the outcome does not have
		if name == "copy" {
			others = []int{first, factor, greatest}
		}
		for _, field := range others {
			if !r.cells[field].empty() {
				return r.fault(field, "nothing: copy has pages, other outcomes have first, factor and greatest"), nil
			}
		}
		switch name {
		case "failed":
			rule = &retries.Failed
		case "denied":
			rule = &retries.Denied
		case "gone":
			rule = &retries.Gone
		case "copy":
			if c := &r.cells[pages]; c.says("never") {
				retries.Copies = limits.Never
			} else if n, ok := c.value(); ok && n >= 2 && n <= math.MaxInt32 && n == math.Trunc(n) {
				retries.Copies = int(n)
			} else {
				return r.fault(pages, "a number of pages of 2 or more, or never"), nil
			}
			return nil, nil
		default:
			return r.fault(outcome, "failed, denied, gone or copy"), nil
		}
		if r.cells[first].says("never") {
			rule.First = limits.Never
			return nil, nil
		}
		for field, to := range map[int]*time.Duration{first: &rule.First, greatest: &rule.Greatest} {
			if r.cells[field].empty() {
				continue
			}
			x, its, err := unit.ParseDuration(string(r.cells[field].text))
			const longest = 100 * 365 * 24 * 60 * 60
			seconds := unit.Duration(x, its, unit.Second)
			if err != nil || its == unit.Unknown || !(seconds >= 1e-3 && seconds <= longest) {
				return r.fault(field, "a duration such as 15min or 7d, or never for first"), nil
			}
			*to = time.Duration(seconds * float64(time.Second))
		}
		if c := &r.cells[factor]; !c.empty() {
			var ok bool
			if rule.Factor, ok = c.value(); !ok {
				return r.fault(factor, "a number from 1 to 1000"), nil
			}
		}
		if err := rule.Validate(); err != nil {
			return faultAt(r.line, 1, err.Error(), "a factor from 1 to 1000, and first up to greatest"), nil
		}
		return nil, nil
	})
	return retries, report, err
}

// says reports whether a cell has a word, in any case.
func (c *cell) says(word string) bool { return strings.EqualFold(string(c.text), word) }
