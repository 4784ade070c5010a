package refresh

// Plans: schedules by earliest deadline that follow from the past, and keep delays.

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
)

// planFlags are those of the past, and of delays.
func planFlags() []cli.Flag {
	flags := []cli.Flag{
		ui.ValueFlag("last-fetch", "go on from when pages were last fetched, as `FILE` says: id (or url), time", ""),
		ui.ValueFlag("now", "with --last-fetch: the plan begins at `TIME` (default: the latest in that file)", ""),
		ui.ValueFlag("host-delay", "keep a delay of `D` after each access to a host, as in 30s", ""),
		ui.ValueFlag("host-delays", "read the delays of hosts from `FILE`: host, delay and, optional, group; --host-delay is that of others", ""),
		ui.ValueFlag("group-delay", "keep a delay of `D` after each access to a group of hosts: a registered domain, or as the column group says", ""),
	}
	return ui.Group("Plans that go on, and politeness", append(flags, capFlags()...)...)
}

const planText = `A plan need not begin with nothing. --last-fetch says when pages were last fetched: the
log of a crawler will do, as of several rows of a page the latest counts. Times are
points in time, for which the unit of the
rates has to be known, or numbers in that unit. The slots of a plan count from 1, and it
begins at --now.

A page of rate ρ last accessed at t is due at t + 1/ρ, and one never accessed at once.
Where that is more than the slots up to --length allow, since pages have joined or are
behind, an access costs more than the price that the rates are best for. The plan is
made at the price at which it fits: intervals get longer, most where little is lost, and
pages whose first access is worth less than the price wait. The column freshness of
RATES says what an access is worth.

With --host-delay or --host-delays (such as the crawl-delay of robots.txt), no two
accesses to a host are nearer than that. The host is what the column host says, or
that of the URL in the column url or id. A slot whose page has to wait is that of the
next page that is due; where all have to wait it is empty, a row without an id. Delays
count in whole slots, Σrate of them per unit of time: one of 31 s takes two slots of 30 s.
What a host cannot be given at all is said before, and its rates are cut; so is how
many of the first 65536 slots are empty, where delays get into each other's way.

With --last-fetch, delays are kept from the accesses in that file on. The caps of refresh rates bound rates, which are averages. Given here, too, --host-cap
and --host-caps are delays of 1/cap, or longer ones that the host has: then no window of
time has more accesses than the cap allows.

Hosts share machines, too. With --group-delay no two accesses to a group of hosts are
nearer than that: to example.org, say, of www.example.org and img.example.org. The group
of a host is its registered domain, by the public suffix list, unless the column group
in --host-delays names another one, such as an address.`

// readPlanFlags refuses flags that do not go with each other.
func readPlanFlags(a *ui.Arguments) {
	byDeadline := a.Choice("method") == methodDeadline
	for _, name := range append([]string{"last-fetch"}, delayFlags...) {
		a.OnlyWith(name, "method "+methodDeadline, byDeadline)
	}
	a.OnlyWith("now", "last-fetch", a.CLI.IsSet("last-fetch"))
	if a.CLI.IsSet("last-fetch") && a.CLI.IsSet("start") {
		a.Fault("start", "not valid with --last-fetch: use --now")
	}
}

// delayFlags are those by which hosts have delays.
var delayFlags = []string{"host-delay", "host-delays", "group-delay", "host-cap", "host-caps"}

// hasDelays reports whether hosts have delays.
func hasDelays(a *ui.Arguments) bool { return slices.ContainsFunc(delayFlags, a.CLI.IsSet) }

