package static

// The pictures of static sweep.

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// sweepPanels draws the best load and the best number of robots, like the
// paper's Figures 2-5.
func sweepPanels(s sweep, points []static.Point) []*plot.Plot {
	numbers := numbersPanel(s, points)
	if s.axis == static.OverRatio {
		return []*plot.Plot{numbers} // the best load does not depend on λ
	}
	load := make(plotter.XYs, len(points))
	for i, p := range points {
		load[i].X, load[i].Y = p.Value, p.OptimalLoad
	}
	loads := ui.NewPanel("Best load ρ*\n"+s.constants(), axes[s.axis].title, "ρ*")
	loads.X.Tick.Marker = ui.NiceTicks{Whole: s.axis == static.OverBuffer}
	ui.AddLine(loads, "", load, plotter.NoStep, ui.Blue)
	ui.PadY(loads, 0.05)
	return []*plot.Plot{loads, numbers}
}

func numbersPanel(s sweep, points []static.Point) *plot.Plot {
	number, limit := make(plotter.XYs, len(points)), make(plotter.XYs, len(points))
	for i, p := range points {
		number[i].X, number[i].Y = p.Value, float64(p.Robots)
		limit[i].X, limit[i].Y = p.Value, float64(p.Unlimited.Robots)
	}
	panel := ui.NewPanel("Best fixed number of robots\n"+s.constants(), axes[s.axis].title, "N, robots")
	panel.X.Tick.Marker = ui.NiceTicks{Whole: s.axis == static.OverBuffer}
	panel.Y.Tick.Marker = ui.NiceTicks{Whole: true}
	if s.limitOnly {
		ui.AddLine(panel, "", limit, plotter.PostStep, ui.Blue)
	} else {
		ui.AddLine(panel, "N(γ,K)", number, plotter.PostStep, ui.Blue)
		ui.AddLine(panel, "N(γ,∞)", limit, plotter.PostStep, ui.Orange, vg.Points(5), vg.Points(3))
	}
	// The number rises: there is room above its beginning, and where K varies,
	// and the limit is level, below its end.
	panel.Legend.Left, panel.Legend.XOffs = true, 2*vg.Millimeter
	if s.axis == static.OverBuffer {
		panel.Legend.Top, panel.Legend.Left, panel.Legend.XOffs = false, false, 0
	}
	ui.PadY(panel, 0.3)
	return panel
}
