package main

// The verb freshness: which page to fetch next.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mdpsolve/mdpsolve/examples/crawler/freshness"
)

const freshnessUsage = `Usage: go run . freshness [flags]

Compares how much of what a crawler keeps is up to date, for several rules to choose the page that
is fetched next. Pages change by a Poisson process, as often as Cho and Garcia-Molina measured. A
year is played in seconds, without HTTP, begun with nothing but a list of pages. All rules fetch at
the same times and learn the same; only "rates known" knows how often pages change.

`

// freshnessOptions are what the flags say.
type freshnessOptions struct {
	scenarios []string
	pages     int
	days      float64
	runs      int
	picture   string
}

func parseFreshness(args []string, stdout io.Writer) (freshnessOptions, error) {
	var o freshnessOptions
	var names []string
	for _, s := range freshness.Scenarios(0, 0) {
		names = append(names, s.Name)
	}
	known := strings.Join(names, ", ")
	flags := flag.NewFlagSet("freshness", flag.ContinueOnError)
	scenarios := flags.String("scenario", names[0], "`what` pages are like: "+known+", some of them with commas, or all")
	flags.IntVar(&o.pages, "pages", 100, "`number` of pages")
	flags.Float64Var(&o.days, "days", 365, "`time` that is played")
	flags.IntVar(&o.runs, "runs", 10, "`number` of worlds that each rule crawls")
	flags.StringVar(&o.picture, "plot", "", "`file` for a picture: .svg, .png or .pdf")
	err := readFlags(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, freshnessUsage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return o, err
	}
	o.scenarios = strings.Split(*scenarios, ",")
	if *scenarios == "all" {
		o.scenarios = names
	}
	if err == nil {
		err = o.check(names)
	}
	if err != nil {
		return o, usageError{err}
	}
	return o, nil
}

func (o freshnessOptions) check(names []string) error {
	switch {
	case o.pages < 10 || o.pages > 1_000_000:
		return fmt.Errorf("-pages: %d: use 10 to 1000000", o.pages)
	case !(o.days >= 1 && o.days <= 36_500):
		return fmt.Errorf("-days: %v: use 1 to 36500", o.days)
	case o.runs < 2 || o.runs > 1000:
		return fmt.Errorf("-runs: %d: use 2 to 1000, as an interval needs two", o.runs)
	}
	for _, name := range o.scenarios {
		if !slices.Contains(names, name) {
			return fmt.Errorf("-scenario: %q is not known: use %s or all", name, strings.Join(names, ", "))
		}
	}
	return checkPicture(o.picture, ".svg", ".png", ".pdf")
}

// runFreshness plays the scenarios and prints what came of them.
func runFreshness(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseFreshness(args, stdout)
	if err != nil {
		return err
	}
	var comparisons []freshness.Comparison
	for _, s := range freshness.Scenarios(o.pages, o.days) {
		if err != nil || !slices.Contains(o.scenarios, s.Name) {
			continue
		}
		var c freshness.Comparison
		c, err = freshness.Compare(ctx, s, o.runs, func(done, all int) {
			fmt.Fprintf(stderr, "\r%s: %d of %d crawls", s.Name, done, all)
		})
		fmt.Fprintln(stderr)
		if c.Runs > 1 { // whether interrupted or not
			printFreshness(stdout, c)
			comparisons = append(comparisons, c)
		}
	}
	if len(comparisons) > 0 {
		failed := writePicture(o.picture, func(w io.Writer) error {
			return freshness.Draw(w, filepath.Ext(o.picture), comparisons)
		})
		if err == nil {
			err = failed
		}
	}
	return err
}

// printFreshness prints the table of a comparison.
func printFreshness(out io.Writer, c freshness.Comparison) {
	s := c.Scenario
	fmt.Fprintf(out, "%s: %d pages, %g days, %.4g fetches a day, %d runs\n\n", s.Name, s.Pages, s.Days, s.Bandwidth(), c.Runs)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "rule\tup to date\t±\t%s ahead by\t±\tsecond half\tdays out of date\tidle\tgone\tunchanged\t\n", c.Rules[0].Name)
	for i, r := range c.Rules {
		ahead, width := fmt.Sprintf("%.4f", r.Ahead), fmt.Sprintf("%.4f", r.AheadError)
		if i == 0 {
			ahead, width = "", ""
		}
		fmt.Fprintf(table, "%s\t%.4f\t%.4f\t%s\t%s\t%.4f\t%.2f\t%.0f%%\t%.0f%%\t%.0f%%\t\n",
			r.Name, r.Fresh, r.FreshError, ahead, width, r.Late, r.Age, 100*r.Idle, 100*r.Gone, 100*r.Unchanged)
	}
	fmt.Fprintf(table, "at most\t%.4f\t\t\t\t\t\t\t\t\t\n", c.Bound)
	_ = table.Flush()
	fmt.Fprintln(out, "\n± are confidence intervals of 95 % over the runs.")
	fmt.Fprintln(out)
}