// plan makes the plan, and says what delays leave out.
func (s *schedule) plan(a *ui.Arguments) {
	if math.IsInf(s.rate, 1) {
		a.Fault("input", "rates that add up to more than %v are not valid in a plan: use smaller ones", math.MaxFloat64)
	}
	var groups []sequence.Group
	if s.delays = s.readDelays(a); s.delays != nil {
		groups = s.delays.groups
	}
	var visits []sequence.Visit
	if a.CLI.IsSet("last-fetch") {
		visits = s.goOn(s.fetches(a))
	} else {
		visits = make([]sequence.Visit, len(s.rates.Rates))
		for page, rate := range s.rates.Rates {
			share := rate / s.rate
			if visits[page] = (sequence.Visit{Rate: share, Due: 1}); share > 0 {
				visits[page].Due = 1 / share
			}
		}
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
	for group, g := range groups {
		if last := s.delays.last[group]; !math.IsInf(last, -1) {
			plan.SetReady(group, g.After(last))
		}
	}
	s.sequence = plan
}

// goOn returns the visits of a plan that goes on after accesses to pages before slot 0.
func (s *schedule) goOn(accessed []float64) []sequence.Visit {
	past := sequence.Past{Rates: make([]float64, len(accessed)), Accessed: accessed}
	const longAgo = -0x1p900 // files may say more
	for page, rate := range s.rates.Rates {
		past.Rates[page] = rate / s.rate
		accessed[page] = max(accessed[page], longAgo)
	}
	for _, freshness := range s.rates.Freshness {
		past.Spacings = append(past.Spacings, refresh.SpacingOf(freshness))
	}
	visits, outlook := past.Visits(s.length)
	s.outlook = &outlook
	return visits
}

// fetches returns when pages were last fetched, as --last-fetch says, in slots before the plan.
// That begins at --now where this is a point in time.
func (s *schedule) fetches(a *ui.Arguments) (fetched []float64) {
	options := lists.Options(a)
	options.Hosts = s.delays != nil
	fetches, report := lists.Read(a, "last-fetch", "", options,
		func(ctx context.Context, source pagefile.Source, options pagefile.Options) (*pagefile.Fetches, *pagefile.Report, error) {
			return pagefile.ReadFetches(ctx, source, options, &s.rates.IDs)
		})
	now, scale := fetches.Latest, 1.0
	if fetches.Calendar {
		lists.NeedUnit(a, s.rates.Unit, "last-fetch")
		scale = s.rates.Unit.Seconds()
	}
	switch {
	case !a.CLI.IsSet("now"):
	case fetches.Calendar:
		at := lists.Time(a, "now", lastYear)
		now = float64(at.Unix()) + float64(at.Nanosecond())/1e9
	default:
		now = a.Parse("now", a.CLI.String("now"), "a number, as the times in --last-fetch", func(x float64) bool { return math.Abs(x) <= math.MaxFloat64 })
	}
	if now < fetches.Latest {
		a.Fault("now", "%s is before the latest time in %s: use that time or a later one", a.CLI.String("now"), a.CLI.String("last-fetch"))
	}
	if math.IsNaN(now) {
		now = 0 // nothing has been fetched
	}
	fetched = make([]float64, len(fetches.Times))
	for page, at := range fetches.Times {
		if fetched[page] = (at - now) / scale * s.rate; s.delays != nil && !math.IsNaN(at) {
			s.delays.accessed(s.delays.host(int(s.rates.Hosts.Of[page])), fetched[page])
		}
	}
	if s.delays != nil { // pages that have left kept their hosts busy, too
		s.delays.takeUpHosts(&fetches.Hosts, func(i int) float64 { return (fetches.HostTimes[i] - now) / scale * s.rate })
	}
	if fetches.Calendar && report.Rows > 0 {
		seconds, rest := math.Modf(now)
		start := time.Unix(int64(seconds), int64(rest*1e9)).UTC()
		if start.Year() < lists.FirstYear || start.Year() > lastYear {
			a.Fault("last-fetch", "the latest time in %s is of the year %d: use times of the years %d to %d", a.CLI.String("last-fetch"), start.Year(), lists.FirstYear, lastYear)
		}
		s.way.start = start
	}
	return fetched
}
