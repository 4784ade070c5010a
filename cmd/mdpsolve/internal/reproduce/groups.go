// This file groups the cells of an exhibit under headings.

package reproduce

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// The columns of the text: what is printed beside what is computed.

// group is what a table shows under one heading.
type group struct {
	title string
	cells []string
}

func (g group) width() int {
	width := utf8.RuneCountInString(g.title)
	for _, text := range g.cells {
		width = max(width, utf8.RuneCountInString(text))
	}
	return width
}

var titles = map[string]string{
	"C_static": "C static", "N_static": "N", "C_dynamic": "C dynamic", "cost": "cost",
	"N_min": "N min", "N_mean": "N mean", "N_max": "N max", "iterations": "iterations",
}

// groups returns the names of the rows, then the columns.
func (e *exhibit) groups() []group {
	names := group{title: "   λ  K     γ "}
	for _, r := range e.rows {
		names.cells = append(names.cells,
			fmt.Sprintf("%4s %2d %5s ", ui.ShortText(r.parameters.ArrivalRate, 6), r.parameters.Buffer, r.gamma))
	}
	if e.reach == reachGiven {
		names = group{title: "Figure "}
		for _, r := range e.rows {
			names.cells = append(names.cells, strings.TrimPrefix(r.name, "Figure "))
		}
	}
	groups := []group{names}
	for i, column := range e.columns {
		groups = append(groups, e.group(i, titles[column]))
	}
	return groups
}

func (e *exhibit) group(column int, title string) group {
	g := group{title: title}
	printed, computed := 0, 0 // widths
	for _, r := range e.rows {
		c := r.cells[column]
		printed, computed = max(printed, len(c.printed)), max(computed, len(c.round(c.paper)))
	}
	exact := e.showsExact(column)
	for _, r := range e.rows {
		c := r.cells[column]
		text := fmt.Sprintf("%*s %*s%s", printed, c.printed, computed, c.round(c.paper), mark(c.agreesByPaper()))
		if exact {
			text += fmt.Sprintf("%*s%s", computed, c.round(c.exact), mark(c.agreesExactly()))
		}
		g.cells = append(g.cells, text)
	}
	return g
}

// showsExact reports whether the exact values of a column are shown.
func (e *exhibit) showsExact(column int) bool {
	for _, r := range e.rows {
		c := r.cells[column]
		switch {
		case c.column == "C_dynamic" || c.column == "cost":
			return true
		case !math.IsNaN(c.exact) && c.round(c.exact) != c.round(c.paper):
			return true
		}
	}
	return false
}

func mark(agrees bool) string {
	if agrees {
		return " "
	}
	return "*"
}
