package figure

// Shares of time behind curves.

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shareStep is a range of shares that has one colour.
type shareStep struct {
	from float64
	name string
	fill color.Color
}

// shareSteps are the ranges, from the greatest down; smaller shares stay white. They are
// told apart in grey, and curves are seen on all of them.
var shareSteps = []shareStep{
	{0.1, "10% and more", rgb(0x86a8cc)},
	{0.03, "3% and more", rgb(0xa5c0dc)},
	{0.01, "1% and more", rgb(0xc0d4e8)},
	{0.001, "0.1% and more", rgb(0xd9e5f1)},
	{0.0001, "0.01% and more", rgb(0xedf3f8)},
}

// fill returns the colour of a share; nil where it stays white.
func (Shares) fill(share float64) color.Color {
	for _, step := range shareSteps {
		if share >= step.from {
			return step.fill
		}
	}
	return nil
}

// Plot implements [plot.Plotter]. Each run of equal colours is one rectangle, and goes on
// a little below the next ones, so that no lines are seen between them.
func (s Shares) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const under = 0.4 // points
	for column, shares := range s.Of {
		for from := 0; from < len(shares); {
			to := from + 1
			fill := s.fill(shares[from])
			for to < len(shares) && s.fill(shares[to]) == fill {
				to++
			}
			if fill != nil {
				left, right := x(float64(column)-0.5), x(float64(column)+0.5)
				bottom, top := y(float64(from)-0.5), y(float64(to)-0.5)
				if column+1 < len(s.Of) && s.fill(s.Of[column+1][from]) != nil {
					right += under
				}
				c.FillPolygon(fill, c.ClipPolygonXY([]vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}))
			}
			from = to
		}
	}
}
