package static

// The pictures of static sweep.

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// The panels of sweeps, by name.
const (
	loadPanel   = "load"
	robotsPanel = "robots"
)

// panelNames names the panels of a sweep.
func (s sweep) panelNames() []string {
	if s.axis == static.OverRatio {
		return []string{robotsPanel} // the best load does not depend on λ
	}
	return []string{loadPanel, robotsPanel}
}

// given returns the parameters that do not vary, as they were given.
func (s sweep) given(a *ui.Arguments) string {
	var symbols []ui.Symbol
	for _, symbol := range []ui.Symbol{{"lambda", "λ"}, {"mu", "μ"}, {"gamma", "γ"}, {"buffer", "K"}, {"service", "service "}, {"cost", "cost "}} {
		if symbol.Flag != axes[s.axis].flag {
			symbols = append(symbols, symbol)
		}
	}
	words := a.Given(symbols...)
	if s.limitOnly {
		words += ", K → ∞"
	}
	return words
}

// sweepPanels draws the best load and the best number of robots, like the
// paper's Figures 2-5.
func sweepPanels(s sweep, points []static.Point, given string) []figure.Panel {
	x := figure.Axis{Label: axes[s.axis].title, Whole: s.axis == static.OverBuffer}
	kind := figure.Line
	if x.Whole {
		kind = figure.Whole
	}
	load := figure.Curve{Kind: kind}
	number := figure.Curve{Name: "N(γ,K)", Kind: kind}
	limit := figure.Curve{Name: "N(γ,∞)", Kind: kind}
	for _, p := range points {
		load.Points = append(load.Points, figure.XY{X: p.Value, Y: p.OptimalLoad})
		number.Points = append(number.Points, figure.XY{X: p.Value, Y: float64(p.Robots)})
		limit.Points = append(limit.Points, figure.XY{X: p.Value, Y: float64(p.Unlimited.Robots)})
	}
	numbers := []figure.Curve{number, limit}
	if s.limitOnly {
		limit.Name = ""
		numbers = []figure.Curve{limit}
	}
	panels := []figure.Panel{{
		Name: loadPanel, Title: "Best load", Given: given, X: x,
		Y:      figure.Axis{Label: "ρ* = Nλ/μ, were N any number"},
		Curves: []figure.Curve{load},
	}, {
		Name: robotsPanel, Title: "Best fixed number of robots", Given: given, X: x,
		Y:      figure.Axis{Label: "N, robots", Whole: true},
		Curves: numbers,
	}}
	return panels[2-len(s.panelNames()):]
}
