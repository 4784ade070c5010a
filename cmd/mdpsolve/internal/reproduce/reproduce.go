// Package reproduce recomputes the paper's figures and tables, and compares.
package reproduce

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Command is the verb robots reproduce.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "reproduce",
		Usage:     "the paper's figures and tables, recomputed and compared",
		UsageText: "mdpsolve robots reproduce [--figure 2,…,8] [--table 1,2] [--plot FILE] …",
		Description: `Recomputes J. Talim, Z. Liu, P. Nain and E. G. Coffman, Controlling Robots of Web
Search Engines (1999): Figures 6-8 and Tables 1-2, by the authors' iteration and
exactly. Every printed number stands beside the computed ones, and every difference is
explained; --strict fails if one is not.

Figures 2-5 are recomputed only if --figure names them. They are curves, without
printed numbers to compare with.

--plot draws the figures that are recomputed, each on its own page of a .pdf. With
--table 1 or --table 2 alone, csv, markdown and latex have the rows of the paper.
Otherwise csv and markdown have a row for each printed number.

Examples:
  mdpsolve robots reproduce
  mdpsolve robots reproduce --table 1 -o markdown
  mdpsolve robots reproduce --figure 2:8:1 --plot figures.pdf`,
		Flags: append([]cli.Flag{
			ui.ValueFlag("figure", "recompute figures `n` from 2 to 8: a list (6,7), or a range with a step (2:8:1)", ""),
			ui.ValueFlag("table", "recompute tables `n`: 1, 2 or 1,2", ""),
			ui.ValueFlag("digits", "show computed numbers with `n` decimals (default: as many as the paper prints; all in csv)", ""),
			ui.SwitchFlag("strict", "exit with status 1 if a difference remains unexplained"),
			ui.TableOutputFlag(),
		}, figure.Flags("the figures")...),
		Action: ui.Action(runRobotsReproduce),
	}
}

func runRobotsReproduce(a *ui.Arguments) error {
	c := a.CLI
	figures := readSubset(a, "figure", "6,7 or 2:8:1", append(slices.Clone(curveNumbers), policyNumbers...)...)
	tables := readSubset(a, "table", "1,2", "1", "2")
	if len(figures)+len(tables) == 0 {
		figures, tables = policyNumbers, []string{"1", "2"}
	}
	a.OnlyWith("plot", "figure 2,…,8", len(figures) > 0)
	picture := figure.Read(a, panelCounts(figures)...)
	isTable := len(figures) == 0 && len(tables) == 1
	if a.Format == ui.FormatLatex && !isTable {
		a.Fault("output", "latex is not valid here: use it with --table 1 or --table 2 alone")
	}
	curves, err := curveFigures(figures)
	if err != nil {
		return err
	}
	policies := slices.DeleteFunc(slices.Clone(figures), func(number string) bool { return slices.Contains(curveNumbers, number) })
	if len(curves) > 0 && len(policies)+len(tables) > 0 && (a.Format == ui.FormatCSV || a.Format == ui.FormatMarkdown) {
		a.Fault("figure", "%s is not valid with --output %s: use figures from 2 to 5 alone, or figures from 6 to 8",
			a.CLI.String("figure"), a.Format)
	}
	exhibits := printedExhibits(policies, tables)
	if c.IsSet("digits") {
		a.OnlyWith("digits", "output "+wording.Alternatives([]string{ui.FormatText, ui.FormatCSV, ui.FormatMarkdown, ui.FormatLatex}), a.Format != ui.FormatJSON)
		setDigits(exhibits, int(a.WholeWithin("digits", 0, mostDigits)))
	}
	exhibits, err = recompute(c.Context, exhibits)
	if err != nil && c.Err() != nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted before all cells were recomputed: none is shown")
	}
	if err != nil {
		return err
	}
	report := newReport(exhibits, curves)
	if err := picture.SavePages(report.pages); err != nil {
		return err
	}
	answer := ui.Document{
		JSON: report.record(),
		Rows: report.rows(),
		Text: func(s *ui.Screen) { printReport(s, report) },
	}
	if isTable {
		answer.Rows = exhibits[0].table(a.Format == ui.FormatCSV && !c.IsSet("digits"))
	}
	if a.Format == ui.FormatLatex { // with printed and computed numbers side by side
		a.Format = ui.FormatText
		answer.Text = func(s *ui.Screen) { s.Printf("%s", exhibits[0].latex()) }
	}
	if err := a.Print(answer); err != nil {
		return err
	}
	if c.Bool("strict") && report.unexplained > 0 {
		return ui.EndEarly(ui.ExitFailure, wording.Count(report.unexplained, "difference")+" unexplained")
	}
	return nil
}

// The figures of the paper: curves for fixed numbers of robots, and policies.
var (
	curveNumbers  = []string{"2", "3", "4", "5"}
	policyNumbers = []string{"6", "7", "8"}
)

const mostDigits = 15

// setDigits sets the decimals of computed numbers; whole numbers have none.
func setDigits(exhibits []*exhibit, digits int) {
	for _, e := range exhibits {
		for _, c := range e.cells() {
			if c.decimals() > 0 {
				c.digits = digits
			}
		}
	}
}

// readSubset reads a list of some of the words, which are numbers, and returns it in their
// order; nil where the flag is not set. lists are examples.
func readSubset(a *ui.Arguments, name, lists string, words ...string) []string {
	if !a.CLI.IsSet(name) {
		return nil
	}
	wanted := map[string]bool{}
	a.Numbers(name, wording.Alternatives(words)+", or several as in "+lists, func(x float64) bool {
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
