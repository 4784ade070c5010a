package refresh

// The verb refresh review: the command, and what it reads.

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/review"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

func reviewCommand() *cli.Command {
	return &cli.Command{
		Name:      "review",
		Usage:     "promised against measured freshness, from a plan and the log of its day",
		UsageText: "mdpsolve refresh review --plan SCHEDULE|RATES --pages PAGES --input LOG [options]",
		Description: `The plan is a schedule with the column next_fetch, a list of mdpsolve store due with the
column time, or a list of rates. PAGES has the
change rates on which it rests, and LOG the accesses of the day, as for mdpsolve refresh
estimate, with points in time. LOG should begin with earlier days; if it does not,
--last-fetch gives the accesses before, with their digests if it has them. The day is that of
the schedule or list, or the last 24 hours of LOG. A page that moves, by the column redirect of
LOG, keeps its history.

If a page has not changed between two accesses, its copy was up to date all that time. If it
has, the expected part of that time counts. Time that no access covers is estimated, with
change rates that the log corrects in ten classes of pages; pages that may be gone count less.
The answer says

  promised   by the plan, at the given change rates, if as many accesses fail as LOG shows
             before the day
  made       by the accesses in LOG, late ones included, on the same assumptions
  expected   with those that did not fail
  measured   by the changes that LOG shows, with an interval for what it does not show

The promise is a range if PAGES has the column standard_error, as lists of refresh estimate and
store rates have: one end takes the rates as exact, the other as uncertain, which makes
most pages change less often than their rate says. The answer is for all pages, for
classes of change rates, and for hosts: those that lose most are printed, and all are in --out.
factor is the change rates that the log shows, divided by the given ones. At the end stands
what another bandwidth would give, at the corrected rates.

Examples:
  mdpsolve refresh review --plan rates.csv --pages pages.csv --input visits.csv --unit day
  mdpsolve refresh review --plan rates.csv --pages pages.csv --input visits.csv --unit day --from 2026-02-01 --plot review.svg`,
		Flags: slices.Concat([]cli.Flag{
			lists.InputFlag("the log"),
			ui.ValueFlag("plan", "read the plan from `FILE`: a schedule or rates", ""),
			ui.ValueFlag("pages", "read change rates from `FILE`: id (or url), change_rate, weight, standard_error", ""),
			ui.ValueFlag("last-fetch", "read accesses before the log from `FILE`: id (or url), time, digest", ""),
			ui.ValueFlag("from", "begin at `TIME`, such as 2026-12-01T00:00:00Z", ""),
			ui.ValueFlag("until", "end at `TIME`", ""),
			lists.UnitFlag(),
			ui.ValueFlag("out", "write a row for each class and host to `FILE`", ""),
			ui.ConfidenceFlag(), ui.WorkersFlag(), ui.OutputFlag(),
		}, figure.Flags("calibration and freshness by change rate"), lists.ReadingFlags()),
		Action: ui.Action(runReview),
	}
}

// dayReview is a review and what it was made of.
type dayReview struct {
	a           *ui.Arguments
	day         review.Day // in units of time since origin
	origin      time.Time
	unit        unit.Unit
	ids         *pagefile.IDs
	pages       []review.Page
	gone        []bool // before the day
	confidence  float64
	earlier     bool            // accesses before the day are known
	digests     []estimate.Seen // of --last-fetch; nil without
	out         lists.Out
	all         review.Result
	rows        []reviewRow // all pages, then classes, then hosts, those that lose most first
	bandwidths  []bandwidthRow
	unknown     int // rows of the log for pages that are not in --pages
	outOfOrder  int // rows of the log
	lastOfLog   float64
	timesOfPlan *pagefile.Planned
}

