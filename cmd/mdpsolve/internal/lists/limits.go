package lists

// The flags that limit the intervals of pages.

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// IntervalFlags are the flags of limits for all pages and by rules.
func IntervalFlags() []cli.Flag {
	return []cli.Flag{
		ui.ValueFlag("least-interval", "access no page more often than every `D`, as in 10min", ""),
		ui.ValueFlag("greatest-interval", "access every page at least every `D`, as in 14d", ""),
		ui.ValueFlag("intervals", "read rules for some pages from `FILE`", ""),
	}
}

// ReadRules reads --intervals; nil without.
func ReadRules(a *ui.Arguments) limits.Rules {
	if !a.CLI.IsSet("intervals") {
		return nil
	}
	rules, report := Read(a, "intervals", "", pagefile.Options{Strict: true}, pagefile.ReadRules) // a row left out would be no limit
	if ignored := wording.List(report.Ignored); ignored != "" {
		a.Warn("--intervals: columns ignored (%s): use host, path, label, least_interval, greatest_interval and unit", ignored)
	}
	if len(rules) == 0 {
		a.Warn("--intervals: %s has no rule", a.CLI.String("intervals"))
	}
	return rules
}

// WarnOfUnfit tells of rules of --intervals that fit no page.
func WarnOfUnfit(a *ui.Arguments, rules limits.Rules, unfit []int) {
	if len(unfit) == 0 {
		return
	}
	r := rules[unfit[0]]
	first := strings.TrimSpace(r.Host + " " + r.Path + " " + r.Label)
	a.Warn("--intervals: %s without a page ignored, such as that of %q", wording.Count(len(unfit), "rule"), first)
}

// ReadIntervals reads --least-interval and --greatest-interval, and completes intervals by them. A
// flag with 0 takes a limit back.
func ReadIntervals(a *ui.Arguments, intervals limits.Intervals) limits.Intervals {
	for flag, seconds := range map[string]*float64{"least-interval": &intervals.Least, "greatest-interval": &intervals.Greatest} {
		if !a.CLI.IsSet(flag) {
			continue
		}
		length, own, err := unit.ParseDuration(a.CLI.String(flag))
		*seconds = unit.Duration(length, own, unit.Second)
		if err == nil && own == unit.Unknown && length != 0 {
			err = errors.New("it has no unit")
		}
		if err != nil || (limits.Intervals{Least: *seconds}).Validate() != nil {
			a.Fault(flag, "%q is not valid: use a duration such as 10min, 2h or 14d", a.CLI.String(flag))
		}
	}
	if err := intervals.Validate(); err != nil {
		a.Fault("least-interval", "%v: use a shorter one, or a longer --greatest-interval", err)
	}
	return intervals
}
