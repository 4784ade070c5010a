package refresh

// The verb refresh compare.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
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

// comparedPages are some pages.
type comparedPages struct {
	name  string // of the weights, or of the file
	own   bool   // pages from a file
	pages refresh.Pages
	unit  unit.Unit
}

func runCompare(a *ui.Arguments) error {
	from, to := lists.Rate(a, "from"), lists.Rate(a, "to")
	workers := a.Workers()
	collections := readCollections(a)
	shares := bandwidthShares(a, from, to, collections[0].unit)
	picture := figure.Read(a, len(collections))
	return ui.Table[comparison]{
		Rows: len(collections) * len(shares), AtOnce: 1,
		Find: func(ctx context.Context, i int, _ time.Duration) (comparison, error) {
			return compareAt(ctx, collections[i/len(shares)], shares[i%len(shares)], workers)
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
			collections = append(collections, comparedPages{name: weights, pages: syntheticPages(n, weights, seed)})
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
	if !(totalWeight(list.Pages) > 0) {
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

// rules are the ways to choose rates, in the order of tables, with their names in answers for
// programs, in text and in pictures.
var rules = [...]struct{ key, heading, legend string }{
	optimum:        {"optimum", "optimum", "optimum"},
	randomized:     {"randomized", "Azar\net al.", "Azar et al."},
	randomTimes:    {"random_times", "random\ntimes", "random times"},
	changeDirected: {"change_directed", "change-\ndirected", "change-directed"},
	harmonic:       {"harmonic", "harmonic", "harmonic"},
	proportional:   {"proportional", "propor-\ntional", "proportional"},
	uniform:        {"uniform", "uniform", "uniform"},
}

const (
	optimum = iota
	randomized
	randomTimes
	changeDirected
	harmonic
	proportional
	uniform
)

// comparison is what the rules achieve with one bandwidth: the share of requests that meet a
// fresh page, Σw·F/Σw, if pages are requested in proportion to their weights.
type comparison struct {
	of               comparedPages
	share            float64 // bandwidth per page
	bandwidth, bound float64 // no rates exceed the bound
	by               [len(rules)]float64
}

// ofOptimum returns the share of the optimum that Azar et al. achieve.
func (c comparison) ofOptimum() float64 { return c.by[randomized] / c.by[optimum] }

// compareAt computes a point of the curves.
func compareAt(ctx context.Context, of comparedPages, share float64, workers int) (comparison, error) {
	pages, n, total := of.pages, of.pages.Len(), totalWeight(of.pages)
	bandwidth := share * float64(n)
	c := comparison{of: of, share: share, bandwidth: bandwidth}
	x, values, marginals := make([]float64, n), make([]float64, n), make([]float64, n)
	measure := func() float64 {
		refresh.FixedOrder{}.Measure(values, marginals, pages, x)
		sum := doubledouble.Accumulator{}
		sum.AddAll(values)
		return sum.Sum() / total
	}
	for _, best := range []struct {
		rule      int
		objective refresh.Objective
		pages     refresh.Pages
	}{
		{optimum, refresh.FixedOrder{}, pages},
		{randomized, refresh.Random{}, pages},
		{changeDirected, refresh.FixedOrder{}, refresh.Pages{ChangeRates: pages.ChangeRates}},
		{harmonic, refresh.Harmonic{}, pages},
	} {
		problem := refresh.Problem{Pages: best.pages, Objective: best.objective, Bandwidth: bandwidth}
		s, err := rates.Optimize(ctx, problem, rates.Settings{Workers: workers, Rates: x})
		if err != nil {
			return c, err
		}
		c.by[best.rule] = measure()
		switch best.rule {
		case optimum:
			c.by[optimum], c.bound = s.Value/total, s.Bound/total
		case randomized:
			c.by[randomTimes] = s.Value / total
		}
	}
	for i := range x {
		x[i] = bandwidth * (pages.Weight(i) / total)
	}
	c.by[proportional] = measure()
	for i := range x {
		x[i] = bandwidth / float64(n)
	}
	c.by[uniform] = measure()
	return c, nil
}

// The weights of synthetic pages: k from 1 to 10,000 with a probability proportional to 1/k²,
// or uniform on [0, 1).
const zipfWeights, uniformWeights = "zipf", "uniform"

// syntheticPages draws pages as Azar et al. do: change rates uniform on [0, 1), and weights
// independent of them.
func syntheticPages(n int, weights string, seed uint64) refresh.Pages {
	stream := uint64(0)
	if weights == uniformWeights {
		stream = 1
	}
	random := rand.New(rand.NewPCG(seed, stream))
	zipf := rand.NewZipf(random, 2, 1, 9_999)
	p := refresh.Pages{ChangeRates: make([]float64, n), Weights: make([]float64, n)}
	for i := range n {
		p.ChangeRates[i] = random.Float64()
		if weights == uniformWeights {
			p.Weights[i] = random.Float64()
		} else {
			p.Weights[i] = float64(1 + zipf.Uint64())
		}
	}
	return p
}

// record returns the row for printing, with all columns: the bound stands after the optimum,
// and the share of the optimum that Azar et al. achieve at the end, in text beside theirs.
func (c comparison) record() ui.Record {
	percent := func(x float64) string { return fmt.Sprintf("%.2f%%", 100*x) }
	r := ui.Record{
		{"weights", c.of.name},
		{"bandwidth_per_page", ui.Shown("bandwidth\nper page", c.share, ui.Digits(4))},
		{"bandwidth", c.bandwidth},
		{"unit", lists.UnitValue(c.of.unit)},
	}
	for rule, share := range c.by {
		r = append(r, ui.Field{Name: rules[rule].key, Value: ui.Shown(rules[rule].heading, share, percent)})
		switch rule {
		case optimum:
			r = append(r, ui.Field{Name: "bound", Value: c.bound})
		case randomized:
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
