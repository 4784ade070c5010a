// This file recomputes the curves of Figures 2-5, for which the paper prints no numbers.

package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/static"
)

// curveFigure is one of the Figures 2-5: the best load or number of robots as a
// parameter varies.
type curveFigure struct {
	number int
	given  string
	panel  figure.Panel
}

// ownParameters says what the paper leaves open.
const ownParameters = "Figures 2-5: the paper prints no numbers to compare with. Of the parameters, the paper gives only μ/λ = 5.7, in Figure 2; " +
	"this program chose the others"

// curveFigures computes the chosen figures.
func curveFigures(numbers []string) ([]curveFigure, error) {
	weights := []weight{{"1/2", 0.5}, {"1", 1}, {"1.2", 1.2}, {"2", 2}}
	var figures []curveFigure
	for _, f := range []struct {
		number   int
		axis     static.Axis
		from, to float64
		steps    int
		given    string
		curves   []figure.FixedCurve
	}{
		{2, static.OverWeight, 0.1, 6, 101, "λ = 1/5.7, μ = 1", overBuffers(1/5.7, 5, 10)},
		{3, static.OverBuffer, 2, 40, 39, "μ = 1", overWeights(0.1, weights, false)},
		{4, static.OverBuffer, 2, 40, 39, "λ = 0.1, μ = 1", overWeights(0.1, weights, false)},
		{5, static.OverRatio, 0.5, 6, 101, "μ = 1, K → ∞", overWeights(1, slices.Delete(slices.Clone(weights), 2, 3), true)},
	} {
		if !slices.Contains(numbers, fmt.Sprint(f.number)) {
			continue
		}
		grid, err := static.Grid(f.axis, f.from, f.to, f.steps)
		if err != nil {
			return nil, err
		}
		for i := range f.curves {
			if f.curves[i].Points, err = static.Sweep(f.curves[i].Parameters, f.axis, grid); err != nil {
				return nil, err
			}
		}
		panels := figure.Fixed(f.axis, f.given, f.curves)
		panel := panels[len(panels)-1]
		if f.number == 3 {
			panel = panels[0]
		}
		panel.Title = fmt.Sprintf("Figure %d: %s", f.number, panel.Title)
		figures = append(figures, curveFigure{f.number, f.given, panel})
	}
	return figures, nil
}

// weight is a weight of starvation, as text and as a number.
type weight struct {
	written string
	gamma   float64
}

func overBuffers(lambda float64, buffers ...int) []figure.FixedCurve {
	var curves []figure.FixedCurve
	for _, buffer := range buffers {
		curves = append(curves, figure.FixedCurve{
			Name:       fmt.Sprintf("K = %d", buffer),
			Parameters: static.Parameters{ArrivalRate: lambda, ServiceRate: 1, StarvationWeight: 1, Buffer: buffer},
		})
	}
	return curves
}

func overWeights(lambda float64, weights []weight, limitOnly bool) []figure.FixedCurve {
	const least = 2 // any valid K: it varies or goes to ∞
	var curves []figure.FixedCurve
	for _, w := range weights {
		curves = append(curves, figure.FixedCurve{
			Name:       "γ = " + w.written,
			Parameters: static.Parameters{ArrivalRate: lambda, ServiceRate: 1, StarvationWeight: w.gamma, Buffer: least},
			LimitOnly:  limitOnly,
		})
	}
	return curves
}

// records have the points of each curve, both ends of its jumps included.
func (f curveFigure) records() []ui.Record {
	var records []ui.Record
	for _, curve := range f.panel.Curves {
		var x, y []float64
		for _, p := range curve.Points {
			x, y = append(x, p.X), append(y, p.Y)
		}
		records = append(records, ui.Record{{"figure", f.number}, {"curve", curve.Name}, {"x", x}, {"y", y}})
	}
	return records
}

// rows have a point each.
func (f curveFigure) rows() []ui.Record {
	var rows []ui.Record
	for _, curve := range f.panel.Curves {
		for _, p := range curve.Points {
			rows = append(rows, ui.Record{{"figure", f.number}, {"curve", curve.Name}, {"x", p.X}, {"y", p.Y}})
		}
	}
	return rows
}

// print lists the numbers of robots with the greatest value for which each is best; over K
// it prints a column for each curve.
func (f curveFigure) print(s *ui.Screen) {
	s.Heading("%s", f.panel.Title)
	s.Printf("  %s\n\n", f.given)
	if !f.panel.X.Whole {
		for _, curve := range f.panel.Curves {
			var ranges []string
			for i := 1; i < len(curve.Points); i += 2 { // their ends
				to := curve.Points[i]
				ranges = append(ranges, fmt.Sprintf("%v up to %s", to.Y, ui.ShortText(to.X, 6)))
			}
			s.Wrapped("  ", curve.Name+": "+strings.Join(ranges, ", "))
		}
		s.Printf("\n")
		return
	}
	rows := make([]ui.Record, len(f.panel.Curves[0].Points))
	for i, p := range f.panel.Curves[0].Points {
		rows[i] = ui.Record{{"", ui.Shown("K", p.X, ui.Digits(8))}}
		for _, curve := range f.panel.Curves {
			rows[i] = append(rows[i], ui.Field{Value: ui.Shown(curve.Name, curve.Points[i].Y, ui.Digits(6))})
		}
	}
	s.Records(rows)
	s.Printf("\n")
}
