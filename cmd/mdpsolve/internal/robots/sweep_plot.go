// This file draws sweeps.

package robots

import (
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
)

// costPanel names the panel of a sweep.
const costPanel = "cost"

// sweepPanels draws the cost of switching and that of the best fixed number.
func sweepPanels(s sweep, rows []sweepRow) []figure.Panel {
	kind := figure.Line
	if s.axis.most > 0 {
		kind = figure.Whole
	}
	switched, fixed := figure.Curve{Name: "switching on and off", Kind: kind}, figure.Curve{Name: "best fixed number", Kind: kind}
	for _, row := range rows {
		switched.Points = append(switched.Points, figure.XY{X: row.value, Y: row.gain})
		if !math.IsNaN(row.fixedCost) {
			fixed.Points = append(fixed.Points, figure.XY{X: row.value, Y: row.fixedCost})
		}
	}
	return []figure.Panel{{
		Name: costPanel, Title: "Least cost", Given: s.given,
		X:      figure.Axis{Label: s.axis.title, Whole: s.axis.most > 0},
		Y:      figure.Axis{Label: "cost per unit of time", Zero: true},
		Curves: []figure.Curve{switched, fixed},
	}}
}
