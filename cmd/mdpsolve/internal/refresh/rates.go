package refresh

// The verb refresh rates: the command, and its answer for programs.

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
	"github.com/mdpsolve/mdpsolve/queue"
)

func ratesCommand() *cli.Command {
	return &cli.Command{
		Name:      "rates",
		Usage:     "the best access rate of each page, within a bandwidth",
		UsageText: "mdpsolve refresh rates --input PAGES --bandwidth R [--objective O] [--out FILE] [options]",
		Description: `PAGES is CSV, JSON lines or Parquet with the columns id (or url), change_rate and,
optionally, weight (default: 1), host, unit, recall, false_rate, least_interval,
greatest_interval and label. The output has the
columns id, rate, interval (1/rate), freshness and, if known, unit. It goes to --out, or
as CSV to standard output, with a summary on standard error. -o json prints only the
summary.

` + lists.UnitText + `

The objectives are

  fixed-order         freshness, with accesses at even intervals
  random              freshness, with accesses at random times
  discrete            freshness, a page drawn per slot; rates are probabilities
  decaying            worth of copies, which decays with age at change_rate
  age                 mean age of copies
  harmonic            mean of 1 + … + 1/n for n missed changes; drops no page
  signals             freshness, if some changes are announced
  coffman             mean number of stale copies, by weight, even intervals
  coffman-randomized  the same, random times (Coffman, Liu and Weber)

` + signalsText + `

` + hostText + `

Examples:
  mdpsolve refresh rates --input pages.csv --bandwidth 12/day --unit day
  mdpsolve refresh rates --input urls.csv --bandwidth 20000/day --unit day --host-cap 1/min --hosts-out hosts.csv
  mdpsolve refresh rates --input pages.csv --bandwidth 12/day --unit day --out rates.csv --plot rates.svg`,
		Flags: slices.Concat([]cli.Flag{
			lists.InputFlag("pages"),
			bandwidthFlag("make `R` accesses per unit of time, as in 20000/day"), lists.UnitFlag(),
			weightsFlag(),
			&ui.ChoiceFlag{StringFlag: ui.ValueFlag("objective", "optimise `O`, one of the objectives below", refresh.ObjectiveNames()[0]), Choices: refresh.ObjectiveNames()},
		}, hostFlags(), lists.IntervalFlags(), []cli.Flag{
			ui.ValueFlag("out", "write the rates to `FILE`", ""),
			ui.WorkersFlag(), ui.TableOutputFlag(),
		}, ui.Group(ui.OutputGroup, ui.ValueFlag("digits", "show numbers with `n` decimals (in markdown and latex)", "")), figure.Flags("the rates against the change rates"), accessFlags(), lists.ReadingFlags()),
		Action: ui.Action(runRates),
	}
}

// ratesAnswer is the answer of refresh rates.
type ratesAnswer struct {
	objective                 string
	law                       queue.Law // nil if the objective needs none
	problem                   refresh.Problem
	unit                      unit.Unit // of the rates
	solution                  *rates.Solution
	status                    mdp.Status
	hosts                     *cappedHosts // nil without caps
	unusable                  int64
	weights                   float64 // their sum
	readSeconds, writeSeconds float64
}

