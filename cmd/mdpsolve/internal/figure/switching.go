package figure

// Switching curves of robots, and the time that a policy spends where.

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/grid"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// SwitchingPanels are the names of the panels of [Switching].
var SwitchingPanels = []string{"departure", "arrival", "time"}

// Switching draws the switching curves of a policy of one class, like the paper's
// Figures 6-8, one for each phase of the service, then the shares of time that it spends
// with r robots and q pages, which may be nil. Where there are several curves, what is
// shaded holds in all phases.
func Switching(policy *robots.Policy, shares [][]float64, given string) []Panel {
	departures := Panel{Title: "A page leaves: activate a robot up to f₀(r), shaded"}
	arrivals := Panel{Title: "A robot delivers: send it out again up to f₁(r), shaded"}
	time := Panel{Title: "Where the time is spent", Shares: &Shares{"share of time", shares}}
	curves, ends := policy.Curves(), grid.EndingPhases(policy)
	var departureCurves, arrivalCurves [][]int
	for phase, c := range curves {
		name := ""
		if len(curves) > 1 {
			name = fmt.Sprintf("phase %d", phase+1)
		}
		if ends[phase] {
			departure := c.Departure[:len(c.Departure)-1] // with all robots active there is none to activate
			departureCurves = append(departureCurves, departure)
			departures.Curves = append(departures.Curves, switchingCurve(name, departure, 0, phase+1))
		}
		arrivalCurves = append(arrivalCurves, c.Arrival)
		arrivals.Curves = append(arrivals.Curves, switchingCurve(name, c.Arrival, 1, phase+1)) // without robots none delivers
	}
	departures.Acting = actingRegion(departureCurves, 0, 1) // of an empty queue no page leaves
	arrivals.Acting = actingRegion(arrivalCurves, 1, 0)
	if len(curves) == 1 {
		time.Title += ", and the curves"
		time.Curves = []Curve{departures.Curves[0], arrivals.Curves[0]}
		time.Curves[0].Name, time.Curves[1].Name, time.Curves[1].Look = "f₀(r), a page leaves", "f₁(r), a robot delivers", 2
	}
	panels := []Panel{departures, arrivals, time}
	for i := range panels {
		panels[i].Name, panels[i].Given = SwitchingPanels[i], given
		panels[i].X = Axis{Label: "r, active robots", Whole: true, From: -0.5, To: float64(len(curves[0].Departure)) - 0.5}
		panels[i].Y = Axis{Label: "q, pages in the queue", Whole: true, Never: true, From: -1.5, To: float64(policy.Parameters().Buffer) + 0.5}
	}
	return panels
}

// switchingCurve returns a curve from r robots on.
func switchingCurve(name string, curve []int, r, look int) Curve {
	drawn := Curve{Name: name, Kind: Whole, Look: look}
	for ; r < len(curve); r++ {
		drawn.Points = append(drawn.Points, XY{X: float64(r), Y: float64(curve[r])})
	}
	return drawn
}

// actingRegion returns the outline of the states from r robots and q pages on in which
// all curves act. Curves do not rise as a rule; where one does not act, the outline has
// no height.
func actingRegion(curves [][]int, r, q int) []XY {
	left, bottom := float64(r)-0.5, float64(q)-0.5
	var outline []XY
	for ; r < len(curves[0]); r++ {
		top := curves[0][r]
		for _, curve := range curves {
			top = min(top, curve[r])
		}
		height := max(float64(top)+0.5, bottom)
		outline = append(outline, XY{X: float64(r) - 0.5, Y: height}, XY{X: float64(r) + 0.5, Y: height})
	}
	return append(outline, XY{X: float64(r) - 0.5, Y: bottom}, XY{X: left, Y: bottom})
}
