// This file draws sweeps.

package robots

import (
	"math"

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
	for _, row := range rows {
		for i, y := range []float64{row.gain, row.fixedCost, row.robotsMean, row.fixedRobots} {
			if !math.IsNaN(y) {
				curve := &[]*figure.Panel{&cost, &active}[i/2].Curves[i%2]
				curve.Points = append(curve.Points, figure.XY{X: row.value, Y: y})
			}
		}
	}
	return []figure.Panel{cost, active}
}