func runRates(a *ui.Arguments) error {
	if isTable := a.Format == ui.FormatMarkdown || a.Format == ui.FormatLatex; a.CLI.IsSet("digits") {
		a.OnlyWith("digits", "output markdown or latex", isTable) // the rates are data
		a.ReadDigits(false)
	}
	c := a.CLI
	r := &ratesAnswer{}
	bandwidth := lists.Rate(a, "bandwidth")
	checkObjective(a, r)
	out, hostsOut := lists.OutFile(a, "out"), lists.OutFile(a, "hosts-out")
	picture := figure.Read(a, 1)
	begin := time.Now()
	caps := readHostCaps(a)
	options := lists.InputOptions(a)
	options.Hosts, options.Rules = caps != nil, lists.ReadRules(a)
	if general := lists.ReadIntervals(a, limits.Intervals{}); general != (limits.Intervals{}) {
		options.Rules = append(options.Rules, limits.Rule{Intervals: general})
	}
	pages, report := lists.Read(a, "input", "page", options, pagefile.ReadPages)
	readWeights(a, pages)
	lists.WarnOfUnfit(a, options.Rules, report.Unfit)
	if report.Former {
		a.Warn("%s: the columns least_rate and greatest_rate are ignored: use least_interval and greatest_interval", lists.FileName(a, "input"))
	}
	r.readSeconds = time.Since(begin).Seconds()
	r.problem.Pages, r.unusable = pages.Pages, report.Unusable
	r.unit, r.problem.Bandwidth = pages.Unit, bandwidth.In(pages.Unit)
	readObjective(a, r)
	r.readSignals(a)
	if caps != nil {
		r.hosts = &cappedHosts{pages.Hosts, caps, capsOf(a, caps, &pages.Hosts.Names, pages.Unit)}
		r.problem.Hosts, r.problem.HostCaps = r.hosts.Of, r.hosts.caps
	}
	var err error
	ui.ProgressOf(c.Context).Phase("solving")
	r.solution, err = rates.Optimize(c.Context, r.problem, rates.Settings{Workers: options.Workers})
	if r.solution == nil {
		return r.excess(a, pageFault(pages, err))
	}
	r.status = statusOf(err)
	if r.status == mdp.Interrupted && math.IsInf(r.solution.Bound, 0) {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted before an answer was found")
	}
	given := a.Given(ui.Symbol{"bandwidth", "R"}, ui.Symbol{"objective", "objective "}, ui.Symbol{"access-time", "access time "})
	if err := picture.Save(func() []figure.Panel { return r.panels(wording.Count(pages.Len(), "page") + ", " + given) }); err != nil {
		return err
	}
	r.weights = r.problem.Pages.TotalWeight()
	begin = time.Now()
	interrupted, fault := r.write(a, &pages.IDs, out, hostsOut)
	if fault != nil {
		return fault
	}
	r.writeSeconds = time.Since(begin).Seconds()
	if err := r.summarize(a, out.Name != ""); err != nil {
		return err
	}
	if interrupted && r.status == mdp.Converged {
		return lists.EndOfWriting(true, "the rates")
	}
	return r.end(err)
}

// limited reports whether any page has a limit.
func (r *ratesAnswer) limited() bool {
	return r.problem.Pages.LeastRates != nil || r.problem.Pages.GreatestRates != nil
}

// excess words an error about least rates that do not fit.
func (r *ratesAnswer) excess(a *ui.Arguments, err error) error {
	excess, ok := errors.AsType[*rates.ExcessError](err)
	if !ok {
		return err
	}
	needed := ui.UpperText(excess.Needed) + " " + r.unit.Per()
	if excess.Host < 0 {
		return ui.UsageErrorf("--bandwidth: %s is not enough for the greatest intervals: they need %s", a.CLI.String("bandwidth"), needed)
	}
	return ui.UsageErrorf("--host-cap: the greatest intervals of the pages of host %q need %s, and its cap is %s", r.hosts.Names.At(excess.Host), needed, ui.PlainText(excess.Allowed))
}

// statusOf returns the status of a solution, by the error that came with it.
func statusOf(err error) mdp.Status {
	switch {
	case err == nil:
		return mdp.Converged
	case errors.Is(err, rates.ErrPrecision):
		return mdp.PrecisionLimit
	}
	return mdp.Interrupted
}

// needsLaw reports whether an objective depends on how long accesses take.
func needsLaw(objective string) bool {
	return objective == refresh.Coffman{}.String() || objective == refresh.CoffmanRandomized{}.String()
}

// checkObjective reads --objective, and refuses flags that do not apply to it.
func checkObjective(a *ui.Arguments, r *ratesAnswer) {
	r.objective = a.Choice("objective")
	for _, flag := range []string{"access-time", "access-mean"} {
		a.OnlyWith(flag, "objective coffman or coffman-randomized", needsLaw(r.objective))
	}
}

// readObjective makes the objective; its law of access times is in the unit of the rates.
func readObjective(a *ui.Arguments, r *ratesAnswer) {
	if r.objective == (refresh.Discrete{}).String() && r.unit != unit.Unknown {
		a.Fault("objective", "discrete is not valid for rates %s: use a list without a unit, with probabilities of a change in a slot", r.unit.Per())
	}
	if needsLaw(r.objective) {
		r.law = readAccessLaw(a, r.problem.Bandwidth, r.unit)
	}
	var err error
	if r.problem.Objective, err = refresh.ParseObjective(r.objective, r.law); err != nil {
		a.Fault("objective", "%v", err)
	}
}

