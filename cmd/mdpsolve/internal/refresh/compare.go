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
		Usage:     "the best rates against simpler rules, as the bandwidth varies",
		UsageText: "mdpsolve refresh compare [--weight-law zipf|uniform|both] [--input FILE] [--plot FILE] [options]",
		Description: `Recomputes Figure 1 of Azar, Horvitz, Lubetzky, Peres and Shahaf, Tractable
near-optimal policies for crawling (PNAS 2018): the share of requests that meet a fresh
page. Synthetic pages have random change rates, uniform on [0,1), and random weights,
uniform on [0,1) or Zipf on 1 … 10000 with exponent 2. The rules are

  optimum          the best rates for accesses at even intervals
  Azar et al.      the best rates for random times, used at even intervals
  random times     the best rates for random times, used at random times (F₂ in Azar et al.)
  change-directed  the best rates if all weights were equal
  harmonic         the best rates for the objective harmonic, which gives no page up
  proportional     rates in proportion to weights
  uniform          equal rates

--input compares the rules on your pages; "mdpsolve help refresh rates" describes the file.

Examples:
  mdpsolve refresh compare
  mdpsolve refresh compare --weight-law uniform --from 1/1000 --to 1/5 --steps 200 -o csv
  mdpsolve refresh compare --steps 100 --plot figure1.svg`,
		Flags: slices.Concat([]cli.Flag{
			ui.NewChoiceFlag("weight-law", "`LAW` of the weights of synthetic pages", "both", zipfWeights, uniformWeights, "both"),
			ui.ValueFlag("synthetic", "draw `n` synthetic pages", "1000"),
			ui.ValueFlag("seed", "random `SEED` for synthetic pages", "1"),
			ui.ValueFlag("from", "first bandwidth `A`: accesses per page and unit of time, as in 1/100 or 1/day", "1/100"),
			ui.ValueFlag("to", "last bandwidth `B`", "1/5"),
			ui.ValueFlag("steps", "`n` bandwidths, from A to B", "20"),
			lists.InputFlag("pages of your own"), lists.UnitFlag(), ui.WorkersFlag(),
			ui.OutputFlag(),
		}, figure.Flags("the curves"), lists.ReadingFlags()),
		Action: ui.Action(runCompare),
	}
}

// comparedPages are some pages with their curves.
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
	picture := figure.Read(a, len(collections))
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
	const greatest = 1e90 // accesses per page; the bandwidth is at most 1e100
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

// readCollections reads pages or draws them.
func readCollections(a *ui.Arguments) []comparedPages {
	if a.CLI.IsSet("input") {
		return readOwnPages(a)
	}
	a.OnlyWith("unit", "input", false)
	const mostPages = 10_000_000
	choice := a.Choice("weight-law")
	n := int(a.WholeWithin("synthetic", 1, mostPages))
	seed := uint64(a.WholeWithin("seed", 0, ui.GreatestWhole))
	var collections []comparedPages
	for _, weights := range []string{zipfWeights, uniformWeights} {
		if choice == "both" || choice == weights {
			collections = append(collections, comparedPages{name: weights, pages: refresh.SyntheticPages(n, weights == uniformWeights, seed)})
		}
	}
	return collections
}

// readOwnPages reads pages from a file.
func readOwnPages(a *ui.Arguments) []comparedPages {
	for _, name := range []string{"weight-law", "synthetic", "seed"} {
		if a.CLI.IsSet(name) {
			a.Fault(name, "only for synthetic pages: leave it out, or leave out --input")
		}
	}
	list, _ := lists.Read(a, "input", "page", lists.InputOptions(a), pagefile.ReadPages)
	if !(list.TotalWeight() > 0) {
		a.Fault("input", "%s has no page with a weight above 0: give at least one", lists.FileName(a, "input"))
	}
	return []comparedPages{{name: a.CLI.String("input"), own: true, pages: list.Pages, unit: list.Unit}}
}

// title describes the pages.
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

