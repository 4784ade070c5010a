package model

// How methods converge, iteration by iteration, as pictures.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// convergence keeps the bounds of a solve for a picture. Of long solves it keeps one
// iteration in two, in four and so on, and the last. All methods of nil do nothing.
type convergence struct {
	apart bool // each iteration bounds another value, such as that of so many steps to go
	kept  []mdp.Progress
	every int // iterations
	last  mdp.Progress
}

// Watch returns a function for mdp.Settings.Record that keeps the bounds and calls record.
func (c *convergence) Watch(record func(mdp.Progress) error) func(mdp.Progress) error {
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

// points returns the iterations that are kept, and the last, without those whose bounds are not finite. If
// all iterations bound the same value, each has the best bounds so far.
func (c *convergence) points() (known []mdp.Progress) {
	lower, upper := math.Inf(-1), math.Inf(1)
	points := c.kept
	if len(points) > 0 && points[len(points)-1].Iteration < c.last.Iteration {
		points = append(points, c.last)
	}
	for _, at := range points {
		if !c.apart {
			lower, upper = max(lower, at.Lower), min(upper, at.Upper)
			at.Lower, at.Upper = lower, upper
		}
		if !math.IsInf(at.Lower, 0) && !math.IsInf(at.Upper, 0) {
			known = append(known, at)
		}
	}
	return known
}

// steps draws the value of the first state by the number of steps to go, as backward induction finds it.
// Its bounds differ by rounding alone, so the picture has their middle.
func (c *convergence) steps(given string) []figure.Panel {
	curve := figure.Curve{Kind: figure.Whole}
	for _, at := range c.points() {
		curve.Points = append(curve.Points, figure.XY{X: float64(at.Iteration), Y: at.Lower + (at.Upper-at.Lower)/2})
	}
	return []figure.Panel{{
		Title: "Value of the first state", Given: given, Curves: []figure.Curve{curve},
		X: figure.Axis{Label: "steps to go", Whole: true}, Y: figure.Axis{Label: "value"},
	}}
}

// Len returns the number of points that would be drawn.
func (c *convergence) Len() int { return len(c.points()) }

// policyValue is the value that a policy of policy iteration has from the first state.
type policyValue struct {
	Iteration int // in which it is evaluated, from 1
	Seconds   float64
	Value     float64
	Changes   int // states whose action changes next
}

// methodRun is what a method did: the bounds on its way, or policies with their values.
type methodRun struct {
	Name     string
	Bounds   *convergence
	Policies []policyValue // of policy iteration, which has no bounds on its way
}

// runPanels returns the number of panels of [panelsOf], by the number of runs.
func runPanels(runs int) int {
	if runs == 1 {
		return 2
	}
	return 3
}

// panelsOf draws what methods did. The first panel has the bounds on the value of the first state, or the value
// of each policy. The second has the error against iterations: the distance of the farther bound, or of the
// value, from the optimum, which is taken to be the middle of within. The third has the error against seconds,
// for several methods. For one method with policies, the second panel has the numbers of states whose action
// changes.
func panelsOf(given string, runs []methodRun, within mdp.Bounds) []figure.Panel {
	optimum := middle(within)
	known := max((within.Upper-within.Lower)/2, 0x1p-52*math.Abs(optimum)) // how exactly the optimum is known: no smaller error is drawn
	var values, errors, times, changes []figure.Curve
	longest, shortest, isSingle := 1.0, math.Inf(1), len(runs) == 1
	for k, run := range runs {
		like := figure.Curve{Name: run.Name, Look: k + 1}
		lower, upper, off, late, changed := like, figure.Curve{Look: like.Look}, like, like, figure.Curve{Kind: figure.Whole}
		add := func(x, seconds, miss float64) {
			if miss = max(miss, known); miss > 0 {
				off.Points = append(off.Points, figure.XY{X: x, Y: miss})
				late.Points = append(late.Points, figure.XY{X: max(seconds, 1e-6), Y: miss})
			}
		}
		if run.Policies == nil {
			for _, at := range run.Bounds.points() {
				x := float64(at.Iteration)
				lower.Points, upper.Points = append(lower.Points, figure.XY{X: x, Y: at.Lower}), append(upper.Points, figure.XY{X: x, Y: at.Upper})
				add(x, at.Elapsed.Seconds(), max(at.Upper-optimum, optimum-at.Lower))
			}
		}
		for _, p := range run.Policies {
			x := float64(p.Iteration)
			lower.Points, changed.Points = append(lower.Points, figure.XY{X: x, Y: p.Value}), append(changed.Points, figure.XY{X: x, Y: float64(p.Changes)})
			add(x, p.Seconds, math.Abs(p.Value-optimum))
		}
		n := len(lower.Points)
		switch {
		case n == 0:
			continue
		case run.Policies != nil && isSingle:
			lower.Name, lower.Kind = "", figure.Whole
			changes = append(changes, changed)
		case run.Policies != nil:
			lower.Name += ": value of the policy"
		case isSingle:
			lower.Name, upper.Name, upper.Look, off.Name = "lower bound", "upper bound", 2, ""
		}
		longest, shortest = max(longest, lower.Points[n-1].X), min(shortest, lower.Points[n-1].X)
		values = append(values, lower)
		if len(upper.Points) > 0 {
			values = append(values, upper)
		}
		if len(off.Points) > 0 {
			errors, times = append(errors, off), append(times, late)
		}
	}
	const apart = 8 // times as many iterations
	x := figure.Axis{Label: "iterations", Log: longest > apart*shortest, Whole: longest <= apart*shortest}
	y := figure.Axis{Label: "distance from the optimum", Log: true}
	panels := []figure.Panel{
		{Title: "Bounds on the value of the first state", Given: given, X: x, Y: figure.Axis{Label: "value"}, Curves: values},
		{Title: "Error against iterations", Given: given, X: x, Y: y, Curves: errors},
		{Title: "Error against time", Given: given, X: figure.Axis{Label: "seconds", Log: true}, Y: y, Curves: times},
	}[:runPanels(len(runs))]
	switch {
	case changes != nil:
		panels[0].Title = "Value of each policy from the first state"
		panels[1] = figure.Panel{Title: "States whose action the next policy changes", Given: given, X: x, Y: figure.Axis{Label: "states", Whole: true}, Curves: changes}
	case len(errors) == 0: // bounds are equal from the start
		panels = panels[:1]
	}
	return panels
}
