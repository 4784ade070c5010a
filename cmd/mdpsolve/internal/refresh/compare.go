package refresh

// The verb refresh compare.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "the best rates beside simpler rules, as the bandwidth varies",
		UsageText: "mdpsolve refresh compare [--weights zipf|uniform|both] [--plot FILE] …",
		Description: `Recomputes Figure 1 of Azar, Horvitz, Lubetzky, Peres and Shahaf, Tractable
near-optimal policies for crawling (PNAS 2018): the share of requests that meet
a fresh page, for synthetic pages with change rates uniform on [0,1) and weights
that are Zipf with exponent 2 on 1 … 10000, or uniform. The rates are

  optimum          the best for accesses at even distances, solved exactly
  Azar et al.      the best for accesses at random times, at even distances
  random times     the same, at random times: their F₂
  change-directed  the best if all weights were equal
  harmonic         the best for harmonic staleness, which gives no page up
  proportional     in proportion to weights
  uniform          all equal

With --input the pages are your own, and --unit is theirs: see mdpsolve refresh
rates --help.

Examples:
  mdpsolve refresh compare
  mdpsolve refresh compare --weights uniform --from 1/1000 --to 1/5 --steps 200 -o csv
  mdpsolve refresh compare --steps 100 --plot figure1.svg`,
		Flags: slices.Concat([]cli.Flag{
			ui.NewChoiceFlag("weights", "draw `WEIGHTS`", "both", rates.ZipfWeights.String(), rates.UniformWeights.String(), "both"),
			ui.ValueFlag("pages", "`n` synthetic pages", "1000"),
			ui.ValueFlag("seed", "draw them with random numbers of `SEED`", "1"),
			ui.ValueFlag("from", "first bandwidth `A`, in accesses per page and unit of time, as in 1/100 or 1/day", "1/100"),
			ui.ValueFlag("to", "last bandwidth `B`", "1/5"),
			ui.ValueFlag("steps", "`n` bandwidths, both ends included", "20"),
			lists.InputFlag("pages of your own"), lists.UnitFlag(), ui.WorkersFlag(),
			ui.OutputFlag(),
		}, figure.Flags("the curves"), lists.ReadingFlags()),
		Action: ui.Action(runCompare),
	}
}

// comparedPages are the curves for one collection.
type comparedPages struct {
	name    string // of the weights, or of the file
	own     bool   // pages from a file
	pages   refresh.Pages
	unit    unit.Unit
	shares  []float64 // bandwidths per page
	results []rates.Comparison
}

func runCompare(a *ui.Arguments) error {
	c := a.CLI
	from, to := lists.Rate(a, "from"), lists.Rate(a, "to")
	workers := a.Workers()
	collections := readCollections(a)
	shares := bandwidthShares(a, from, to, collections[0].unit)
	picture := figure.Read(a, panelNames(collections)...)
	var stop error
	progress := ui.ProgressOf(c.Context)
	progress.Phase("comparing")
	for i := range collections {
		progress.Count(int64(i*len(shares)), int64(len(collections)*len(shares)), "bandwidths")
		if stop = collections[i].compare(c.Context, shares, workers); stop != nil {
			break
		}
	}
	if stop != nil && !errors.Is(stop, context.Canceled) {
		return stop
	}
	if stop == nil {
		if err := picture.Save(func() []figure.Panel { return comparePanels(collections) }); err != nil {
			return err
		}
	}
	var rows []ui.Record
	for _, collection := range collections {
		rows = append(rows, collection.records()...)
	}
	if err := a.PrintRecords(rows, func(s *ui.Screen) { printComparison(s, collections) }); err != nil {
		return err
	}
	if stop != nil {
		return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted after %d of %d comparisons", len(rows), len(collections)*len(shares)))
	}
	return nil
}

// bandwidthShares returns the bandwidths per page, evenly spaced, in the unit of the pages.
func bandwidthShares(a *ui.Arguments, first, last lists.Quantity, u unit.Unit) []float64 {
	const greatest = 1e90 // accesses per page; those in total are up to 1e100
	from, to := first.In(u), last.In(u)
	if !(from <= greatest) {
		a.Fault("from", "%s is not valid: use a number from 1e-100 to 1e90", first.Text)
	}
	if !(to >= from && to <= greatest) {
		a.Fault("to", "%s is not valid: use a number from --from to 1e90", last.Text)
	}
	steps := int(a.WholeWithin("steps", 1, ui.MaxSteps))
	shares := make([]float64, steps)
	for i := range shares {
		share := float64(i) / float64(max(1, steps-1))
		shares[i] = from*(1-share) + to*share
	}
	return shares
}

// readCollections reads the pages, or draws them.
func readCollections(a *ui.Arguments) []comparedPages {
	if a.CLI.IsSet("input") {
		return readOwnPages(a)
	}
	a.OnlyWith("unit", "input", false)
	const mostPages = 10_000_000
	choice := a.Choice("weights")
	n := int(a.WholeWithin("pages", 1, mostPages))
	seed := uint64(a.WholeWithin("seed", 0, ui.GreatestWhole))
	var collections []comparedPages
	for _, weights := range []rates.SyntheticWeights{rates.ZipfWeights, rates.UniformWeights} {
		if choice == "both" || choice == weights.String() {
			collections = append(collections, comparedPages{name: weights.String(), pages: rates.SyntheticPages(n, weights, seed)})
		}
	}
	return collections
}