// compare computes the results, until ctx ends.
func (p *comparedPages) compare(ctx context.Context, shares []float64, workers int) error {
	for _, share := range shares {
		row, err := rates.Compare(ctx, p.pages, share*float64(p.pages.Len()), workers)
		if err != nil {
			return err
		}
		p.results, p.shares = append(p.results, row), append(p.shares, share)
	}
	return nil
}

// rules are the ways to choose rates, in the order of tables, with their names in answers for
// programs, in text and in pictures.
var rules = [rates.NumRules]struct{ key, heading, legend string }{
	rates.Optimum:        {"optimum", "optimum", "optimum"},
	rates.Randomized:     {"randomized", "Azar\net al.", "Azar et al."},
	rates.RandomTimes:    {"random_times", "random\ntimes", "random times"},
	rates.ChangeDirected: {"change_directed", "change-\ndirected", "change-directed"},
	rates.Harmonic:       {"harmonic", "harmonic", "harmonic"},
	rates.Proportional:   {"proportional", "propor-\ntional", "proportional"},
	rates.Uniform:        {"uniform", "uniform", "uniform"},
}

// ofOptimum returns the share of the optimum that Azar et al. achieve.
func ofOptimum(c *rates.Comparison) float64 {
	return c.Shares[rates.Randomized] / c.Shares[rates.Optimum]
}

// The weights of synthetic pages.
const zipfWeights, uniformWeights = "zipf", "uniform"

// records have the bound after the optimum, and at the end the share of the optimum that Azar
// et al. achieve.
func (p *comparedPages) records() []ui.Record {
	records := make([]ui.Record, len(p.results))
	for i, r := range p.results {
		record := ui.Record{{"weights", p.name}, {"bandwidth_per_page", p.shares[i]}, {"bandwidth", r.Bandwidth}, {"unit", lists.UnitValue(p.unit)}}
		for rule, share := range r.Shares {
			record = append(record, ui.Field{Name: rules[rule].key, Value: share})
			if rates.Rule(rule) == rates.Optimum {
				record = append(record, ui.Field{Name: "bound", Value: r.Bound})
			}
		}
		records[i] = append(record, ui.Field{Name: "randomized_of_optimum", Value: ofOptimum(&r)})
	}
	return records
}

// printComparison prints the share of the optimum beside the rule of Azar et al.
func printComparison(s *ui.Screen, collections []comparedPages) {
	s.Heading("Requests that meet a fresh page, as the bandwidth varies")
	const after = rates.Randomized + 1 // the column of the share of the optimum
	var headings []string
	for _, rule := range rules {
		headings = append(headings, rule.heading)
	}
	headings = slices.Insert(headings, int(after), "Azar/\noptimum")
	for _, p := range collections {
		s.Printf("\n  %s\n\n", p.title())
		t := table.NewWriter()
		header, configs := table.Row{"bandwidth\nper page"}, []table.ColumnConfig{{Number: 1, VAlignHeader: text.VAlignBottom}}
		for i, heading := range headings {
			header = append(header, heading)
			configs = append(configs, table.ColumnConfig{Number: i + 2, VAlignHeader: text.VAlignBottom})
		}
		t.AppendHeader(header)
		t.SetColumnConfigs(configs)
		least, greatest := math.Inf(1), math.Inf(-1)
		for i, r := range p.results {
			row := table.Row{ui.ShortText(p.shares[i], 4)}
			for _, share := range slices.Insert(slices.Clone(r.Shares[:]), int(after), ofOptimum(&r)) {
				row = append(row, fmt.Sprintf("%.2f%%", 100*share))
			}
			t.AppendRow(row)
			least, greatest = min(least, ofOptimum(&r)), max(greatest, ofOptimum(&r))
		}
		s.Table(t)
		if len(p.results) > 0 {
			s.Printf("\n")
			s.Wrapped("  ", fmt.Sprintf("Azar et al. achieve %.2f%% to %.2f%% of the optimum. Their paper says 99%% of an optimum that was found numerically.",
				100*least, 100*greatest))
		}
	}
}