func runReview(a *ui.Arguments) error {
	r := &dayReview{a: a, confidence: a.Confidence(), out: lists.OutFile(a, "out")}
	picture := figure.Read(a, 2)
	lists.Source(a, "input") // faults come before anything is read
	a.Text("plan", "a schedule or a list of rates")
	options := lists.Options(a)
	options.StandardErrors = true
	pages, _ := lists.Read(a, "pages", "page", options, pagefile.ReadPages)
	if pages.Unit == unit.Unknown {
		a.Fault("unit", "missing: the rates in %s have no unit: use second, minute, hour or day", a.CLI.String("pages"))
	}
	r.unit, r.ids = pages.Unit, &pages.IDs
	r.pages, r.gone = make([]review.Page, pages.Len()), make([]bool, pages.Len())
	for i := range r.pages {
		r.pages[i] = review.Page{ChangeRate: pages.ChangeRates[i], Weight: pages.Weight(i), Last: math.NaN()}
		if pages.StandardErrors != nil {
			r.pages[i].StandardError = pages.StandardErrors[i]
		}
	}
	r.readPlan(a)
	visits := r.readLog(a)
	r.setDay(a)
	r.readEarlier(a)
	r.take(visits)
	if !r.earlier {
		a.Fault("last-fetch", "missing, and %s has no access before %s: give the accesses before, or a log that begins earlier",
			lists.FileName(a, "input"), r.timeAt(r.day.From).Format(time.RFC3339))
	}
	r.review()
	if err := r.otherBandwidths(a); err != nil {
		return err
	}
	if r.all.Accesses == 0 {
		a.Warn("%s has no access to these pages on that day, which ends at %s: its last one is at %s", lists.FileName(a, "input"),
			r.timeAt(r.day.Until).Format(time.RFC3339), time.Unix(int64(r.lastOfLog), 0).UTC().Format(time.RFC3339))
	}
	if r.unknown > 0 {
		a.Warn("%s of pages that are not in --pages ignored", wording.Count(r.unknown, "access"))
	}
	if r.outOfOrder > 0 {
		a.Warn("%s ignored, not later than the one before of the same page: sort the log by time", wording.Count(r.outOfOrder, "access"))
	}
	if err := picture.Save(r.panels); err != nil {
		return err
	}
	if r.out.Name != "" {
		if _, err := lists.WriteWhole(a, r.write); err != nil {
			return err
		}
	}
	return a.Print(ui.Document{JSON: r.record(), Rows: r.records(r.rows), Text: r.print})
}

// since returns a point in time in units since the origin, and timeAt is its inverse.
func (r *dayReview) since(seconds float64) float64 {
	return (seconds - float64(r.origin.Unix())) / r.unit.Seconds()
}

func (r *dayReview) timeAt(at float64) time.Time {
	return r.origin.Add(time.Duration(math.Round(at*r.unit.Seconds()*1e3)) * time.Millisecond)
}

// readPlan reads --plan: times, or rates.
func (r *dayReview) readPlan(a *ui.Arguments) {
	options := lists.Options(a)
	options.Unit = r.unit
	planned, _ := lists.Read(a, "plan", "row", options,
		func(ctx context.Context, source pagefile.Source, options pagefile.Options) (*pagefile.Rates, *pagefile.Report, error) {
			times, report, err := pagefile.ReadPlanned(ctx, source, options, r.ids)
			if pagefile.LacksColumn(err, "next_fetch", "time") {
				planned, report, err := pagefile.ReadRates(ctx, source, options)
				if pagefile.LacksColumn(err, "rate") {
					a.Fault("plan", "%s has neither times nor rates: use a schedule with the column next_fetch (of --wall-clock) or a list of rates", a.CLI.String("plan"))
				}
				return planned, report, err
			}
			r.timesOfPlan, r.day.Timed = times, true
			return nil, report, err
		})
	if r.day.Timed {
		return
	}
	matched := 0
	pagefile.NewIndex(r.ids).Match(&planned.IDs, func(page, i int) {
		r.pages[page].Rate = planned.Rates[i]
		matched++
	})
	switch unknown := planned.IDs.Len() - matched; {
	case matched == 0:
		a.Fault("plan", "%s has no page of %s: use the same ids", a.CLI.String("plan"), a.CLI.String("pages"))
	case unknown > 0:
		a.Warn("--plan: %s of pages that are not in --pages ignored", wording.Count(unknown, "rate"))
	}
}

// setDay sets the day, and the times of the plan.
func (r *dayReview) setDay(a *ui.Arguments) {
	const secondsOfDay = 86400
	from, until := r.lastOfLog-secondsOfDay, r.lastOfLog
	if p := r.timesOfPlan; p != nil {
		if p.Slots == 1 && !a.CLI.IsSet("from") {
			a.Fault("from", "missing: %s has one access, which does not tell when the day begins", a.CLI.String("plan"))
		}
		slot := (p.Last - p.First) / float64(max(1, p.Slots-1))
		if from, until = p.First, p.Last+slot; p.AtEnds {
			from, until = p.First-slot, p.Last
		}
	}
	set := func(flag string, at *float64) {
		if a.CLI.IsSet(flag) {
			*at = float64(lists.Time(a, flag, lastYear).UnixMilli()) / 1000
		}
	}
	set("from", &from)
	if set("until", &until); a.CLI.IsSet("from") && !a.CLI.IsSet("until") && r.timesOfPlan == nil {
		until = from + secondsOfDay
	}
	if !(until > from) {
		a.Fault("until", "the day ends at or before its beginning: use a later time, or an earlier --from")
	}
	r.origin = time.Unix(int64(math.Floor(from)), 0).UTC()
	r.day.From, r.day.Until = r.since(from), r.since(until)
	if r.timesOfPlan == nil {
		return
	}
	for page, times := range r.timesOfPlan.Times {
		for _, at := range times {
			if at := r.since(at); r.isWithin(at) {
				r.pages[page].Planned = append(r.pages[page].Planned, at)
			}
		}
	}
}

