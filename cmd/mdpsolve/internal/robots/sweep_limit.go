// This file holds sweeps over a limit on losses or on starvation.

package robots

import (
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// limitAxis is a limit that may vary.
type limitAxis struct {
	of        func(value float64) robots.Limit
	greatest  float64 // value of any use
	least     string  // title of what is minimised
	measure   string  // label of that
	minimised func(*robots.StaticMix) float64
}

var (
	leastStarvation = limitAxis{
		func(value float64) robots.Limit { return robots.Limit{LossRate: value} }, math.Inf(1),
		"Least starvation within a limit on losses", "S, share of time with an empty queue",
		func(mix *robots.StaticMix) float64 { return mix.Starvation },
	}
	leastLosses = limitAxis{
		func(value float64) robots.Limit { return robots.Limit{Starvation: value} }, 1,
		"Least losses within a limit on starvation", "L, pages lost per unit of time",
		func(mix *robots.StaticMix) float64 { return mix.LossRate },
	}
)

// noWeight sets the weight of starvation, which is not looked at, to a valid one.
func noWeight(p *robots.Parameters, _ float64) { p.StarvationWeight = 1 }

// check reports flags of a sweep that cannot be combined with a limit.
func (x *limitAxis) check(a *ui.Arguments, s sweep) {
	words := "--over " + s.axis.flag
	refuseBeside(a, words, besideLimit...)
	if s.sufficient {
		a.Fault("robots", "%s is not valid with %s: %s", ui.Automatic, words, useNumber)
	}
	if last := s.values[len(s.values)-1]; last > x.greatest {
		a.Fault("to", "%s is not valid: use at most %s, as a share of time", ui.ExactText(last), ui.ExactText(x.greatest))
	}
}

// limitPanelNames are the panels of a sweep over a limit.
var limitPanelNames = []string{"least", "multiplier"}

// limitPanels draws the least of the measure that is minimised, beside that of the best
// fixed number, and the multiplier.
func limitPanels(s sweep, rows []sweepRow) []figure.Panel {
	least := figure.Panel{
		Name: limitPanelNames[0], Title: s.axis.limit.least, Given: s.given,
		X:      figure.Axis{Label: s.axis.title, From: s.values[0], To: s.values[len(s.values)-1]},
		Y:      figure.Axis{Label: s.axis.limit.measure, Zero: true},
		Curves: []figure.Curve{{Name: "switching on and off"}, {Name: "best fixed number"}},
	}
	multiplier := figure.Panel{
		Name: limitPanelNames[1], Title: "The weight of starvation that the limit amounts to", Given: s.given,
		X:      least.X,
		Y:      figure.Axis{Label: "γ, losses per unit of time with an empty queue", Log: true},
		Curves: []figure.Curve{{Kind: figure.Dots}}, // steps, whose places between the values are not known
	}
	for i, row := range rows {
		add := func(curve *figure.Curve, y float64) {
			curve.Points = append(curve.Points, figure.XY{X: row.value, Y: y})
		}
		add(&least.Curves[0], row.Gain)
		if row.fixed != nil {
			if i > 0 && rows[i-1].fixed != nil && rows[i-1].fixedCost != row.fixedCost {
				add(&least.Curves[1], rows[i-1].fixedCost) // a step
			}
			add(&least.Curves[1], row.fixedCost)
		}
		if weight := row.Parameters.StarvationWeight; weight > 0 && !math.IsInf(weight, 1) {
			add(&multiplier.Curves[0], weight)
		}
	}
	if len(multiplier.Curves[0].Points) == 0 {
		return []figure.Panel{least}
	}
	return []figure.Panel{least, multiplier}
}
