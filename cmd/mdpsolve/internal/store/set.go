package store

// The verbs store set and store info.

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

func setCommand() *cli.Command {
	return &cli.Command{
		Name:      "set",
		Usage:     "make a store, or change its settings",
		UsageText: "mdpsolve store set --store FILE [--bandwidth R/day] [--host-delay D] [--host-delays HOSTS] [--group-delay D] [--objective O] [--retries TABLE]",
		Description: `If FILE does not exist or is empty, this verb makes a store, which needs --bandwidth. If
FILE is a store, the verb changes the settings that flags give. Then it prints the
settings, as mdpsolve store info does.

HOSTS is a list of politeness delays, such as the crawl-delay of robots.txt. The columns
are host, delay (0 or empty: no delay of its own) and unit (second, minute, hour or day).
A host waits for the longer of its own delay and --host-delay. Hosts that are not in the
list keep their delays.

A page's own intervals count first, then the first rule of --intervals that fits its host and
path; a store has no labels. Limits hold for rates: a page is due one interval, 1/rate, after
its last access. 0 removes a limit, and an empty file removes all rules. Greatest intervals
that do not fit into the bandwidth are stretched, with a warning.

Pages that were not found are due again at growing intervals. TABLE changes these, and has the
columns outcome, first, factor, greatest and pages, as here by default:

` + retriesText() + `

The column first may be never: such pages are not due again. A page that failed waits no longer
than its own interval at first. A page is a copy, and counts as gone, if its digest is that of
as many pages of its host as the column pages says, or more. Rows and cells that are left out
stand for the defaults.

A new store has one page for all URLs that are equivalent by RFC 3986, such as HTTP://A.example
and http://a.example:80/#top, unless --keep-urls leaves them as they are.

Examples:
  mdpsolve store set --store pages.db --bandwidth 20000/day
  mdpsolve store set --store pages.db --host-delays robots.csv
  mdpsolve store set --store pages.db --host-delay 2s --group-delay 500ms
  mdpsolve store set --store pages.db --least-interval 10min --greatest-interval 14d`,
		Flags: append([]cli.Flag{
			storeFlag(),
			ui.ValueFlag("bandwidth", "make `R` accesses in all, as in 20000/day or 2/second", ""),
			ui.ValueFlag("host-delay", "wait `D`, such as 2s, between accesses to a host, or its own delay if that is longer", ""),
			ui.ValueFlag("host-delays", "read delays from `HOSTS`: host, delay, unit", ""),
			ui.ValueFlag("group-delay", "wait `D` between accesses to a registered domain", ""),
			ui.NewChoiceFlag("objective", "in a new store, optimise `O`", objectives[0], objectives...),
			ui.ValueFlag("retries", "read from `TABLE` when pages that were not found are due again", ""),
			ui.SwitchFlag("keep-urls", "in a new store, leave URLs as they are"),
			ui.OutputFlag(),
		}, lists.IntervalFlags()...),
		Action: ui.Action(set),
	}
}

// warnOfUnfit tells of rules that fit no page of a store that has pages.
func warnOfUnfit(a *ui.Arguments, s *store.Store) error {
	rules := s.Settings().Rules
	if !a.CLI.IsSet("intervals") || s.Counts().Pages == 0 {
		return nil
	}
	fitted := make([]bool, len(rules))
	for page, err := range s.Pages("") {
		if err != nil {
			return err
		}
		for i := range rules {
			fitted[i] = fitted[i] || rules[i].Fits([]byte(page.ID), nil)
		}
	}
	var unfit []int
	for i := range rules {
		if !fitted[i] {
			unfit = append(unfit, i)
		}
	}
	lists.WarnOfUnfit(a, rules, unfit)
	return nil
}

// objectives are those that need no law of access times.
var objectives = []string{"fixed-order", "random", "age", "harmonic"}

func set(a *ui.Arguments) error {
	name := a.Text("store", "the file of a store")
	hosts, delays := readHostDelays(a)
	pages, err := store.Open(a.CLI.Context, name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrEmpty) {
		a.Text("bandwidth", "accesses per unit of time, such as 20000/day, to make the store")
		if pages, err = store.Create(a.CLI.Context, name, changed(a, store.Settings{Objective: a.Choice("objective"), NormalURLs: !a.CLI.Bool("keep-urls")})); err != nil {
			a.Fault("store", "%q cannot be made: %v", name, err)
		}
	}
	return lists.WithOpened(a, name, pages, err, func(pages *store.Store) error {
		if a.CLI.IsSet("objective") && a.Choice("objective") != pages.Settings().Objective {
			a.Fault("objective", "the store has the objective %[2]s: make a new store for %[1]s", a.Choice("objective"), pages.Settings().Objective)
		}
		if a.CLI.Bool("keep-urls") && pages.Settings().NormalURLs {
			a.Fault("keep-urls", "the store normalises URLs: make a new store to keep them")
		}
		if err := pages.Configure(changed(a, pages.Settings())); err != nil {
			return err
		}
		if err := pages.SetDelays(hosts, delays); err != nil {
			return err
		}
		if err := warnOfUnfit(a, pages); err != nil {
			return err
		}
		if s := pages.Settings(); s.Intervals.Greatest > 0 || len(s.Rules) > 0 {
			if err := warn(a, pages); err != nil {
				return err
			}
		}
		return printInfo(a, pages.Summary())
	})
}

