package refresh

// The picture of refresh compare.

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// comparePanels draws the shares of fresh requests against the bandwidth, like
// Figure 1 of Azar et al.
func comparePanels(collections []comparedPages) []*plot.Plot {
	panels := make([]*plot.Plot, len(collections))
	for i, p := range collections {
		panel := ui.NewPanel("Requests that meet a fresh page\n"+p.title(), "R/n, accesses per page and unit of time", "share of requests")
		for _, curve := range rules {
			points := make(plotter.XYs, len(p.results))
			for j, r := range p.results {
				points[j].X, points[j].Y = p.shares[j], curve.of(r)
			}
			ui.AddLine(panel, curve.legend, points, plotter.NoStep, curve.stroke, curve.dashes...)
		}
		if panel.X.Min == panel.X.Max { // a single bandwidth
			panel.X.Min, panel.X.Max = 0, 2*panel.X.Max
		}
		// There is room for the names beside the curves only, and they begin there:
		// the fonts of viewers may be wider.
		panel.X.Tick.Marker = ticksUpTo{ui.NiceTicks{}, panel.X.Max}
		panel.X.Max += 0.55 * (panel.X.Max - panel.X.Min)
		panel.Legend.Left, panel.Legend.XOffs = true, 8.8*vg.Centimeter
		panel.Y.Min = 0
		panels[i] = panel
	}
	return panels
}

// ticksUpTo leaves out ticks behind the last one that is wanted, and every other
// one where their labels would touch.
type ticksUpTo struct {
	ui.NiceTicks
	last float64
}

// Ticks implements plot.Ticker.
func (t ticksUpTo) Ticks(low, _ float64) []plot.Tick {
	const room = 50 // characters below the curves
	ticks := t.NiceTicks.Ticks(low, t.last)
	for {
		length := 0
		for _, tick := range ticks {
			length += len(tick.Label) + 1
		}
		if length <= room || len(ticks) == 1 {
			return ticks
		}
		for i := range (len(ticks) + 1) / 2 {
			ticks[i] = ticks[2*i]
		}
		ticks = ticks[:(len(ticks)+1)/2]
	}
}
