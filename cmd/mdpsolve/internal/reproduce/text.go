// This file prints the figures and tables of the paper beside the recomputed values.

package reproduce

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

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

// printCells prints the exhibits that have cells.
func printCells(s *ui.Screen, r *report) {
	s.Wrapped("  ", "Each column holds the printed value, that by the paper's method, and the exact one (always beside costs, "+
		"elsewhere where it differs). * marks what does not round to the printed value.")
	s.Printf("\n")
	for _, e := range r.exhibits {
		printExhibit(s, e)
	}
}

func (r *report) summary() string {
	text := fmt.Sprintf("%d cells: %d equal", r.cells, r.equal)
	if len(r.differing) == 0 {
		return text + "."
	}
	byPaper := 0
	for _, c := range r.differing {
		if c.agreesByPaper() {
			byPaper++
		}
	}
	return fmt.Sprintf("%s, %d equal by the paper's method alone, %d explained otherwise, %d unexplained.",
		text, byPaper, len(r.differing)-byPaper-r.unexplained, r.unexplained)
}

// printExhibit prints all cells of an exhibit, and the curves of the figures.
func printExhibit(s *ui.Screen, e *exhibit) {
	s.Heading("%s", e.name)
	if e.reach == reachGiven {
		printFigures(s, e.rows)
	}
	groups := e.groups()
	for _, block := range fit(groups[0], groups[1:], s.Width-2) {
		printBlock(s, block, len(e.rows))
	}
}

// printFigures draws the optimal policies, several side by side.
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
					line.WriteString(padded(drawing[i], width))
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

// fit packs groups into blocks that are no wider than the screen, each of
// which begins with the first group.
func fit(first group, others []group, width int) [][]group {
	var blocks [][]group
	left := 0
	for _, g := range others {
		need := g.width() + utf8.RuneCountInString(betweenGroups)
		if len(blocks) == 0 || need > left {
			blocks = append(blocks, []group{first})
			left = width - first.width()
		}
		last := len(blocks) - 1
		blocks[last] = append(blocks[last], g)
		left -= need
	}
	return blocks
}

const (
	betweenGroups  = "│ "
	betweenHeaders = "┼─"
)

// printBlock prints groups side by side.
func printBlock(s *ui.Screen, groups []group, rows int) {
	line := func(separator string, text func(group) string) {
		parts := make([]string, len(groups))
		for i, g := range groups {
			parts[i] = text(g)
		}
		s.Printf("  %s\n", markedText(s, strings.TrimRight(strings.Join(parts, separator), " ")))
	}
	line(betweenGroups, func(g group) string { return padded(g.title, g.width()) })
	line(betweenHeaders, func(g group) string { return strings.Repeat("─", g.width()) })
	for i := range rows {
		line(betweenGroups, func(g group) string { return padded(g.cells[i], g.width()) })
	}
	s.Printf("\n")
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

var markedNumber = regexp.MustCompile(`[0-9.]+\*`)

// markedText colours the numbers that are followed by *.
func markedText(s *ui.Screen, text string) string {
	if !s.Colour {
		return text
	}
	return markedNumber.ReplaceAllStringFunc(text, func(number string) string { return s.Styled(ui.Yellow, number) })
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
