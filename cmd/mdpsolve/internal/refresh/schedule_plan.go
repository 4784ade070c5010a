package refresh

// Plans: schedules by earliest deadline that continue from the past, or keep delays.

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// planFlags are the flags on the past and on delays.
func planFlags() []cli.Flag {
	flags := []cli.Flag{
		ui.ValueFlag("last-fetch", "continue from the accesses in `FILE`: id (or url), time", ""),
		ui.ValueFlag("host-delay", "wait `D` between accesses to a host, as in 30s", ""),
		ui.ValueFlag("host-delays", "read delays from `FILE`: host, delay, optionally unit and group (needs --group-delay)", ""),
		ui.ValueFlag("group-delay", "wait `D` between accesses to a group of hosts", ""),
	}
	return ui.Group("Plans and politeness delays", append(flags, capFlags()...)...)
}

const planText = `--last-fetch continues from earlier accesses, such as those of a crawl log: the latest
row of a page counts. Times are points in time, or numbers in the unit of the rates. A
page of rate ρ accessed at t is due at t + 1/ρ; a new page is due at once. If more is due
than there are slots, the intervals that matter least get longer, judged by the column
freshness; the least valuable new pages wait.

A host waits for the longer of --host-delay and its own delay. The slot of a page that has
to wait goes to the next page that is due; if all have to wait, the slot is empty: a row
without an id. Delays are rounded up to whole slots of 1/Σrate. Rates that a delay does
not allow are cut, with a warning. Caps become delays of 1/cap. The host of a page is in
the column host, or in the URL. The group of a host is its registered domain, unless
--host-delays names another.`

// readPlanFlags refuses flags that are not valid together.
func readPlanFlags(a *ui.Arguments) {
	byDeadline := a.Choice("method") == methodDeadline
	for _, name := range append([]string{"last-fetch"}, delayFlags...) {
		a.OnlyWith(name, "method "+methodDeadline, byDeadline)
	}
}

// delayFlags are the flags that give hosts delays.
var delayFlags = []string{"host-delay", "host-delays", "group-delay", "host-cap", "host-caps"}

// hasDelays reports whether hosts have delays.
func hasDelays(a *ui.Arguments) bool { return slices.ContainsFunc(delayFlags, a.CLI.IsSet) }

// plan makes the plan, and warns of what delays leave out.
func (s *schedule) plan(a *ui.Arguments) {
	if math.IsInf(s.rate, 1) {
		a.Fault("input", "rates with a sum above %v are not valid in a plan: use smaller rates", math.MaxFloat64)
	}
	var groups []sequence.Group
	if s.delays = s.readDelays(a); s.delays != nil {
		groups = s.delays.groups
	}
	var visits []sequence.Visit
	if a.CLI.IsSet("last-fetch") {
		visits = s.goOn(s.fetches(a))
	} else {
		visits = sequence.NewVisits(s.rates.Rates)
	}
	if s.delays != nil {
		for page := range visits {
			visits[page].Group = s.delays.host(int(s.rates.Hosts.Of[page])) + 1
		}
		s.fit(a, visits)
	}
	plan, err := sequence.NewPlan(visits, groups)
	if err != nil {
		a.Fault("input", "%v", err)
	}
	s.sequence = plan
}

// goOn returns the visits of a plan that continues after accesses to pages before slot 0.
func (s *schedule) goOn(accessed []float64) []sequence.Visit {
	past := sequence.Past{Rates: make([]float64, len(accessed)), Accessed: accessed}
	const longAgo = -0x1p900 // files may have earlier times
	for page, rate := range s.rates.Rates {
		past.Rates[page] = rate / s.rate
		accessed[page] = max(accessed[page], longAgo)
	}
	for _, least := range s.rates.LeastRates {
		past.LeastRates = append(past.LeastRates, least/s.rate)
	}
	for _, freshness := range s.rates.Freshness {
		past.Spacings = append(past.Spacings, refresh.SpacingOf(freshness))
	}
	visits, outlook := past.Visits(s.length)
	s.outlook = &outlook
	return visits
}

// readFetches reads --last-fetch and --now; wanted says whether fetches have hosts or the times of
// copies. scale is the length of the unit u in the unit of the times.
func readFetches(a *ui.Arguments, ids *pagefile.IDs, u unit.Unit, wanted pagefile.Options) (fetches *pagefile.Fetches, now, scale float64) {
	options := lists.Options(a)
	options.Hosts, options.Copies = wanted.Hosts, wanted.Copies
	fetches, _ = lists.Read(a, "last-fetch", "", options,
		func(ctx context.Context, source pagefile.Source, options pagefile.Options) (*pagefile.Fetches, *pagefile.Report, error) {
			return pagefile.ReadFetches(ctx, source, options, ids)
		})
	now, scale = fetches.Latest, 1.0
	if !fetches.Calendar && u.SuspectsUnixSeconds(now) {
		a.Fault("last-fetch", "the times in %s look like Unix seconds, and the rates are %s: use times such as 2026-01-31T15:00:00Z, or --unit second if %s has a column unit",
			lists.FileName(a, "last-fetch"), u.Per(), lists.FileName(a, "input"))
	}
	if fetches.Calendar {
		lists.NeedUnit(a, u, "last-fetch")
		scale = u.Seconds()
	}
	switch {
	case !a.CLI.IsSet("now"):
	case fetches.Calendar:
		at := lists.Time(a, "now", lastYear)
		now = float64(at.Unix()) + float64(at.Nanosecond())/1e9
	default:
		now = a.Parse("now", a.CLI.String("now"), "a number, like the times in --last-fetch", func(x float64) bool { return math.Abs(x) <= math.MaxFloat64 })
	}
	if now < fetches.Latest {
		a.Fault("now", "%s is before the latest time in %s: use that time or a later one, or correct line %d, which has it", a.CLI.String("now"), a.CLI.String("last-fetch"), fetches.LatestLine)
	}
	if math.IsNaN(now) {
		now = 0 // nothing was fetched
	}
	return fetches, now, scale
}

// fetches returns when pages were last fetched by --last-fetch, in slots before the plan, and
// sets the start of the plan if times are points in time.
func (s *schedule) fetches(a *ui.Arguments) (fetched []float64) {
	fetches, now, scale := readFetches(a, &s.rates.IDs, s.rates.Unit, pagefile.Options{Hosts: s.delays != nil})
	fetched = make([]float64, len(fetches.Times))
	for page, at := range fetches.Times {
		if fetched[page] = (at - now) / scale * s.rate; s.delays != nil && !math.IsNaN(at) {
			sequence.Accessed(s.delays.groups, s.delays.host(int(s.rates.Hosts.Of[page])), fetched[page])
		}
	}
	if s.delays != nil { // pages that have left kept their hosts busy, too
		s.delays.takeUpHosts(&fetches.Hosts, func(i int) float64 { return (fetches.HostTimes[i] - now) / scale * s.rate })
	}
	if fetches.Calendar && !math.IsNaN(fetches.Latest) {
		seconds, rest := math.Modf(now)
		start := time.Unix(int64(seconds), int64(rest*1e9)).UTC()
		if start.Year() < lists.FirstYear || start.Year() > lastYear {
			a.Fault("last-fetch", "the latest time in %s is in the year %d: use times in the years %d to %d", a.CLI.String("last-fetch"), start.Year(), lists.FirstYear, lastYear)
		}
		s.way.start = start
	}
	return fetched
}
