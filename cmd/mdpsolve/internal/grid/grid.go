// Package grid draws policies of robots as text: grids of decisions.
package grid

import (
	"fmt"
	"iter"
	"regexp"
	"runtime"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// Grid draws the decisions of a policy by queue length and number of active robots. Within
// a cell, states differ in the phase of the service and in the classes of the robots; in
// large grids a cell has several queue lengths and numbers of robots.
type Grid struct {
	buffer, robots    int
	perRow, perColumn int // queue lengths in a row, and numbers of robots in a column
	rows, columns     int
	departures        [][]int   // by cell: states that activate no robot, and each class
	arrivals          [][][]int // by class and cell: states in which its robot rests, and goes out again
}

const (
	// Margin is the number of columns beside the decisions.
	Margin = 10

	height = 25 // most rows of decisions
	ticks  = 10 // columns from a number on the axis to the next
)

// New counts the decisions of a policy for a drawing of at most width columns.
func New(policy *robots.Policy, width int) *Grid {
	p := policy.Parameters()
	classes, count := p.ClassList(), 0
	for _, class := range classes {
		count += class.Robots
	}
	d := &Grid{buffer: p.Buffer, robots: count, perRow: 1 + p.Buffer/height, perColumn: 1 + count/max(width, 1), arrivals: make([][][]int, len(classes))}
	d.rows, d.columns = p.Buffer/d.perRow+1, count/d.perColumn+1
	d.departures = d.cells(1 + len(classes))
	for c := range d.arrivals {
		d.arrivals[c] = d.cells(2)
	}
	ends := EndingPhases(policy)
	parallel.For(runtime.GOMAXPROCS(0), d.rows, func(row int) {
		d.count(policy.Queues(row*d.perRow, min((row+1)*d.perRow, p.Buffer+1)), ends)
	})
	return d
}

// count adds the decisions in some states.
func (d *Grid) count(states iter.Seq2[robots.State, robots.Decisions], ends []bool) {
	for state, decisions := range states {
		total := 0
		for _, r := range state.Active {
			total += r
		}
		at := d.cell(state.Queue, total)
		if state.Queue > 0 && ends[state.Phase] {
			d.departures[at][1+decisions.Activate]++
		}
		for c, r := range state.Active {
			if r > 0 && decisions.Reactivate.Has(c) {
				d.arrivals[c][at][1]++
			} else if r > 0 {
				d.arrivals[c][at][0]++
			}
		}
	}
}

// cells returns counts of several things for each cell.
func (d *Grid) cells(things int) [][]int {
	counts := make([][]int, d.rows*d.columns)
	for i := range counts {
		counts[i] = make([]int, things)
	}
	return counts
}

func (d *Grid) cell(queue, active int) int {
	return queue/d.perRow*d.columns + active/d.perColumn
}

// EndingPhases reports for each phase whether services end in it: then some robot is
// activated when the last page leaves and no robot is active.
func EndingPhases(policy *robots.Policy) []bool {
	ends := make([]bool, policy.Phases())
	nobody := make([]int, len(policy.Parameters().ClassList()))
	for phase := range ends {
		ends[phase] = policy.Decisions(robots.State{Queue: 1, Phase: phase, Active: nobody}).Activate != robots.NoClass
	}
	return ends
}

// ScaleNote explains a scaled drawing.
func (d *Grid) ScaleNote() string {
	if d.perRow == 1 && d.perColumn == 1 {
		return ""
	}
	return fmt.Sprintf("\n  each character stands for %d × %d values of r × q; ░▒▓ where they differ", d.perColumn, d.perRow)
}

// Departures returns the lines of a drawing of the class that is activated; with one class,
// of whether a robot is activated.
func (d *Grid) Departures() []string {
	first := 0
	if d.perRow == 1 {
		first = 1 // no page leaves an empty queue
	}
	return d.draw(first, d.departures, activation)
}

// Arrivals returns the lines of a drawing of whether a robot of a class is sent out again.
func (d *Grid) Arrivals(class int) []string {
	return d.draw(0, d.arrivals[class], func(counts []int) rune { return shade(counts[1], counts[0]+counts[1]) })
}

// Where returns the lines of a drawing of the states in which a condition holds; it is blank
// where the condition does not matter.
func (d *Grid) Where(holds func(queue, active int) (yes, matters bool)) []string {
	cells := d.cells(2)
	for queue := range d.buffer + 1 {
		for active := range d.robots + 1 {
			switch yes, matters := holds(queue, active); {
			case matters && yes:
				cells[d.cell(queue, active)][1]++
			case matters:
				cells[d.cell(queue, active)][0]++
			}
		}
	}
	return d.draw(0, cells, func(counts []int) rune { return shade(counts[1], counts[0]+counts[1]) })
}

// draw returns the lines of a drawing, queue lengths upwards from the first row,
// with both axes.
func (d *Grid) draw(first int, cells [][]int, character func(counts []int) rune) []string {
	var lines []string
	for row := d.rows - 1; row >= first; row-- {
		var line strings.Builder
		for _, counts := range cells[row*d.columns : (row+1)*d.columns] {
			line.WriteRune(character(counts))
		}
		lines = append(lines, fmt.Sprintf("%5d ┤%s", row*d.perRow, line.String()))
	}
	lines = append(lines, "    q └"+strings.Repeat("─", d.columns)+" r")
	return append(lines, "       "+axisNumbers(d.columns, d.perColumn))
}

// activation returns the character for the counts of no activation and of each class.
func activation(counts []int) rune {
	all, yes, only := 0, 0, 0
	for k, n := range counts {
		all += n
		if k > 0 {
			yes += n
		}
		if n > 0 {
			only = k
		}
	}
	if len(counts) > 2 && all > 0 && only > 0 {
		if counts[only] == all {
			return '0' + rune(only) // MaxClasses is a digit
		}
		if yes == all {
			return '+'
		}
	}
	return shade(yes, all)
}

// shade returns the character for a share of yes decisions.
func shade(yes, all int) rune {
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

// axisNumbers returns the numbers of robots below the axis, each starting at its column.
func axisNumbers(columns, perColumn int) string {
	var line strings.Builder
	for column := 0; column < columns; column += ticks / 2 {
		label := fmt.Sprint(column * perColumn)
		line.WriteString(strings.Repeat(" ", max(0, column-line.Len())))
		line.WriteString(label)
	}
	return line.String()
}

var marks = regexp.MustCompile(`[█░▒▓]+|·+`)

// Coloured adds a screen's colours to the lines of a drawing.
func Coloured(s *ui.Screen, lines string) string {
	return marks.ReplaceAllStringFunc(lines, func(run string) string {
		if strings.HasPrefix(run, "·") {
			return s.Styled(ui.Faint, run)
		}
		return s.Styled(ui.Cyan, run)
	})
}
