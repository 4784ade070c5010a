// This file draws sweeps.

package robots

import (
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
)

const sweepPanelCount = 2

// sweepPanels draws the costs of switching and of the best fixed number above the numbers
// of active robots; over a limit, what is minimised above the multiplier.
func sweepPanels(s sweep, rows []sweepRow) []figure.Panel {
	const switching, fixed = "switching on and off", "best fixed number"
	limit, kind, number := s.axis.limit, figure.Line, figure.Steps
	if s.axis.most > 0 {
		kind, number = figure.Whole, figure.Whole
	}
	least := figure.Panel{
		Title: "Least cost", Given: s.given,
		X:      figure.Axis{Label: s.axis.title, Whole: s.axis.most > 0},
		Y:      figure.Axis{Label: "cost per unit of time", Zero: true},
		Curves: []figure.Curve{{Name: switching, Kind: kind}, {Name: fixed, Kind: kind}},
	}
	beside := figure.Panel{
		Title: "Active robots", Given: s.given,
		Y:      figure.Axis{Label: "robots", Zero: true},
		Curves: []figure.Curve{{Name: "switching: on average", Kind: figure.Dots}, {Name: fixed, Kind: number}},
	}
	if first, last := s.values[0], s.values[len(s.values)-1]; kind == figure.Line && first < last {
		const room = 0.02 // beyond the first and last value: points stay inside the frame
		least.X.From, least.X.To = first-room*(last-first), last+room*(last-first)
	}
	if limit != nil {
		least.Title, least.Y.Label = limit.least, limit.measure
		beside.Title = "Multiplier γ of each limit"
		beside.Y = figure.Axis{Label: "γ, cost per unit of time with an empty queue", Log: true}
		beside.Curves = []figure.Curve{{Kind: figure.Dots}} // steps between values whose place is unknown
	}
	beside.X = least.X
	for i, row := range rows {
		add := func(curve *figure.Curve, y float64) {
			curve.Points = append(curve.Points, figure.XY{X: row.value, Y: y})
		}
		add(&least.Curves[0], row.Gain)
		if row.fixed != nil {
			if limit != nil && i > 0 && rows[i-1].fixed != nil && rows[i-1].fixedCost != row.fixedCost {
				add(&least.Curves[1], rows[i-1].fixedCost) // a step
			}
			add(&least.Curves[1], row.fixedCost)
		}
		if limit != nil {
			if weight := row.Parameters.StarvationWeight; weight > 0 && !math.IsInf(weight, 1) {
				add(&beside.Curves[0], weight)
			}
			continue
		}
		if row.Measures != nil {
			add(&beside.Curves[0], row.Measures.RobotsMean)
		}
		if row.fixed != nil {
			add(&beside.Curves[1], float64(sum(row.fixed.Robots)))
		}
	}
	if limit != nil && len(beside.Curves[0].Points) == 0 {
		return []figure.Panel{least}
	}
	return []figure.Panel{least, beside}
}
