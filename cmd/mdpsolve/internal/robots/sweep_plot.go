// This file draws sweeps.

package robots

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
)

// sweepPanelNames are the panels of a sweep.
var sweepPanelNames = []string{"cost", "robots"}

// panels returns the names of the panels of a sweep along an axis.
func (x axis) panels() []string {
	if x.limit != nil {
		return limitPanelNames
	}
	return sweepPanelNames
}

// sweepPanels draws the cost of switching and that of the best fixed number, and how
// many robots are active.
func sweepPanels(s sweep, rows []sweepRow) []figure.Panel {
	if s.axis.limit != nil {
		return limitPanels(s, rows)
	}
	whole := s.axis.most > 0
	kind := figure.Line
	if whole {
		kind = figure.Whole
	}
	const switching, fixed = "switching on and off", "best fixed number"
	cost := figure.Panel{
		Name: sweepPanelNames[0], Title: "Least cost", Given: s.given,
		X:      figure.Axis{Label: s.axis.title, Whole: whole},
		Y:      figure.Axis{Label: "cost per unit of time", Zero: true},
		Curves: []figure.Curve{{Name: switching, Kind: kind}, {Name: fixed, Kind: kind}},
	}
	active := figure.Panel{
		Name: sweepPanelNames[1], Title: "Active robots", Given: s.given,
		X:      cost.X,
		Y:      figure.Axis{Label: "robots", Zero: true},
		Curves: []figure.Curve{{Name: "switching: on average", Kind: figure.Dots}, {Name: fixed, Kind: figure.Dots}},
	}
	add := func(curve *figure.Curve, x, y float64) { curve.Points = append(curve.Points, figure.XY{X: x, Y: y}) }
	for _, row := range rows {
		add(&cost.Curves[0], row.value, row.Gain)
		if row.Measures != nil {
			add(&active.Curves[0], row.value, row.Measures.RobotsMean)
		}
		if row.fixed != nil {
			add(&cost.Curves[1], row.value, row.fixedCost)
			add(&active.Curves[1], row.value, float64(sum(row.fixed.Robots)))
		}
	}
	return []figure.Panel{cost, active}
}
