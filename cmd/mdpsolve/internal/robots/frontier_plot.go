// This file draws frontiers.

package robots

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// frontierPanels draws loss against starvation, and both as γ varies.
func frontierPanels(p robots.Parameters, frontier *robots.Frontier) []*plot.Plot {
	points := make(plotter.XYs, len(frontier.Points))
	var starvation, loss plotter.XYs
	for i, point := range frontier.Points {
		m := point.Measures
		points[i].X, points[i].Y = m.Starvation, m.LossRate
		starvation = append(starvation, plotter.XY{X: point.From, Y: m.Starvation}, plotter.XY{X: point.To, Y: m.Starvation})
		loss = append(loss, plotter.XY{X: point.From, Y: m.LossRate}, plotter.XY{X: point.To, Y: m.LossRate})
	}
	parameters := fmt.Sprintf("N = %s, K = %d, λ = %s, μ = %s, service %s",
		classWords(p), p.Buffer, rateWords(p), ui.ShortText(p.ServiceRate, 6), ui.LawWords(p.Service))
	tradeOff := ui.NewPanel("Loss against starvation\n"+parameters, "S, share of time with an empty queue", "L, pages lost per unit of time")
	fixed, name := fixedPoints(p, points), ""
	if len(fixed) > 0 {
		name = "switching" // beside them
	}
	ui.AddLine(tradeOff, name, points, plotter.NoStep, ui.Blue)
	if len(points) > 1 && len(points) <= 60 {
		tradeOff.Add(&plotter.Scatter{XYs: points, GlyphStyle: ui.Dot(ui.Blue)})
	}
	if len(fixed) > 0 {
		scatter := &plotter.Scatter{XYs: fixed, GlyphStyle: ui.Dot(ui.Orange)}
		tradeOff.Add(scatter)
		tradeOff.Legend.Add("fixed numbers", scatter)
	}

	weights := ui.NewPanel("As γ varies", "γ, weight of starvation", "S and L")
	ui.AddLine(weights, "S, starvation", starvation, plotter.NoStep, ui.Blue)
	ui.AddLine(weights, "L, loss", loss, plotter.NoStep, ui.Orange, vg.Points(5), vg.Points(3))
	weights.Y.Min = 0
	weights.Y.Max *= 1.45 // room for the legend
	return []*plot.Plot{tradeOff, weights}
}

// rateWords returns the rates of the classes.
func rateWords(p robots.Parameters) string {
	words := make([]string, len(p.ClassList()))
	for i, class := range p.ClassList() {
		words[i] = ui.ShortText(class.ArrivalRate, 6)
	}
	return strings.Join(words, " and ")
}

// fixedPoints returns starvation and loss of fixed numbers of robots, where
// they are near the frontier; none for several classes.
func fixedPoints(p robots.Parameters, frontier plotter.XYs) plotter.XYs {
	const room = 1.6
	if len(p.ClassList()) > 1 {
		return nil
	}
	var fixed plotter.XYs
	first, last := frontier[0], frontier[len(frontier)-1]
	for n := 1; n <= p.ClassList()[0].Robots; n++ {
		mix, err := p.EvaluateStatic(n)
		if err != nil || mix.LossRate > room*last.Y {
			break // more robots lose more
		}
		if mix.Starvation <= room*first.X {
			fixed = append(fixed, plotter.XY{X: mix.Starvation, Y: mix.LossRate})
		}
	}
	return fixed
}
