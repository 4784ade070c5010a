// This file prints the figures and tables of the paper beside the recomputed values.

package reproduce

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/grid"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

func printReport(s *ui.Screen, r *report) {
	s.Heading("Controlling Robots of Web Search Engines: printed and recomputed")
	if len(r.exhibits) > 0 {
		printCells(s, r)
	}
	for _, f := range r.curves {
		f.print(s)
	}
	for _, note := range r.notes {
		s.Wrapped("  ", note+".")
		s.Printf("\n")
	}
	if len(r.differing) > 0 {
		s.Heading("Differences")
		for _, c := range r.differing {
			printDifference(s, c)
		}
		s.Printf("\n")
	}
	if len(r.exhibits) > 0 {
		s.Wrapped("", s.Styled(ui.Bold, r.summary()))
	}
}

// printCells prints the exhibits with cells.
func printCells(s *ui.Screen, r *report) {
	s.Wrapped("  ", "Each column has the printed value and the value by the paper's method. The exact value stands beside them "+
		"for costs, and where it differs. * marks a value that does not round to the printed one.")
	s.Printf("\n")
	for _, e := range r.exhibits {
		printExhibit(s, e)
	}
}

func (r *report) summary() string {
	equal := fmt.Sprintf("%d cells: %d equal", r.cells, r.equal)
	if len(r.differing) == 0 {
		return equal + "."
	}
	byPaper := 0
	for _, c := range r.differing {
		if c.agreesByPaper() {
			byPaper++
		}
	}
	return fmt.Sprintf("%s, %d equal only by the paper's method, %d explained otherwise, %d unexplained.",
		equal, byPaper, len(r.differing)-byPaper-r.unexplained, r.unexplained)
}

// printExhibit prints all cells of an exhibit, and the curves of the figures.
func printExhibit(s *ui.Screen, e *exhibit) {
	s.Heading("%s", e.name)
	if e.reach == reachGiven {
		printFigures(s, e.rows)
	}
	rows := make([]ui.Record, len(e.rows))
	for k, r := range e.rows {
		rows[k] = ui.Record{
			{"", ui.Shown("λ", r.parameters.ArrivalRate, ui.Digits(6))}, {"", ui.Shown("K", r.parameters.Buffer)}, {"", ui.Shown("γ", r.gamma)},
		}
		if e.reach == reachGiven {
			rows[k] = ui.Record{{"", ui.Shown("Figure", strings.TrimPrefix(r.name, "Figure "))}}
		}
	}
	for i, column := range e.columns {
		for k, text := range e.texts(i) {
			rows[k] = append(rows[k], ui.Field{Value: ui.Shown(titles[column], markedText(s, text))})
		}
	}
	s.Records(rows)
	s.Printf("\n")
}

var titles = map[string]string{
	"C_static": "cost fixed", "N_static": "N", "C_dynamic": "cost switching", "cost": "cost",
	"N_min": "N min", "N_mean": "N mean", "N_max": "N max", "iterations": "iterations",
}

// texts returns the text of a column for each row: printed values beside computed ones.
func (e *exhibit) texts(column int) []string {
	printed, computed, showExact := 0, 0, e.showsExact(column) // widths
	for _, r := range e.rows {
		c := r.cells[column]
		printed, computed = max(printed, len(c.printed)), max(computed, len(c.round(c.paper)))
	}
	mark := func(agrees bool) string {
		if agrees {
			return " "
		}
		return "*"
	}
	var texts []string
	for _, r := range e.rows {
		c := r.cells[column]
		line := fmt.Sprintf("%*s %*s%s", printed, c.printed, computed, c.round(c.paper), mark(c.agreesByPaper()))
		if showExact {
			line += fmt.Sprintf("%*s%s", computed, c.round(c.exact), mark(c.agreesExactly()))
		}
		texts = append(texts, line)
	}
	return texts
}

// printFigures draws the optimal policies side by side.
func printFigures(s *ui.Screen, rows []*row) {
	for _, event := range []robots.Event{robots.Departure, robots.Arrival} {
		var drawings [][]string
		for _, r := range rows {
			decisions := grid.New(r.outcome.exact.Policy, r.outcome.exact.Parameters.Robots+1)
			lines := decisions.Departures()
			if event == robots.Arrival {
				lines = decisions.Arrivals(0)
			}
			title := fmt.Sprintf("  %s: %v, γ = %s", r.name, event, r.gamma)
			drawings = append(drawings, append([]string{title}, lines...))
		}
		const width = 30
		perLine := max(1, s.Width/width)
		for len(drawings) > 0 {
			beside := drawings[:min(perLine, len(drawings))]
			drawings = drawings[len(beside):]
			for i := range beside[0] {
				var line strings.Builder
				for _, drawing := range beside {
					line.WriteString(text.Pad(drawing[i], width, ' '))
				}
				s.Printf("%s\n", grid.Coloured(s, strings.TrimRight(line.String(), " ")))
			}
			s.Printf("\n")
		}
	}
	p := rows[0].parameters
	s.Printf("  The optimal policies for N = %d, K = %d, λ = %s: %s activate, %s do not.\n\n",
		p.Robots, p.Buffer, ui.ShortText(p.ArrivalRate, 6), s.Styled(ui.Cyan, "█"), s.Styled(ui.Faint, "·"))
}

var markedNumber = regexp.MustCompile(`[0-9.]+\*`)

// markedText colours the numbers that are followed by *.
func markedText(s *ui.Screen, cells string) string {
	return markedNumber.ReplaceAllStringFunc(cells, func(number string) string { return s.Styled(ui.Yellow, number) })
}

func printDifference(s *ui.Screen, c *cell) {
	name := fmt.Sprint(c.row.label)
	if _, table := c.row.label.(int); table {
		name = fmt.Sprintf("Table %v, %s", c.row.label, c.row.name)
	}
	exact := ""
	if !math.IsNaN(c.exact) {
		exact = ", exact " + c.round(c.exact)
	}
	s.Wrapped("  ", fmt.Sprintf("%s, %s: printed %s, paper's method %s%s",
		name, s.Styled(ui.Bold, c.column), c.printed, c.round(c.paper), exact))
	s.Wrapped("    ", c.verdict)
}
