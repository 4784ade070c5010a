// Package figure draws all pictures of the command, in one style.
package figure

// What a picture shows.

import "gonum.org/v1/plot/plotter"

// Panel is one picture with two axes. A figure has its panels in rows and columns.
type Panel struct {
	Title  string // what the panel shows
	Part   string // of several panels with this title, such as "phase = 1"
	Given  string // the parameters, as ui.Given words them
	X, Y   Axis
	Cells  []*Cells // drawn below the curves
	Curves []Curve
}

// Axis is one of the two axes of a panel.
type Axis struct {
	Label    string   // what it measures, with the unit
	Whole    bool     // whole numbers only
	Log      bool     // logarithmic: all values are above 0, and From and To are not given
	Zero     bool     // begins at 0
	From, To float64  // its ends; where both are 0, those of the curves
	Names    []string // at 0, 1 and so on, in place of numbers
}

// XY is a point of a panel.
type XY = plotter.XY

// Curve is a line or a set of points. Dash, colour and mark follow from its place among
// the curves of a panel.
type Curve struct {
	Name   string // in the legend; a single curve needs none
	Points []XY
	Kind   Kind
	Labels []string // beside the points, where there is room
	Look   int      // above 0: the dash, colour and mark of the curve in that place, counted from 1
}

// Kind says what is between the points of a curve.
type Kind int

const (
	// Line joins points by straight lines. Two points with the same x are a jump.
	Line Kind = iota
	// Whole marks points over whole numbers, and joins them by thin steps.
	Whole
	// Steps joins points by steps half-way between them: values are whole numbers.
	Steps
	// Dots marks points and joins nothing.
	Dots
)
