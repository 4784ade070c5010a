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

// points returns the iterations that are kept, with the last, whose bounds are known.
func (c *Convergence) points() (known []mdp.Progress) {
	points := c.kept
	if len(points) > 0 && points[len(points)-1].Iteration < c.last.Iteration {
		points = append(points, c.last)
	}
	for _, at := range points {
		if !math.IsInf(at.Lower, 0) && !math.IsInf(at.Upper, 0) {
			known = append(known, at)
		}
	}
	return known
}

// Len returns the number of points that would be drawn.
func (c *Convergence) Len() int { return len(c.points()) }

// Panels draws the bounds and the distance between them.
func (c *Convergence) Panels(given string) []Panel {
	lower, upper, gap := Curve{Name: "lower bound"}, Curve{Name: "upper bound"}, Curve{}
	for _, at := range c.points() {
		x := float64(at.Iteration)
		lower.Points = append(lower.Points, XY{X: x, Y: at.Lower})
		upper.Points = append(upper.Points, XY{X: x, Y: at.Upper})
		if at.Upper > at.Lower {
			gap.Points = append(gap.Points, XY{X: x, Y: at.Upper - at.Lower})
		}
	}
	x := Axis{Label: "iterations", Whole: true}
	panels := []Panel{{
		Title: "Bounds on the value of the first state", Given: given,
		X: x, Y: Axis{Label: "value"}, Curves: []Curve{upper, lower},
	}, {
		Title: "Distance between the bounds", Given: given,
		X: x, Y: Axis{Label: "upper − lower bound", Log: true}, Curves: []Curve{gap},
	}}
	if len(gap.Points) == 0 { // they are equal from the start
		panels = panels[:1]
	}
	return panels
}

// PolicyValue is the value that a policy of policy iteration has from the first state.
type PolicyValue struct {
	Iteration int // from 0 for the policy of the start
	Seconds   float64
	Value     float64
	Changes   int // states whose action changes next
}

// PolicyPanels draws the policies of policy iteration: their values above the numbers of states whose
// action changes.
func PolicyPanels(given string, policies []PolicyValue, optimum float64) []Panel {
	values, best, changes := Curve{Name: "value of the policy", Kind: Whole}, Curve{Name: "optimum", Kind: Line}, Curve{Kind: Whole}
	for _, p := range policies {
		x := float64(p.Iteration)
		values.Points, best.Points = append(values.Points, XY{X: x, Y: p.Value}), append(best.Points, XY{X: x, Y: optimum})
		changes.Points = append(changes.Points, XY{X: x, Y: float64(p.Changes)})
	}
	x := Axis{Label: "policies of policy iteration, from 0 for the start", Whole: true}
	return []Panel{
		{Title: "Value of each policy from the first state", Given: given, X: x, Y: Axis{Label: "value"}, Curves: []Curve{values, best}},
		{Title: "States whose action the next policy changes", Given: given, X: x, Y: Axis{Label: "states", Whole: true}, Curves: []Curve{changes}},
	}
}

// Run is what a method did: the bounds on its way, or policies with their values.
type Run struct {
	Name     string
	Bounds   *Convergence
	Policies []PolicyValue // of policy iteration, which has no bounds on its way
}

// ComparePanels is the number of panels of [Compare].
const ComparePanels = 3

// Compare draws several methods: bounds on the value of the first state and, against iterations and
// against seconds, the error: how far the farther bound, or the value of the policy, is from the
// optimum.
func Compare(given string, runs []Run, optimum float64) []Panel {
	var bounds, errors, times []Curve
	longest, shortest := 1.0, math.Inf(1)
	for k, run := range runs {
		look := k + 1
		lower, upper := Curve{Name: run.Name, Look: look}, Curve{Look: look}
		off, late := Curve{Name: run.Name, Look: look}, Curve{Name: run.Name, Look: look}
		add := func(x, seconds, miss float64) {
			if miss > 0 {
				off.Points = append(off.Points, XY{X: x, Y: miss})
				late.Points = append(late.Points, XY{X: max(seconds, 1e-6), Y: miss})
			}
		}
		for _, at := range run.Bounds.points() {
			x := float64(at.Iteration)
			lower.Points, upper.Points = append(lower.Points, XY{X: x, Y: at.Lower}), append(upper.Points, XY{X: x, Y: at.Upper})
			add(x, at.Elapsed.Seconds(), max(at.Upper-optimum, optimum-at.Lower))
		}
		if run.Policies != nil {
			lower.Points, upper.Points, off.Points, late.Points = nil, nil, nil, nil
			lower.Name += ": value of the policy"
			for _, p := range run.Policies {
				lower.Points = append(lower.Points, XY{X: float64(p.Iteration + 1), Y: p.Value})
				add(float64(p.Iteration+1), p.Seconds, math.Abs(p.Value-optimum))
			}
		}
		if n := len(lower.Points); n > 0 {
			longest, shortest = max(longest, lower.Points[n-1].X), min(shortest, lower.Points[n-1].X)
			bounds = append(bounds, lower)
			if len(upper.Points) > 0 {
				bounds = append(bounds, upper)
			}
		}
		if len(off.Points) > 0 {
			errors, times = append(errors, off), append(times, late)
		}
	}
	const apart = 8 // times as many iterations
	x := Axis{Label: "iterations", Log: longest > apart*shortest, Whole: longest <= apart*shortest}
	y := Axis{Label: "distance from the optimum", Log: true}
	return []Panel{
		{Title: "Bounds on the value of the first state", Given: given, X: x, Y: Axis{Label: "value"}, Curves: bounds},
		{Title: "Error against iterations", Given: given, X: x, Y: y, Curves: errors},
		{Title: "Error against time", Given: given, X: Axis{Label: "seconds", Log: true}, Y: y, Curves: times},
	}
}
