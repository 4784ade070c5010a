package figure

// Switching curves of robots, and the time that a policy spends where.

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/grid"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// SwitchingPanels is the number of panels of [Switching].
const SwitchingPanels = 3

// Switching draws the switching curves of a policy for one class of robots, as in the
// paper's Figures 6-8, with a curve for each phase of the service. The last panel shows
// the shares of time with r robots and q pages, which may be nil. Curves run along the
// borders of the cells (r, q). With several phases, states are shaded where the policy acts
// in all of them.
func Switching(policy *robots.Policy, shares [][]float64, given string) []Panel {
	departures := Panel{Title: "When a page leaves: activate a robot?", Action: "activate"}
	arrivals := Panel{Title: "When a robot delivers: send it out again?", Action: "send out again"}
	time := Panel{Title: "Share of time in each state", Shares: &Shares{"share of time", shares}}
	curves, ends := policy.Curves(), grid.EndingPhases(policy)
	var departureCurves, arrivalCurves [][]int
	for phase, c := range curves {
		name := ""
		if len(curves) > 1 {
			name = fmt.Sprintf("phase %d", phase+1)
			departures.Action, arrivals.Action = "activate in all phases", "send out again in all phases"
		}
		if ends[phase] {
			departure := c.Departure[:len(c.Departure)-1] // with all robots active there is none to activate
			departureCurves = append(departureCurves, departure)
			departures.Curves = append(departures.Curves, Curve{Name: name, Points: border([][]int{departure}, 0, 1), Look: phase + 1})
		}
		arrivalCurves = append(arrivalCurves, c.Arrival)
		arrivals.Curves = append(arrivals.Curves, Curve{Name: name, Points: border([][]int{c.Arrival}, 1, 0), Look: phase + 1})
	}
	departures.Acting = actingRegion(departureCurves, 0, 1) // no page leaves an empty queue
	arrivals.Acting = actingRegion(arrivalCurves, 1, 0)     // no robot delivers where none is active
	if len(curves) == 1 {
		time.Title += ", and the switching curves"
		time.Curves = []Curve{departures.Curves[0], arrivals.Curves[0]}
		time.Curves[0].Name, time.Curves[1].Name, time.Curves[1].Look = "a page leaves", "a robot delivers", 2
	}
	const room = 0.1 // of a cell, around all cells
	panels := []Panel{departures, arrivals, time}
	for i := range panels {
		bottom := -0.5
		if i == 0 {
			bottom = 0.5 // where departures begin
		}
		panels[i].Given = given
		panels[i].X = Axis{Label: "r, active robots", Whole: true, From: -0.5 - room, To: float64(len(curves[0].Departure)) - 0.5 + room}
		panels[i].Y = Axis{Label: "q, pages in the queue", Whole: true, From: bottom - room, To: float64(policy.Parameters().Buffer) + 0.5 + room}
	}
	return panels
}

// border returns the upper border of the states from r robots and q pages on in which all
// curves act. Where they never do, it is the lower border of the grid.
func border(curves [][]int, r, q int) []XY {
	var line []XY
	for ; r < len(curves[0]); r++ {
		top := curves[0][r]
		for _, curve := range curves {
			top = min(top, curve[r])
		}
		height := float64(max(top, q-1)) + 0.5
		line = append(line, XY{X: float64(r) - 0.5, Y: height}, XY{X: float64(r) + 0.5, Y: height})
	}
	return line
}

// actingRegion returns the outline of the states below [border].
func actingRegion(curves [][]int, r, q int) []XY {
	bottom := float64(q) - 0.5
	return append(border(curves, r, q), XY{X: float64(len(curves[0])) - 0.5, Y: bottom}, XY{X: float64(r) - 0.5, Y: bottom})
}
