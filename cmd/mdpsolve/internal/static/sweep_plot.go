package static

// The pictures of static sweep.

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// panelNames names the panels of a sweep.
func (s sweep) panelNames() []string {
	if s.axis == static.OverRatio {
		return figure.FixedPanels[1:]
	}
	return figure.FixedPanels
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

// panels draws the best load and the best number of robots.
func (s sweep) panels(points []static.Point, given string) []figure.Panel {
	name := "N(γ,K)"
	if s.axis != static.OverBuffer && !s.limitOnly {
		name = fmt.Sprintf("K = %d", s.parameters.Buffer)
	}
	return figure.Fixed(s.axis, given, []figure.FixedCurve{{Name: name, Parameters: s.parameters, Points: points, LimitOnly: s.limitOnly}})
}
