package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Grid is the policy at one kind of event: decisions by queue length and
// number of active robots.
type Grid struct {
	parameters robots.Parameters
	event      robots.Event
	policy     *robots.Policy
}

const (
	// GridMargin is the columns beside the decisions.
	GridMargin = 10

	gridHeight = 25 // most rows of decisions
	gridTicks  = 10 // columns from a number on the axis to the next
)

// NewGrid returns the drawing of a policy at one kind of event.
func NewGrid(p robots.Parameters, policy *robots.Policy, event robots.Event) Grid {
	return Grid{p, event, policy}
}

// exists reports whether the event can happen with q pages and r active robots.
func (g Grid) exists(q, r int) bool {
	return g.event == robots.Departure && q > 0 || g.event == robots.Arrival && r > 0
}

// Frame is what drawings of decisions by queue length and number of active
// robots have in common.
type Frame struct {
	Robots, Buffer, Width int
	Departures            bool // no page leaves an empty queue
}

// Frame returns the frame of a drawing that fits in width.
func (g Grid) Frame(width int) Frame {
	return Frame{g.parameters.Robots, g.parameters.Buffer, width, g.event == robots.Departure}
}

// scale returns how many queue lengths stand in a row, and how many numbers of
// robots in a column, of a drawing that fits in width.
func (f Frame) scale() (perRow, perColumn int) {
	return 1 + f.Buffer/gridHeight, 1 + f.Robots/max(f.Width, 1)
}

// ScaleNote says what a drawing that had to be scaled shows.
func (f Frame) ScaleNote() string {
	perRow, perColumn := f.scale()
	if perRow == 1 && perColumn == 1 {
		return ""
	}
	return fmt.Sprintf("\n  a character stands for %d × %d values of r × q; ░▒▓ where they differ", perColumn, perRow)
}

// Draw returns the lines of the drawing, queue lengths upwards, with both axes.
func (g Grid) Draw(width int) []string { return g.Frame(width).Draw(g.character) }

// Draw returns the lines of a drawing, of which character gives what stands for
// queue lengths from q up and numbers of robots from r up.
func (f Frame) Draw(character func(q, r, queues, numbers int) rune) []string {
	perRow, perColumn := f.scale()
	columns := f.Robots/perColumn + 1
	var lines []string
	for row := f.Buffer / perRow; row >= 0; row-- {
		if f.Departures && perRow == 1 && row == 0 {
			continue
		}
		var line strings.Builder
		for column := range columns {
			line.WriteRune(character(row*perRow, column*perColumn, perRow, perColumn))
		}
		lines = append(lines, fmt.Sprintf("%5d ┤%s", row*perRow, line.String()))
	}
	lines = append(lines, "    q └"+strings.Repeat("─", columns)+" r")
	return append(lines, "       "+axisNumbers(columns, perColumn))
}

// character stands for the decisions at queue lengths from q up and numbers of
// robots from r up.
func (g Grid) character(q, r, queues, numbers int) rune {
	yes, all := 0, 0
	for i := q; i < q+queues && i <= g.parameters.Buffer; i++ {
		for j := r; j < r+numbers && j <= g.parameters.Robots; j++ {
			if !g.exists(i, j) {
				continue
			}
			all++
			if g.policy.Activates(robots.State{Queue: i, Active: j, Event: g.event}) {
				yes++
			}
		}
	}
	return Shade(yes, all)
}

// Shade stands for yes decisions out of all.
func Shade(yes, all int) rune {
	switch {
	case all == 0:
		return ' '
	case yes == 0:
		return '·'
	case yes == all:
		return '█'
	}
	return []rune("░▒▓")[3*yes/(all+1)]
}

// axisNumbers returns numbers of robots below the axis, each starting at its
// column.
func axisNumbers(columns, perColumn int) string {
	var line strings.Builder
	for column := 0; column < columns; column += gridTicks / 2 {
		label := fmt.Sprint(column * perColumn)
		line.WriteString(strings.Repeat(" ", max(0, column-line.Len())))
		line.WriteString(label)
	}
	return line.String()
}

// ColourGrid colours the lines of a drawing.
func (s *Screen) ColourGrid(text string) string {
	if !s.Colour {
		return text
	}
	var out strings.Builder
	for _, run := range runs(text) {
		switch first, _ := utf8.DecodeRuneInString(run); first {
		case '█', '░', '▒', '▓':
			run = s.Styled(Cyan, run)
		case '·':
			run = s.Styled(Faint, run)
		}
		out.WriteString(run)
	}
	return out.String()
}

// runs cuts text into runs of one character.
func runs(text string) []string {
	var cut []string
	var last rune
	for _, r := range text {
		if len(cut) > 0 && r == last {
			cut[len(cut)-1] += string(r)
		} else {
			cut = append(cut, string(r))
		}
		last = r
	}
	return cut
}