// changed returns settings with those that flags give.
func changed(a *ui.Arguments, s store.Settings) store.Settings {
	if a.CLI.IsSet("bandwidth") {
		s.Bandwidth = lists.Rate(a, "bandwidth").In(unit.Day)
	}
	if a.CLI.IsSet("host-delay") {
		s.HostDelay = readDelay(a, "host-delay")
	}
	if a.CLI.IsSet("group-delay") {
		s.GroupDelay = readDelay(a, "group-delay")
	}
	s.Intervals = lists.ReadIntervals(a, s.Intervals)
	if rules := lists.ReadRules(a); a.CLI.IsSet("intervals") {
		s.Rules = rules
		for _, rule := range rules {
			if rule.Label != "" {
				a.Fault("intervals", "the label %q is not valid in a store: use rules for hosts and paths, or the columns least_interval and greatest_interval of store add", rule.Label)
			}
		}
	}
	if a.CLI.IsSet("retries") {
		var report *pagefile.Report
		s.Retries, report = lists.Read(a, "retries", "", pagefile.Options{Strict: true}, pagefile.ReadRetries)
		if len(report.Ignored) > 0 {
			a.Fault("retries", "%s has a column %q: use outcome, first, factor, greatest and pages", a.CLI.String("retries"), report.Ignored[0])
		}
	}
	return s
}

// A retryRow is a row of --retries as text.
type retryRow struct{ outcome, first, factor, greatest, pages string }

// retryRows returns the rows of --retries that rules come from.
func retryRows(r limits.Retries) []retryRow {
	r = r.WithDefaults()
	var rows []retryRow
	for _, rule := range []struct {
		outcome string
		limits.Retry
	}{{"failed", r.Failed}, {"denied", r.Denied}, {"gone", r.Gone}} {
		if rule.First == limits.Never {
			rows = append(rows, retryRow{outcome: rule.outcome, first: "never"})
			continue
		}
		first, greatest := unit.DurationText(rule.First.Seconds()), unit.DurationText(rule.Greatest.Seconds())
		rows = append(rows, retryRow{rule.outcome, first, ui.PlainText(rule.Factor), greatest, ""})
	}
	pages := "never"
	if r.Copies != limits.Never {
		pages = strconv.Itoa(r.Copies)
	}
	return append(rows, retryRow{outcome: "copy", pages: pages})
}

// retriesText is the table of defaults as CSV.
func retriesText() string {
	lines := []string{"  outcome,first,factor,greatest,pages"}
	for _, row := range retryRows(limits.Retries{}) {
		lines = append(lines, "  "+strings.Join([]string{row.outcome, row.first, row.factor, row.greatest, row.pages}, ","))
	}
	return strings.Join(lines, "\n")
}

// readHostDelays reads --host-delays.
func readHostDelays(a *ui.Arguments) (hosts []string, delays []time.Duration) {
	if !a.CLI.IsSet("host-delays") {
		return nil, nil
	}
	list, _ := lists.Read(a, "host-delays", "", pagefile.Options{Strict: true}, pagefile.ReadHostDelays)
	if list.Unit == unit.Unknown && len(list.Limits) > 0 {
		a.Fault("host-delays", "%s has no unit: add the column unit: second, minute, hour or day", a.CLI.String("host-delays"))
	}
	for i, delay := range list.Limits {
		name := list.Names.At(i)
		if list.Groups.Names.At(int(list.Groups.Of[i])) != "" {
			a.Fault("host-delays", "host %q has a group: remove the column group, because --group-delay is for registered domains", name)
		}
		if err := (store.Page{ID: "-", Host: name}).Validate(); err != nil {
			a.Fault("host-delays", "a host has a name of %d bytes: use up to 1000", len(name))
		}
		seconds := unit.Duration(delay, list.Unit, unit.Second)
		if !(seconds <= longestDelay) {
			a.Fault("host-delays", "host %q: delay %v is not valid: use up to 365 days", name, delay)
		}
		hosts = append(hosts, name)
		delays = append(delays, time.Duration(seconds*float64(time.Second)))
	}
	return hosts, delays
}

