package refresh

// The verb refresh compare.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
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
			ui.TableOutputFlag(), ui.DigitsFlag(),
		}, figure.Flags("the curves"), lists.ReadingFlags()),
		Action: ui.Action(runCompare),
	}
}

// comparedPages are one collection of pages.
type comparedPages struct {
	name  string // of the weights, or of the file
	own   bool   // pages from a file
	pages refresh.Pages
	unit  unit.Unit
}

func runCompare(a *ui.Arguments) error {
	a.ReadDigits(true)
	from, to := lists.Rate(a, "from"), lists.Rate(a, "to")
	workers := a.Workers()
	collections := readCollections(a)
	shares := bandwidthShares(a, from, to, collections[0].unit)
	picture := figure.Read(a, len(collections))
	return ui.Table[comparison]{
		Rows: len(collections) * len(shares), AtOnce: 1,
		Find: func(ctx context.Context, i int, _ time.Duration) (comparison, error) {
			return compare(ctx, collections[i/len(shares)], shares[i%len(shares)], workers)
		},
		Record: comparison.record,
		Save: func(rows []comparison) error {
			return picture.Save(func() []figure.Panel {
				return comparePanels(slices.Collect(slices.Chunk(rows, len(shares))))
			})
		},
		Text: func(s *ui.Screen, rows []comparison, records []ui.Record) {
			s.Heading("Requests that meet a fresh page, as the bandwidth varies")
			for found := range slices.Chunk(rows, len(shares)) {
				printComparison(s, found, records[:len(found)])
				records = records[len(found):]
			}
		},
	}.Print(a)
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
	pages := wording.Count(p.pages.Len(), "page")
	if p.own {
		pages += " of " + p.name
		if p.unit != unit.Unknown {
			pages += ", rates " + p.unit.Per()
		}
		return pages
	}
	return pages + ", weights " + p.name
}

// rules are the ways to choose rates, in the order of tables, with their names in answers for
// programs, in text and in pictures.
var rules = [rates.NumRules]struct{ key, heading, legend string }{
	rates.Optimum:        {"optimum", "optimum", "optimum"},
	rates.Randomized:     {"randomized", "Azar\net al.", "Azar et al."},
	rates.RandomTimes:    {"random_times", "random\ntimes", "random times"},
	rates.ChangeDirected: {"change_directed", "change-\ndirected", "change-directed"},
	rates.Harmonic:       {"harmonic", "harmonic", "harmonic"},
	rates.Proportional:   {"proportional", "proportional", "proportional"},
	rates.Uniform:        {"uniform", "uniform", "uniform"},
}

// comparison is a row: what the rules achieve on some pages.
type comparison struct {
	of    comparedPages
	share float64 // bandwidth per page
	rates.Comparison
}

// compare finds a row.
func compare(ctx context.Context, of comparedPages, share float64, workers int) (comparison, error) {
	found, err := rates.Compare(ctx, of.pages, share*float64(of.pages.Len()), workers)
	return comparison{of, share, found}, err
}

// ofOptimum returns the share of the optimum that Azar et al. achieve.
func (c comparison) ofOptimum() float64 { return c.Shares[rates.Randomized] / c.Shares[rates.Optimum] }

// The weights of synthetic pages.
const zipfWeights, uniformWeights = "zipf", "uniform"

// record returns the row for printing, with all columns. The bound comes after the optimum. The
// share of the optimum that Azar et al. achieve comes last, but in text after their own column.
func (c comparison) record() ui.Record {
	percent := func(x float64) string { return fmt.Sprintf("%.2f%%", 100*x) }
	r := ui.Record{
		{"weights", c.of.name},
		{"bandwidth_per_page", ui.Shown("bandwidth\nper page", c.share, ui.Digits(4))},
		{"bandwidth", c.Bandwidth},
		{"unit", lists.UnitValue(c.of.unit)},
	}
	for rule, share := range c.Shares {
		r = append(r, ui.Field{Name: rules[rule].key, Value: ui.Shown(rules[rule].heading, share, percent)})
		switch rates.Rule(rule) {
		case rates.Optimum:
			r = append(r, ui.Field{Name: "bound", Value: c.Bound})
		case rates.Randomized:
			r = append(r, ui.Field{Value: ui.Shown("Azar/\noptimum", c.ofOptimum(), percent)})
		}
	}
	return append(r, ui.Field{Name: "randomized_of_optimum", Value: c.ofOptimum()})
}

// printComparison prints the rows of some pages.
func printComparison(s *ui.Screen, rows []comparison, records []ui.Record) {
	s.Printf("\n  %s\n\n", rows[0].of.title())
	s.Records(records)
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		least, greatest = min(least, r.ofOptimum()), max(greatest, r.ofOptimum())
	}
	s.Printf("\n")
	s.Wrapped("  ", fmt.Sprintf("Azar et al. achieve %.2f%% to %.2f%% of the optimum. Their paper says 99%% of an optimum that was found numerically.",
		100*least, 100*greatest))
}
