package static

// The pictures of static sweep.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// readGiven returns the parameters that are the same in all series, as they were given.
func (s sweep) readGiven(a *ui.Arguments) string {
	var symbols []ui.Symbol
	for _, p := range parameters {
		if p.flag != axes[s.axis].flag && !slices.ContainsFunc(s.listed, func(listed parameter) bool { return listed.flag == p.flag }) {
			symbols = append(symbols, ui.Symbol{Flag: p.flag, Written: p.symbol})
		}
	}
	words := a.Given(append(symbols, ui.Symbol{Flag: "service", Written: "service "}, ui.Symbol{Flag: "cost", Written: "cost "})...)
	if s.limitOnly {
		words += ", K → ∞"
	}
	return words
}

// panels draws the best load and the best number of robots.
func (s sweep) panels(points []static.Point) []figure.Panel {
	curves := make([]figure.FixedCurve, len(s.series))
	for i, p := range s.series {
		n := len(s.values)
		curves[i] = figure.FixedCurve{Name: s.name(p), Parameters: p, Points: points[i*n : (i+1)*n], LimitOnly: s.limitOnly}
	}
	return figure.Fixed(s.axis, s.given, curves)
}

// name tells a series from the others.
func (s sweep) name(p static.Parameters) string {
	var words []string
	for _, listed := range s.listed {
		words = append(words, listed.symbol+" = "+ui.ShortText(listed.of(p), 6))
	}
	switch {
	case len(words) > 0:
		return strings.Join(words, ", ")
	case s.axis != static.OverBuffer && !s.limitOnly:
		return fmt.Sprintf("K = %d", p.Buffer)
	}
	return "N(γ,K)"
}
