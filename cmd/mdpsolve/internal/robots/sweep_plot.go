// This file draws sweeps.

package robots

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// sweepPanels draws the cost of switching and that of the best fixed number.
func sweepPanels(s sweep, rows []sweepRow) []*plot.Plot {
	var switched, fixed plotter.XYs
	for _, row := range rows {
		switched = append(switched, plotter.XY{X: row.value, Y: row.gain})
		if row.fixedCost == row.fixedCost { // not NaN
			fixed = append(fixed, plotter.XY{X: row.value, Y: row.fixedCost})
		}
	}
	costs := ui.NewPanel("Least cost\n"+strings.Join(s.constants(), ", "), s.axis.title, "cost per unit of time")
	costs.X.Tick.Marker = ui.NiceTicks{Whole: s.axis.most > 0}
	ui.AddLine(costs, "switching", switched, plotter.NoStep, ui.Blue)
	ui.AddLine(costs, "best fixed number", fixed, plotter.NoStep, ui.Orange, vg.Points(5), vg.Points(3))
	ui.PadY(costs, 0)
	return []*plot.Plot{costs}
}
