// Package reproduce recomputes what the paper prints, and compares.
package reproduce

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Command is the verb robots reproduce.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "reproduce",
		Usage:     "the paper's figures and tables, recomputed and compared",
		UsageText: "mdpsolve robots reproduce [--figure 2,…,8] [--table 1,2] [--plot FILE] …",
		Description: `Recomputes Figures 6-8 and Tables 1-2 of J. Talim, Z. Liu, P. Nain and
E. G. Coffman, Controlling Robots of Web Search Engines (1999): by the iteration
that the authors used and exactly. All cells are shown beside the printed ones,
and of each difference it is said what it is, as far as computing can tell.
Without --figure and --table all of these are recomputed.

Figures 2-5 are curves, of which the paper prints no numbers: they are computed on
request, and with --plot they are drawn, as Figures 6-8 are.

Examples:
  mdpsolve robots reproduce
  mdpsolve robots reproduce --table 2
  mdpsolve robots reproduce --figure 2 --plot figure2.svg
  mdpsolve robots reproduce --strict -o json`,
		Flags: append([]cli.Flag{
			ui.ValueFlag("figure", "recompute figures `n`, of 2 to 8: 6,7 or 2:8:1", ""),
			ui.ValueFlag("table", "recompute tables `n`: 1, 2 or 1,2", ""),
			ui.SwitchFlag("strict", "exit with status 1 if a difference remains unexplained"),
			ui.OutputFlag(),
		}, figure.Flags("the figures")...),
		Action: ui.Action(runRobotsReproduce),
	}
}

func runRobotsReproduce(a *ui.Arguments) error {
	c := a.CLI
	figures := readSubset(a, "figure", append(slices.Clone(curveNumbers), policyNumbers...)...)
	tables := readSubset(a, "table", "1", "2")
	a.OnlyWith("plot", "figure 2,…,8", len(figures) > 0)
	picture := figure.Read(a, panelNames(figures)...)
	if len(figures)+len(tables) == 0 {
		figures, tables = policyNumbers, []string{"1", "2"}
	}
	curves, err := curveFigures(figures)
	if err != nil {
		return err
	}
	policies := slices.DeleteFunc(slices.Clone(figures), func(number string) bool { return slices.Contains(curveNumbers, number) })
	if len(curves) > 0 && len(policies)+len(tables) > 0 && (a.Format == ui.FormatCSV || a.Format == ui.FormatMarkdown) {
		a.Fault("figure", "%s is not valid here with --output %s, whose rows are of one kind: use 2 to 5 alone",
			a.CLI.String("figure"), a.Format)
	}
	exhibits, err := recompute(c.Context, printedExhibits(policies, tables))
	if err != nil && c.Err() != nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted before all cells were recomputed: none is shown")
	}
	if err != nil {
		return err
	}
	report := newReport(exhibits, curves)
	if err := picture.Save(report.panels); err != nil {
		return err
	}
	if err := a.Print(ui.Document{
		JSON: report.record(),
		Rows: report.rows(),
		Text: func(s *ui.Screen) { printReport(s, report) },
	}); err != nil {
		return err
	}
	if c.Bool("strict") && report.unexplained > 0 {
		return ui.EndEarly(ui.ExitFailure, ui.Count(report.unexplained, "difference")+" unexplained")
	}
	return nil
}

// The figures of the paper: curves of fixed numbers, and policies.
var (
	curveNumbers  = []string{"2", "3", "4", "5"}
	policyNumbers = []string{"6", "7", "8"}
)

// readSubset reads a list of some of the words, which are numbers, in their order; none
// where the flag is not set.
func readSubset(a *ui.Arguments, name string, words ...string) []string {
	if !a.CLI.IsSet(name) {
		return nil
	}
	wanted := map[string]bool{}
	a.Numbers(name, ui.Enumerate(words), func(x float64) bool {
		word := ui.ExactText(x)
		wanted[word] = true
		return slices.Contains(words, word)
	})
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !wanted[word] })
}

// report is the reproduction with all its cells counted.
type report struct {
	exhibits                  []*exhibit
	curves                    []curveFigure
	cells, equal, unexplained int
	differing                 []*cell
	notes                     []string
}

func newReport(exhibits []*exhibit, curves []curveFigure) *report {
	r := &report{exhibits: exhibits, curves: curves}
	if len(curves) > 0 {
		r.notes = append(r.notes, ownParameters)
	}
	for _, e := range exhibits {
		r.notes = append(r.notes, e.notes...)
		for _, c := range e.cells() {
			r.cells++
			if c.equal() {
				r.equal++
				continue
			}
			r.differing = append(r.differing, c)
			if !c.explained {
				r.unexplained++
			}
		}
	}
	return r
}

func (r *report) record() ui.Record {
	differing := make([]ui.Record, len(r.differing))
	for i, c := range r.differing {
		differing[i] = c.record()
	}
	record := ui.Record{
		{"cells", r.cells},
		{"equal", r.equal},
		{"unexplained", r.unexplained},
		{"notes", append([]string{}, r.notes...)},
		{"differing", differing},
	}
	if len(r.curves) > 0 {
		var curves []ui.Record
		for _, f := range r.curves {
			curves = append(curves, f.records()...)
		}
		record = append(record, ui.Field{Name: "curves", Value: curves})
	}
	return record
}

// rows lists all cells, those that agree included, or the points of curves.
func (r *report) rows() []ui.Record {
	var rows []ui.Record
	for _, f := range r.curves {
		rows = append(rows, f.rows()...)
	}
	for _, e := range r.exhibits {
		for _, c := range e.cells() {
			rows = append(rows, c.record())
		}
	}
	return rows
}
