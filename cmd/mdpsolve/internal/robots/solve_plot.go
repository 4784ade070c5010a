// This file draws switching curves.

package robots

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// The panels of switching curves, by name.
const (
	departurePanel = "departure"
	arrivalPanel   = "arrival"
)

// panels draws the switching curves like the paper's Figures 6-8, one for each
// phase of the service.
func (f answer) panels() []figure.Panel {
	return curvePanels(f.Policy, f.given+"; cost "+ui.ShortText(f.Gain, 6))
}

// curvePanels draws the switching curves of a policy of one class. Where a policy has
// several curves, what is shaded holds in all phases of the service.
func curvePanels(policy *robots.Policy, given string) []figure.Panel {
	departures := figure.Panel{
		Name: departurePanel, Given: given,
		Title: "A page leaves: activate a robot up to f₀(r), shaded",
	}
	arrivals := figure.Panel{
		Name: arrivalPanel, Given: given,
		Title: "A robot delivers: send it out again up to f₁(r), shaded",
	}
	curves, ends := policy.Curves(), ui.EndingPhases(policy)
	var departureCurves, arrivalCurves [][]int
	for phase, c := range curves {
		name := ""
		if len(curves) > 1 {
			name = fmt.Sprintf("phase %d", phase+1)
		}
		if ends[phase] {
			departureCurves = append(departureCurves, c.Departure)
			departures.Curves = append(departures.Curves, switchingCurve(name, c.Departure, 0, phase))
		}
		arrivalCurves = append(arrivalCurves, c.Arrival)
		arrivals.Curves = append(arrivals.Curves, switchingCurve(name, c.Arrival, 1, phase)) // without robots none delivers
	}
	departures.Acting = actingRegion(departureCurves, 0, 1) // of an empty queue no page leaves
	arrivals.Acting = actingRegion(arrivalCurves, 1, 0)
	panels := []figure.Panel{departures, arrivals}
	for i := range panels {
		panels[i].X = figure.Axis{Label: "r, active robots", Whole: true, From: -0.5, To: float64(len(curves[0].Departure)) - 0.5}
		panels[i].Y = figure.Axis{Label: "q, pages in the queue", Whole: true, Never: true, From: -1.5, To: float64(policy.Parameters().Buffer) + 0.5}
	}
	return panels
}

// switchingCurve returns a curve from r robots on.
func switchingCurve(name string, curve []int, r, phase int) figure.Curve {
	drawn := figure.Curve{Name: name, Kind: figure.Whole, Look: phase + 1}
	for ; r < len(curve); r++ {
		drawn.Points = append(drawn.Points, figure.XY{X: float64(r), Y: float64(curve[r])})
	}
	return drawn
}

// actingRegion returns the outline of the states from r robots and q pages on in which
// all curves act. Curves do not rise as a rule; where one does not act, the outline has
// no height.
func actingRegion(curves [][]int, r, q int) []figure.XY {
	left, bottom := float64(r)-0.5, float64(q)-0.5
	var outline []figure.XY
	for ; r < len(curves[0]); r++ {
		top := curves[0][r]
		for _, curve := range curves {
			top = min(top, curve[r])
		}
		height := max(float64(top)+0.5, bottom)
		outline = append(outline, figure.XY{X: float64(r) - 0.5, Y: height}, figure.XY{X: float64(r) + 0.5, Y: height})
	}
	return append(outline, figure.XY{X: float64(r) - 0.5, Y: bottom}, figure.XY{X: left, Y: bottom})
}
