package main

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

func printReport(s *screen, r *report) {
	s.heading("Controlling Robots of Web Search Engines: printed and recomputed")
	s.wrapped("  ", "Each column holds the printed value, that by the paper's method, and the exact one (always beside costs, "+
		"elsewhere where it differs). * marks what does not round to the printed value.")
	s.printf("\n")
	for _, e := range r.exhibits {
		s.exhibit(e)
	}
	for _, note := range r.notes {
		s.wrapped("  ", note+".")
		s.printf("\n")
	}
	if len(r.differing) > 0 {
		s.heading("Differences")
		for _, c := range r.differing {
			s.difference(c)
		}
		s.printf("\n")
	}
	s.wrapped("", s.styled(bold, r.summary()))
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

// exhibit prints all cells of an exhibit, and the curves of the figures.
func (s *screen) exhibit(e *exhibit) {
	s.heading("%s", e.name)
	if e.reach == reachGiven {
		s.figures(e.rows)
	}
	groups := e.groups()
	for _, block := range fit(groups[0], groups[1:], s.width-2) {
		s.block(block, len(e.rows))
	}
}

// figures draws the optimal policies, several beside each other.
func (s *screen) figures(rows []*row) {
	for _, event := range []robots.Event{robots.Departure, robots.Arrival} {
		var drawings [][]string
		for _, r := range rows {
			p := r.outcome.exact.Parameters
			lines := newGrid(p, r.outcome.exact.Policy, event).draw(p.Robots + 1)
			title := fmt.Sprintf("  %s: %v, γ = %s", r.name, event, r.gamma)
			drawings = append(drawings, append([]string{title}, lines...))
		}
		const width = 30
		perLine := max(1, s.width/width)
		for len(drawings) > 0 {
			beside := drawings[:min(perLine, len(drawings))]
			drawings = drawings[len(beside):]
			for i := range beside[0] {
				var line strings.Builder
				for _, drawing := range beside {
					line.WriteString(padded(drawing[i], width))
				}
				s.printf("%s\n", s.colourGrid(strings.TrimRight(line.String(), " ")))
			}
			s.printf("\n")
		}
	}
	p := rows[0].parameters
	s.printf("  The optimal policies for N = %d, K = %d, λ = %s: %s activate, %s do not.\n\n",
		p.Robots, p.Buffer, shortText(p.ArrivalRate, 6), s.styled(cyan, "█"), s.styled(faint, "·"))
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

// block prints groups beside each other.
func (s *screen) block(groups []group, rows int) {
	line := func(separator string, text func(group) string) {
		parts := make([]string, len(groups))
		for i, g := range groups {
			parts[i] = text(g)
		}
		s.printf("  %s\n", s.marked(strings.TrimRight(strings.Join(parts, separator), " ")))
	}
	line(betweenGroups, func(g group) string { return padded(g.title, g.width()) })
	line(betweenHeaders, func(g group) string { return strings.Repeat("─", g.width()) })
	for i := range rows {
		line(betweenGroups, func(g group) string { return padded(g.cells[i], g.width()) })
	}
	s.printf("\n")
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

var markedNumber = regexp.MustCompile(`[0-9.]+\*`)

// marked colours the numbers that have a mark.
func (s *screen) marked(text string) string {
	if !s.colour {
		return text
	}
	return markedNumber.ReplaceAllStringFunc(text, func(number string) string { return s.styled(yellow, number) })
}

func (s *screen) difference(c *cell) {
	name := fmt.Sprint(c.row.label)
	if _, table := c.row.label.(int); table {
		name = fmt.Sprintf("Table %v, %s", c.row.label, c.row.name)
	}
	exact := ""
	if !math.IsNaN(c.exact) {
		exact = ", exact " + c.round(c.exact)
	}
	s.wrapped("  ", fmt.Sprintf("%s, %s: printed %s, paper's method %s%s",
		name, s.styled(bold, c.column), c.printed, c.round(c.paper), exact))
	s.wrapped("    ", c.verdict)
}