// longestDelay is the longest delay in seconds: 365 days.
const longestDelay = 365 * 24 * 60 * 60

// readDelay reads a duration from 0 to a year.
func readDelay(a *ui.Arguments, flag string) time.Duration {
	length, own, err := unit.ParseDuration(a.CLI.String(flag))
	seconds := unit.Duration(length, own, unit.Second)
	if err != nil || own == unit.Unknown && length != 0 || !(seconds >= 0 && seconds <= longestDelay) {
		a.Fault(flag, "%q is not valid: use 0 or a duration such as 2s or 500ms, up to 365 days", a.CLI.String(flag))
	}
	return time.Duration(seconds * float64(time.Second))
}

func infoCommand() *cli.Command {
	return &cli.Command{
		Name:      "info",
		Usage:     "the settings of a store and the number of its pages",
		UsageText: "mdpsolve store info --store FILE [--output FORMAT]",
		Description: `Prints the settings of a store and the numbers of its pages and hosts.

Examples:
  mdpsolve store info --store pages.db
  mdpsolve store info --store pages.db --output json`,
		Flags: []cli.Flag{storeFlag(), ui.OutputFlag()},
		Action: ui.Action(func(a *ui.Arguments) error {
			name := a.Text("store", "the file of a store")
			summary, err := store.Summarize(a.CLI.Context, name)
			if err := lists.StoreFault(a, name, err); err != nil {
				return err
			}
			return printInfo(a, summary)
		}),
	}
}

func printInfo(a *ui.Arguments, summary store.Summary) error {
	settings, counts, hosts := summary.Settings, summary.Counts, summary.Hosts
	record := ui.Record{
		{Name: "bandwidth", Value: settings.Bandwidth},
		{Name: "unit", Value: unit.Day.String()},
		{Name: "objective", Value: settings.Objective},
		{Name: "host_delay_seconds", Value: settings.HostDelay.Seconds()},
		{Name: "group_delay_seconds", Value: settings.GroupDelay.Seconds()},
		{Name: "pages", Value: counts.Pages},
		{Name: "unvisited", Value: counts.Unvisited},
		{Name: "gone", Value: counts.Gone},
		{Name: "hosts", Value: hosts},
		{Name: "least_interval_seconds", Value: settings.Intervals.Least},
		{Name: "greatest_interval_seconds", Value: settings.Intervals.Greatest},
		{Name: "rules", Value: len(settings.Rules)},
		{Name: "keep_urls", Value: !settings.NormalURLs},
		{Name: "retries", Value: ui.OnlyJSON(retriesRecord(settings.Retries))},
	}
	return a.PrintRecord(record, func(s *ui.Screen) {
		s.Item("pages", "%d: %d not accessed yet, %d gone", counts.Pages, counts.Unvisited, counts.Gone)
		s.Item("hosts", "%d", hosts)
		s.Item("bandwidth", "%s accesses per day", ui.PlainText(settings.Bandwidth))
		s.Item("host delay", "%s", unit.DurationText(settings.HostDelay.Seconds()))
		if settings.GroupDelay > 0 {
			s.Item("group delay", "%s", unit.DurationText(settings.GroupDelay.Seconds()))
		}
		if i := settings.Intervals; i.Least > 0 {
			s.Item("at most", "every %s", unit.DurationText(i.Least))
		}
		if i := settings.Intervals; i.Greatest > 0 {
			s.Item("at least", "every %s", unit.DurationText(i.Greatest))
		}
		if n := len(settings.Rules); n > 0 {
			s.Item("intervals", "%s for some pages", wording.Count(n, "rule"))
		}
		s.Item("objective", "%s", settings.Objective)
		for _, row := range retryRows(settings.Retries) {
			switch {
			case row.first == "never", row.pages == "never":
				s.Item(row.outcome, "never")
			case row.outcome == "copy":
				s.Item(row.outcome, "%s pages of a host", row.pages)
			default:
				s.Item(row.outcome, "due after %s, ×%s up to %s", row.first, row.factor, row.greatest)
			}
		}
	})
}

// retriesRecord returns rules as they are printed for programs: seconds, null for never.
func retriesRecord(r limits.Retries) map[string]any {
	r = r.WithDefaults()
	rule := func(of limits.Retry) any {
		if of.First == limits.Never {
			return nil
		}
		return map[string]any{"first_seconds": of.First.Seconds(), "factor": of.Factor, "greatest_seconds": of.Greatest.Seconds()}
	}
	record := map[string]any{"failed": rule(r.Failed), "denied": rule(r.Denied), "gone": rule(r.Gone), "copy_pages": nil}
	if r.Copies != limits.Never {
		record["copy_pages"] = r.Copies
	}
	return record
}