// summarize prints what the rates achieve: on standard error if standard output has the
// rates.
func (r *ratesAnswer) summarize(a *ui.Arguments, toFile bool) error {
	text := func(s *ui.Screen) { printRates(s, r) }
	switch {
	case toFile || a.Format == ui.FormatJSON || a.Format == ui.FormatMarkdown || a.Format == ui.FormatLatex:
		return a.PrintRecord(r.record(), text)
	case a.Format == ui.FormatText:
		return a.PrintAside(text)
	}
	return nil
}

func (r *ratesAnswer) record() ui.Record {
	s := r.solution
	answer := ui.Record{
		{"pages", r.problem.Pages.Len()},
		{"active", s.Active},
		{"bandwidth", r.problem.Bandwidth},
		{"unit", lists.UnitValue(r.unit)},
		{"objective", r.objective},
		{"value", s.Value},
		{"bound", s.Bound},
		{"multiplier", s.Multiplier},
		{"used", s.Used},
		{"residual", s.Residual},
		{"status", r.status},
		{"unusable", int(r.unusable)},
	}
	if r.law != nil {
		answer = append(answer, ui.Field{"access_time", r.law.String()}, ui.Field{"access_mean", r.law.Mean()})
	}
	answer = append(answer,
		ui.Field{"seconds", ui.OnlyJSON(s.Elapsed.Seconds())},
		ui.Field{"read_seconds", ui.OnlyJSON(r.readSeconds)},
		ui.Field{"write_seconds", ui.OnlyJSON(r.writeSeconds)},
	)
	if r.limited() {
		answer = append(answer, ui.Field{"at_least_interval", s.AtMost}, ui.Field{"at_greatest_interval", s.AtLeast})
	}
	if r.hosts != nil {
		answer = append(answer, ui.Field{"hosts", len(r.hosts.caps)}, ui.Field{"hosts_capped", r.hosts.binding(s)})
	}
	return answer
}

// end returns the error that the command ends with.
func (r *ratesAnswer) end(err error) error {
	if r.status == mdp.Converged {
		return err
	}
	return ui.EndEarly(ui.ExitOf(r.status), r.status.String()+": the rates keep within the bandwidth; the optimum is "+r.boundWords())
}

// write writes the hosts, and the rates unless the summary is printed instead.
func (r *ratesAnswer) write(a *ui.Arguments, ids *pagefile.IDs, out, hostsOut lists.Out) (interrupted bool, err error) {
	toWrite := out.Name != "" || a.Format == ui.FormatText || a.Format == ui.FormatCSV
	if !toWrite && hostsOut.Name == "" {
		return false, nil
	}
	return lists.WriteWhole(a, func(ctx context.Context) error {
		if hostsOut.Name != "" {
			if err := r.hosts.write(ctx, hostsOut, r.solution); err != nil {
				return err
			}
		}
		if !toWrite {
			return nil
		}
		return r.writeRows(ctx, out, ids, a.Workers())
	})
}

// rateRow is a row of the list of rates; pages with signals also have access_at.
type rateRow struct {
	ID        []byte  `parquet:"id,string"`
	Rate      float64 `parquet:"rate"`
	Interval  float64 `parquet:"interval,optional"`
	Freshness float64 `parquet:"freshness"`
	AccessAt  float64 `parquet:"access_at"`
	Greatest  float64 `parquet:"greatest_interval,optional"`
	Unit      []byte  `parquet:"unit,string,dict"`
}

// writeRows writes the list of rates.
func (r *ratesAnswer) writeRows(ctx context.Context, out lists.Out, ids *pagefile.IDs, workers int) error {
	pages := r.problem.Pages
	// The weights are no longer needed: the freshness takes their memory.
	freshness := refresh.Freshness(r.problem.Objective, pages, r.solution.Rates, pages.Weights, workers)
	unitName := []byte(r.unit.String())
	row := func(i int) rateRow {
		rate := r.solution.Rates[i]
		row := rateRow{ID: ids.Bytes(i), Rate: rate, Interval: refresh.Interval(rate), Freshness: freshness[i], Unit: unitName}
		row.Greatest = refresh.Interval(pages.LeastRate(i))
		if pages.Recalls != nil {
			row.AccessAt = refresh.Signals{}.AccessAt(pages.ChangeRates[i], pages.Recall(i), pages.FalseRate(i), rate)
		}
		return row
	}
	var without []string
	if pages.Recalls == nil {
		without = append(without, "access_at")
	}
	if pages.LeastRates == nil {
		without = append(without, "greatest_interval")
	}
	return lists.WriteInUnit(ctx, out, r.unit, pages.Len(), row, without...)
}
