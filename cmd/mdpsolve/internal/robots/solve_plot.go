// This file draws switching curves.

package robots

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// phaseStrokes are the colours of the phases. From the fourth phase on the colours
// repeat, with dashed lines.
var phaseStrokes = []color.Color{ui.Blue, ui.Orange, color.NRGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}}

// panels draws the switching curves like the paper's Figures 6-8, one for each
// phase of the service.
func (f answer) panels() []*plot.Plot {
	p, class := f.Parameters, f.Parameters.ClassList()[0]
	service, arrivalStrokes := "", []color.Color{ui.Orange}
	if f.variant {
		service, arrivalStrokes = ", service "+ui.LawWords(p.Service), phaseStrokes
	}
	title := fmt.Sprintf("When a page leaves, activate a robot up to f₀(r)\nN = %d, K = %d, λ = %s, μ = %s, γ = %s%s; cost %s", class.Robots, p.Buffer,
		ui.ShortText(class.ArrivalRate, 6), ui.ShortText(p.ServiceRate, 6), ui.ShortText(p.StarvationWeight, 6), service, ui.ShortText(f.Gain, 6))
	departures := curvePanel(title, class.Robots, p.Buffer)
	arrivals := curvePanel("When a robot delivers, send it out again up to f₁(r)", class.Robots, p.Buffer)
	curves, ends := f.Policy.Curves(), ui.EndingPhases(f.Policy)
	for phase, c := range curves {
		if ends[phase] {
			f.addCurve(departures, c.Departure, phase, len(curves), phaseStrokes)
		}
		f.addCurve(arrivals, c.Arrival, phase, len(curves), arrivalStrokes)
	}
	return []*plot.Plot{departures, arrivals}
}

// addCurve adds a curve to a panel. Curves of several phases are shifted apart a little,
// so that none hides another.
func (f answer) addCurve(panel *plot.Plot, curve []int, phase, phases int, strokes []color.Color) {
	const spread = 0.3
	name, shift := "", 0.0
	if phases > 1 {
		name, shift = fmt.Sprintf("phase %d", phase+1), spread*(0.5-float64(phase)/float64(phases-1))
	}
	points := make(plotter.XYs, len(curve))
	for r, q := range curve {
		points[r].X, points[r].Y = float64(r), float64(q)+shift
	}
	var dashes []vg.Length
	if round := phase / len(phaseStrokes); round > 0 {
		dashes = []vg.Length{vg.Points(5 / float64(round)), vg.Points(3)}
	}
	stroke := strokes[phase%len(strokes)]
	ui.AddLine(panel, name, points, plotter.MidStep, stroke, dashes...)
	if !f.variant && len(curve) <= 60 { // beyond that they would run together
		panel.Add(&plotter.Scatter{XYs: points, GlyphStyle: ui.Dot(stroke)})
	}
}

// curvePanel returns a panel without curves.
func curvePanel(title string, robots, buffer int) *plot.Plot {
	panel := ui.NewPanel(title, "r, robots active", "q, pages in the queue")
	panel.X.Min, panel.X.Max = -0.5, float64(robots)+0.5
	panel.Y.Min, panel.Y.Max = -1.3, float64(buffer)+0.5
	panel.X.Tick.Marker, panel.Y.Tick.Marker = ui.NiceTicks{Whole: true}, ui.NiceTicks{Whole: true, Never: true}
	return panel
}
