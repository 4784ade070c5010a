package robots

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// curvePanels draws the switching curves like the paper's Figures 6-8.
func curvePanels(s *robots.Solution) []*plot.Plot {
	p := s.Parameters
	parameters := fmt.Sprintf("N = %d, K = %d, λ = %s, μ = %s, γ = %s; cost %s", p.Robots, p.Buffer,
		ui.ShortText(p.ArrivalRate, 6), ui.ShortText(p.ServiceRate, 6), ui.ShortText(p.StarvationWeight, 6), ui.ShortText(s.Gain, 6))
	departure := curvePanel(p, "When a page leaves, activate a robot up to f₀(r)\n"+parameters, s.Curves.Departure, ui.Blue)
	arrival := curvePanel(p, "When a robot delivers, send it out again up to f₁(r)", s.Curves.Arrival, ui.Orange)
	return []*plot.Plot{departure, arrival}
}

func curvePanel(p robots.Parameters, title string, curve []int, stroke color.Color) *plot.Plot {
	panel := curveFrame(p, title)
	points := make(plotter.XYs, len(curve))
	for r, q := range curve {
		points[r].X, points[r].Y = float64(r), float64(q)
	}
	ui.AddLine(panel, "", points, plotter.MidStep, stroke)
	if len(curve) <= 60 { // beyond that they would run together
		panel.Add(&plotter.Scatter{XYs: points, GlyphStyle: ui.Dot(stroke)})
	}
	return panel
}

// curveFrame returns a panel without curves.
func curveFrame(p robots.Parameters, title string) *plot.Plot {
	panel := ui.NewPanel(title, "r, robots active", "q, pages in the queue")
	panel.X.Min, panel.X.Max = -0.5, float64(p.Robots)+0.5
	panel.Y.Min, panel.Y.Max = -1.3, float64(p.Buffer)+0.5
	panel.X.Tick.Marker, panel.Y.Tick.Marker = ui.NiceTicks{Whole: true}, ui.NiceTicks{Whole: true, Never: true}
	return panel
}
