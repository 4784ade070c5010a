// This file draws the figures of the paper.

package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// panelNames names the panels of figures: one each of Figures 2-5, two of the others.
func panelNames(figures []string) []string {
	var names []string
	for _, number := range figures {
		if slices.Contains(curveNumbers, number) {
			names = append(names, number)
			continue
		}
		for _, event := range figure.SwitchingPanels[:2] {
			names = append(names, number+"-"+event)
		}
	}
	return names
}

// panels draws the figures of a report.
func (r *report) panels() []figure.Panel {
	var panels []figure.Panel
	for _, f := range r.curves {
		panels = append(panels, f.panel)
	}
	for _, e := range r.exhibits {
		if e.reach != reachGiven {
			continue
		}
		for _, row := range e.rows {
			p := row.parameters
			given := fmt.Sprintf("N = %d, K = %d, λ = %s, μ = %s, γ = %s; cost %s", p.Robots, p.Buffer,
				ui.ShortText(p.ArrivalRate, 6), ui.ShortText(p.ServiceRate, 6), row.gamma, ui.ShortText(row.outcome.exact.Gain, 6))
			for _, panel := range figure.Switching(row.outcome.exact.Policy, nil, given)[:2] {
				panel.Name = strings.TrimPrefix(row.name, "Figure ") + "-" + panel.Name
				panel.Title = row.name + ": " + panel.Title
				panels = append(panels, panel)
			}
		}
	}
	return panels
}
