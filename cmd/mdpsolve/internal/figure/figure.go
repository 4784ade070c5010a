// Package figure draws: all pictures of the command have its one style.
package figure

// What a picture shows.

import "gonum.org/v1/plot/plotter"

// Panel is one picture with two axes. A figure has its panels on top of each other.
type Panel struct {
	Name   string // by which --panel chooses it
	Title  string // what is seen
	Given  string // what it is computed for, as ui.Given words it
	X, Y   Axis
	Acting []XY    // outline of where a policy acts: shaded
	Shares *Shares // behind the curves
	Curves []Curve
}

// Axis is one of the two axes of a panel.
type Axis struct {
	Label    string  // what it measures, with the unit
	Whole    bool    // whole numbers only
	Never    bool    // −1 stands for never
	Log      bool    // logarithmic: all values are above 0, and From and To are not given
	Zero     bool    // begins at 0
	From, To float64 // its ends; where both are 0, those of the curves
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
	// Whole marks points over whole numbers, and joins them by faint steps.
	Whole
	// Dots marks points and joins nothing.
	Dots
)

// Shares are probabilities of pairs of whole numbers: Of[x][y].
type Shares struct {
	What string // has these shares, in words
	Of   [][]float64
}
