package figure

// The best fixed numbers of robots, and the best loads, as a parameter varies.

import (
	"slices"

	"github.com/mdpsolve/mdpsolve/models/static"
)

// FixedPanels returns the number of panels of [Fixed]. Over μ/λ there is only the number of
// robots: the best load does not depend on λ.
func FixedPanels(axis static.Axis) int {
	if axis == static.OverRatio {
		return 1
	}
	return 2
}

// FixedCurve has the parameters and points of a curve of [Fixed].
type FixedCurve struct {
	Name       string // for the legend: "K = 5"
	Parameters static.Parameters
	Points     []static.Point
	LimitOnly  bool // K → ∞, and no K
}

// fixedAxes are the axes over which sweeps go.
var fixedAxes = map[static.Axis]Axis{
	static.OverWeight: {Label: "γ, cost per unit of time with an empty queue"},
	static.OverBuffer: {Label: "K, room for pages", Whole: true},
	static.OverRatio:  {Label: "μ/λ, pages indexed while a robot brings one"},
}

// Fixed draws the best load and the best number of robots, like the paper's Figures 2-5.
func Fixed(axis static.Axis, given string, curves []FixedCurve) []Panel {
	load := Panel{
		Title: "Best load", Given: given, X: fixedAxes[axis],
		Y: Axis{Label: "ρ*, best value of Nλ/μ"},
	}
	number := Panel{
		Title: "Best fixed number of robots", Given: given, X: fixedAxes[axis],
		Y: Axis{Label: "N, robots", Whole: true},
	}
	var limits []Curve
	for _, c := range curves {
		load.Curves = append(load.Curves, c.curve(axis, func(p static.Point) float64 { return p.OptimalLoad }, nil))
		unlimited := c.Parameters
		unlimited.Unlimited = true
		limit := c.curve(axis, func(p static.Point) float64 { return float64(p.Unlimited.Robots) }, unlimited.Ranges)
		if c.LimitOnly {
			number.Curves = append(number.Curves, limit)
			continue
		}
		number.Curves = append(number.Curves, c.curve(axis, func(p static.Point) float64 { return float64(p.Robots) }, c.Parameters.Ranges))
		limit.Kind = Line // not over K
		limits = append(limits, limit)
	}
	same := func(c Curve) bool { return slices.Equal(c.Points, limits[0].Points) }
	if len(limits) > 0 && !slices.ContainsFunc(limits, func(c Curve) bool { return !same(c) }) { // one for all curves
		limits[0].Name = "K → ∞"
		number.Curves = append(number.Curves, limits[0])
	}
	if len(curves) == 1 {
		load.Curves[0].Name = "" // the title says it
	}
	if len(number.Curves) == 1 {
		number.Curves[0].Name = ""
	}
	if axis == static.OverRatio {
		return []Panel{number}
	}
	return []Panel{load, number}
}

// curve returns a curve through points, or through ranges if given: then its jumps are at
// their computed places, not at the next point.
func (c FixedCurve) curve(axis static.Axis, of func(static.Point) float64,
	ranges func(axis static.Axis, from, to float64, most int) ([]static.Range, error),
) Curve {
	const most = 2000 // beyond that, points are good enough
	drawn := Curve{Name: c.Name}
	if axis == static.OverBuffer {
		drawn.Kind = Whole
	} else if ranges != nil {
		found, err := ranges(axis, c.Points[0].Value, c.Points[len(c.Points)-1].Value, most)
		for _, r := range found {
			drawn.Points = append(drawn.Points, XY{X: r.From, Y: float64(r.Robots)}, XY{X: r.To, Y: float64(r.Robots)})
		}
		if err == nil {
			return drawn
		}
	}
	for _, p := range c.Points {
		drawn.Points = append(drawn.Points, XY{X: p.Value, Y: of(p)})
	}
	return drawn
}
