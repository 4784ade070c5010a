// This file draws frontiers.

package robots

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

const frontierPanelCount = 2

// frontierPanels draws loss against starvation, and both as γ varies.
func frontierPanels(given string, frontier *robots.Frontier, fixed []robots.StaticMix) []figure.Panel {
	switching := figure.Curve{Name: "switching on and off", Kind: figure.Line}
	starvation, loss := figure.Curve{Name: "S, share of time with an empty queue"}, figure.Curve{Name: "L, pages lost per unit of time"}
	for _, point := range frontier.Points {
		m := point.Measures
		switching.Points = append(switching.Points, figure.XY{X: m.Starvation, Y: m.LossRate})
		starvation.Points = append(starvation.Points, figure.XY{X: point.From, Y: m.Starvation}, figure.XY{X: point.To, Y: m.Starvation})
		loss.Points = append(loss.Points, figure.XY{X: point.From, Y: m.LossRate}, figure.XY{X: point.To, Y: m.LossRate})
	}
	numbers := figure.Curve{Name: "fixed numbers of robots", Kind: figure.Dots}
	for _, mix := range fixed {
		numbers.Points = append(numbers.Points, figure.XY{X: mix.Starvation, Y: mix.LossRate})
		numbers.Labels = append(numbers.Labels, fmt.Sprint(mix.Robots[0]))
	}
	return []figure.Panel{{
		Title: "Loss against starvation", Given: given,
		X:      figure.Axis{Label: "S, share of time with an empty queue"},
		Y:      figure.Axis{Label: "L, pages lost per unit of time"},
		Curves: []figure.Curve{switching, numbers},
	}, {
		Title: "Starvation and loss as γ varies", Given: given,
		X:      figure.Axis{Label: "γ, cost per unit of time with an empty queue"},
		Y:      figure.Axis{Label: "S and L", Zero: true},
		Curves: []figure.Curve{starvation, loss},
	}}
}
