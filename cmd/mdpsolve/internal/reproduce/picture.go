// This file draws the figures of the paper.

package reproduce

import (
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// panelCounts returns the number of panels of each figure: Figures 2-5 have one, the others
// two.
func panelCounts(figures []string) []int {
	counts := make([]int, len(figures))
	for i, number := range figures {
		counts[i] = 2
		if slices.Contains(curveNumbers, number) {
			counts[i] = 1
		}
	}
	return counts
}

// pages draws the figures of a report.
func (r *report) pages() [][]figure.Panel {
	var pages [][]figure.Panel
	for _, f := range r.curves {
		pages = append(pages, []figure.Panel{f.panel})
	}
	for _, e := range r.exhibits {
		if e.reach != reachGiven {
			continue
		}
		for _, row := range e.rows {
			p := row.parameters
			given := fmt.Sprintf("N = %d, K = %d, λ = %s, μ = %s, γ = %s; cost %s", p.Robots, p.Buffer,
				ui.ShortText(p.ArrivalRate, 6), ui.ShortText(p.ServiceRate, 6), row.gamma, ui.ShortText(row.outcome.exact.Gain, 6))
			panels := figure.Switching(row.outcome.exact.Policy, nil, given)
			for i := range panels {
				panels[i].Title = row.name + ": " + panels[i].Title
			}
			pages = append(pages, panels)
		}
	}
	return pages
}
