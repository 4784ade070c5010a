package figure

// How bounds converge, iteration by iteration.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// ConvergencePanels is the number of panels of [Convergence].
const ConvergencePanels = 2

// Convergence keeps the bounds of a solve for a picture. Of long solves it keeps one
// iteration in two, in four and so on, and the last. All methods of nil do nothing.
type Convergence struct {
	kept  []mdp.Progress
	every int // iterations
	last  mdp.Progress
}

// Watch returns a function for mdp.Settings.Record that keeps the bounds and calls record.
func (c *Convergence) Watch(record func(mdp.Progress) error) func(mdp.Progress) error {
	if c == nil {
		return record
	}
	const most = 2000
	c.kept, c.every = nil, 1
	return func(at mdp.Progress) error {
		c.last = at
		if at.Iteration%c.every == 0 {
			c.kept = append(c.kept, at)
		}
		if len(c.kept) > most {
			c.every *= 2
			for i := range most / 2 {
				c.kept[i] = c.kept[2*i+1]
			}
			c.kept = c.kept[:most/2]
		}
		return record(at)
	}
}

// Panels draws the bounds and the distance between them.
func (c *Convergence) Panels(given string) []Panel {
	points := c.kept
	if len(points) > 0 && points[len(points)-1].Iteration < c.last.Iteration {
		points = append(points, c.last)
	}
	lower, upper, gap := Curve{Name: "lower bound"}, Curve{Name: "upper bound"}, Curve{}
	for _, at := range points {
		if math.IsInf(at.Lower, 0) || math.IsInf(at.Upper, 0) {
			continue // unknown yet
		}
		x := float64(at.Iteration)
		lower.Points = append(lower.Points, XY{X: x, Y: at.Lower})
		upper.Points = append(upper.Points, XY{X: x, Y: at.Upper})
		if at.Upper > at.Lower {
			gap.Points = append(gap.Points, XY{X: x, Y: at.Upper - at.Lower})
		}
	}
	x := Axis{Label: "iterations", Whole: true}
	return []Panel{{
		Title: "Bounds on the value of the first state", Given: given,
		X: x, Y: Axis{Label: "value"}, Curves: []Curve{upper, lower},
	}, {
		Title: "Distance between the bounds", Given: given,
		X: x, Y: Axis{Label: "upper − lower bound", Log: true}, Curves: []Curve{gap},
	}}
}
