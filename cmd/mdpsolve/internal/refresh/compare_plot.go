package refresh

// The picture of refresh compare.

import (
	"cmp"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
)

// comparePanels draws the share of fresh requests against the bandwidth, like Figure 1 of
// Azar et al.
func comparePanels(collections []comparedPages) []figure.Panel {
	panels := make([]figure.Panel, len(collections))
	for i, p := range collections {
		panel := figure.Panel{
			Title: "Requests that meet a fresh page", Given: p.title(),
			X: figure.Axis{Label: "R/n, accesses per page and " + cmp.Or(p.unit.String(), "unit of time")},
			Y: figure.Axis{Label: "share of requests", Zero: true},
		}
		for rule, names := range rules {
			curve := figure.Curve{Name: names.legend}
			for j, r := range p.results {
				curve.Points = append(curve.Points, figure.XY{X: p.shares[j], Y: r.Shares[rule]})
			}
			panel.Curves = append(panel.Curves, curve)
		}
		panels[i] = panel
	}
	return panels
}