// readOwnPages reads pages from a file.
func readOwnPages(a *ui.Arguments) []comparedPages {
	for _, name := range []string{"weights", "pages", "seed"} {
		if a.CLI.IsSet(name) {
			a.Fault(name, "not valid with --input: use one of the two")
		}
	}
	list, _ := lists.Read(a, "input", "page", lists.InputOptions(a), pagefile.ReadPages)
	if !(totalWeight(list.Pages) > 0) {
		a.Fault("input", "%s has no page with a weight above 0: give one or more", a.CLI.String("input"))
	}
	return []comparedPages{{name: a.CLI.String("input"), own: true, pages: list.Pages, unit: list.Unit}}
}

// title says what pages these are.
func (p *comparedPages) title() string {
	pages := ui.Count(p.pages.Len(), "page")
	if p.own {
		pages += " of " + p.name
		if p.unit != unit.Unknown {
			pages += ", rates " + p.unit.Per()
		}
		return pages
	}
	return pages + ", weights " + p.name
}

// compare fills the results, as far as ctx allows.
func (p *comparedPages) compare(ctx context.Context, shares []float64, workers int) error {
	for _, share := range shares {
		row, err := rates.Compare(ctx, p.pages, share*float64(p.pages.Len()), rates.Settings{Workers: workers})
		if err != nil {
			return err
		}
		p.results, p.shares = append(p.results, row), append(p.shares, share)
	}
	return nil
}

// rule is a way to choose rates.
type rule struct {
	key, heading, legend string // for programs, in the text, in pictures
	of                   func(rates.Comparison) float64
}

// rules are those that are compared, in the order of tables.
var rules = []rule{
	{"optimum", "optimum", "optimum", func(r rates.Comparison) float64 { return r.Optimum }},
	{"randomized", "Azar\net al.", "Azar et al.", func(r rates.Comparison) float64 { return r.Randomized }},
	{"random_times", "random\ntimes", "random times", func(r rates.Comparison) float64 { return r.RandomTimes }},
	{"change_directed", "change-\ndirected", "change-directed", func(r rates.Comparison) float64 { return r.ChangeDirected }},
	{"harmonic", "harmonic", "harmonic", func(r rates.Comparison) float64 { return r.Harmonic }},
	{"proportional", "propor-\ntional", "proportional", func(r rates.Comparison) float64 { return r.Proportional }},
	{"uniform", "uniform", "uniform", func(r rates.Comparison) float64 { return r.Uniform }},
}

// records have the bound behind the optimum, and how much of it Azar et al. achieve at
// the end.
func (p *comparedPages) records() []ui.Record {
	records := make([]ui.Record, len(p.results))
	for i, r := range p.results {
		record := ui.Record{{"weights", p.name}, {"bandwidth_per_page", p.shares[i]}, {"bandwidth", r.Bandwidth}, {"unit", lists.UnitValue(p.unit)}}
		for _, rule := range rules {
			record = append(record, ui.Field{Name: rule.key, Value: rule.of(r)})
			if rule.key == "optimum" {
				record = append(record, ui.Field{Name: "bound", Value: r.Bound})
			}
		}
		records[i] = append(record, ui.Field{Name: "randomized_of_optimum", Value: r.Randomized / r.Optimum})
	}
	return records
}

// printComparison has what Azar et al. achieve of the optimum beside it.
func printComparison(s *ui.Screen, collections []comparedPages) {
	s.Heading("Requests that meet a fresh page, as the bandwidth varies")
	columns := slices.Insert(slices.Clone(rules), 2, rule{heading: "of the\noptimum", of: func(r rates.Comparison) float64 { return r.Randomized / r.Optimum }})
	for _, p := range collections {
		s.Printf("\n  %s\n\n", p.title())
		t := table.NewWriter()
		header, configs := table.Row{"R/page"}, []table.ColumnConfig{{Number: 1, VAlignHeader: text.VAlignBottom}}
		for i, column := range columns {
			header = append(header, column.heading)
			configs = append(configs, table.ColumnConfig{Number: i + 2, VAlignHeader: text.VAlignBottom})
		}
		t.AppendHeader(header)
		t.SetColumnConfigs(configs)
		least, greatest := math.Inf(1), math.Inf(-1)
		for i, r := range p.results {
			row := table.Row{ui.ShortText(p.shares[i], 4)}
			for _, column := range columns {
				row = append(row, fmt.Sprintf("%.2f%%", 100*column.of(r)))
			}
			t.AppendRow(row)
			least, greatest = min(least, r.Randomized/r.Optimum), max(greatest, r.Randomized/r.Optimum)
		}
		s.Table(t)
		if len(p.results) > 0 {
			s.Printf("\n")
			s.Wrapped("  ", fmt.Sprintf("The rates of Azar et al. achieve %.2f%% to %.2f%% of the optimum; their paper says 99%%, of an optimum found numerically.",
				100*least, 100*greatest))
		}
	}
}
