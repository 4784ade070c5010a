package refresh

// The picture of refresh compare.

import (
	"cmp"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
)

// comparePanels draws the share of fresh requests against the bandwidth, like Figure 1 of
// Azar et al.; a panel for the rows of each collection of pages.
func comparePanels(collections [][]comparison) []figure.Panel {
	panels := make([]figure.Panel, len(collections))
	for i, rows := range collections {
		pages := rows[0].of
		panel := figure.Panel{
			Title: "Requests that meet a fresh page", Given: pages.title(),
			X: figure.Axis{Label: "R/n, accesses per page and " + cmp.Or(pages.unit.String(), "unit of time")},
			Y: figure.Axis{Label: "share of requests", Zero: true},
		}
		for rule, names := range rules {
			curve := figure.Curve{Name: names.legend}
			for _, r := range rows {
				curve.Points = append(curve.Points, figure.XY{X: r.share, Y: r.Shares[rule]})
			}
			panel.Curves = append(panel.Curves, curve)
		}
		panels[i] = panel
	}
	return panels
}