// isWithin reports whether a time is within the day. If the plan says when its slots begin, the day has its first
// moment but not its last; otherwise it has its last but not its first.
func (r *dayReview) isWithin(at float64) bool {
	if p := r.timesOfPlan; p != nil && !p.AtEnds {
		return at >= r.day.From && at < r.day.Until
	}
	return at > r.day.From && at <= r.day.Until
}

// A reviewRow is the review of some pages.
type reviewRow struct {
	group, name string // group: all, rate or host
	review.Result
}

// loss is what pages have lost of what was promised, in all.
func (r *reviewRow) loss() float64 { return r.Weight * (r.Promised - r.Measured) }

// classes is the number of classes by change rate.
const classes = 10

// review reviews all pages, classes and hosts.
func (r *dayReview) review() {
	var pages []review.Page
	var hosts []string
	for i := range r.pages {
		if !r.gone[i] {
			pages = append(pages, r.pages[i])
			host, _ := urlhost.Of(r.ids.Bytes(i))
			hosts = append(hosts, string(host))
		}
	}
	r.pages = pages
	r.day.Going = r.day.Gone(pages)
	classOf := r.day.ByChangeRate(pages, classes)
	r.all = r.day.Of(pages, classOf)
	r.rows = append(r.rows, reviewRow{"all", "", r.all})
	byClass, byHost := make([][]review.Page, classes), map[string][]review.Page{}
	for i := range pages {
		byClass[classOf[i]] = append(byClass[classOf[i]], pages[i])
		byHost[hosts[i]] = append(byHost[hosts[i]], pages[i])
	}
	for _, some := range byClass {
		if len(some) == 0 {
			continue
		}
		least := slices.MinFunc(some, byRate).ChangeRate
		most := slices.MaxFunc(some, byRate).ChangeRate
		name := ui.ShortText(least, 3)
		if most > least {
			name += " to " + ui.ShortText(most, 3)
		}
		r.rows = append(r.rows, reviewRow{"rate", name, r.day.Of(some, nil)})
	}
	var ofHosts []reviewRow
	for host, some := range byHost {
		if host != "" && len(byHost) > 1 {
			ofHosts = append(ofHosts, reviewRow{"host", host, r.day.Of(some, nil)})
		}
	}
	slices.SortFunc(ofHosts, func(a, b reviewRow) int {
		return cmp.Or(cmp.Compare(b.loss(), a.loss()), cmp.Compare(a.name, b.name))
	})
	r.rows = append(r.rows, ofHosts...)
	for i := range pages {
		pages[i].ChangeRate *= r.all.Factors[classOf[i]] // for other bandwidths
	}
}

func byRate(a, b review.Page) int { return cmp.Compare(a.ChangeRate, b.ChangeRate) }

// A bandwidthRow is what the best rates of a bandwidth would give.
type bandwidthRow struct{ times, bandwidth, freshness float64 }

// otherBandwidths finds what other bandwidths would give, at the corrected rates.
func (r *dayReview) otherBandwidths(a *ui.Arguments) error {
	pages := refresh.Pages{ChangeRates: make([]float64, len(r.pages)), Weights: make([]float64, len(r.pages))}
	for i := range r.pages {
		pages.ChangeRates[i], pages.Weights[i] = r.pages[i].ChangeRate, r.pages[i].Weight
	}
	for _, times := range []float64{0.5, 0.75, 1, 1.25, 1.5, 2} {
		bandwidth := times * float64(max(1, r.all.Accesses)) / (r.day.Until - r.day.From)
		problem := refresh.Problem{Pages: pages, Objective: refresh.FixedOrder{}, Bandwidth: bandwidth}
		solution, err := rates.Optimize(a.CLI.Context, problem, rates.Settings{Workers: a.Workers()})
		if a.CLI.Err() != nil {
			return ui.EndEarly(ui.ExitInterrupted, "interrupted while solving: no answer yet")
		}
		if solution == nil {
			return err
		}
		r.bandwidths = append(r.bandwidths, bandwidthRow{times, bandwidth, solution.Value / r.all.Weight})
	}
	return nil
}
