// Package reproduce recomputes what the paper prints, and compares.
package reproduce

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Command is the verb robots reproduce.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "reproduce",
		Usage:     "the paper's figures and tables, recomputed and compared",
		UsageText: "mdpsolve robots reproduce [--figure 6,7,8] [--table 1,2] [--strict] [-o FORMAT]",
		Description: `Recomputes Figures 6-8 and Tables 1-2 of J. Talim, Z. Liu, P. Nain and
E. G. Coffman, Controlling Robots of Web Search Engines (1999): by the iteration
that the authors used and exactly. All cells are shown beside the printed ones,
and of each difference it is said what it is, as far as computing can tell.
Without --figure and --table everything is recomputed.

Examples:
  mdpsolve robots reproduce
  mdpsolve robots reproduce --table 2
  mdpsolve robots reproduce --strict -o json`,
		Flags: []cli.Flag{
			ui.ValueFlag("figure", "recompute figures `6,7,8`", ""),
			ui.ValueFlag("table", "recompute tables `1,2`", ""),
			ui.SwitchFlag("strict", "exit with status 1 if a difference remains unexplained"),
			ui.OutputFlag(),
		},
		Action: ui.Action(runRobotsReproduce),
	}
}

func runRobotsReproduce(a *ui.Arguments) error {
	c := a.CLI
	figures := readSubset(a, "figure", "6", "7", "8")
	tables := readSubset(a, "table", "1", "2")
	if len(figures)+len(tables) == 0 {
		figures, tables = []string{"6", "7", "8"}, []string{"1", "2"}
	}
	exhibits, err := recompute(c.Context, printedExhibits(figures, tables))
	if err != nil {
		return err
	}
	report := newReport(exhibits)
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

// readSubset reads a list of some of the words, in their order; none where the
// flag is not set.
func readSubset(a *ui.Arguments, name string, words ...string) []string {
	if !a.CLI.IsSet(name) {
		return nil
	}
	found := map[string]bool{}
	for part := range strings.SplitSeq(a.CLI.String(name), ",") {
		found[part] = true
	}
	var chosen []string
	for _, word := range words {
		if found[word] {
			chosen = append(chosen, word)
			delete(found, word)
		}
	}
	if len(found) > 0 {
		a.Fault(name, "%q is not valid: use %s, or several set apart by commas", a.CLI.String(name), ui.Enumerate(words))
	}
	return chosen
}

// report is the reproduction with all its cells counted.
type report struct {
	exhibits                  []*exhibit
	cells, equal, unexplained int
	differing                 []*cell
	notes                     []string
}

func newReport(exhibits []*exhibit) *report {
	r := &report{exhibits: exhibits}
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
	return ui.Record{
		{"cells", r.cells},
		{"equal", r.equal},
		{"unexplained", r.unexplained},
		{"notes", append([]string{}, r.notes...)},
		{"differing", differing},
	}
}

// rows lists all cells, those that agree included.
func (r *report) rows() []ui.Record {
	var rows []ui.Record
	for _, e := range r.exhibits {
		for _, c := range e.cells() {
			rows = append(rows, c.record())
		}
	}
	return rows
}
