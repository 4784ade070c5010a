package figure

// Shares of time behind curves.

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shareFills are the colours of shares, from the greatest down; smaller ones stay white.
// They are told apart in grey, and curves are seen on all of them.
var shareFills = []color.Color{rgb(0x86a8cc), rgb(0xa5c0dc), rgb(0xc0d4e8), rgb(0xd9e5f1), rgb(0xedf3f8)}

// steps returns the shares from which on each colour stands: 0.3, 0.1, 0.03 and so on,
// down from the greatest of them that there is.
func (s Shares) steps() []float64 {
	greatest := 0.0
	for _, shares := range s.Of {
		greatest = max(greatest, slices.Max(shares))
	}
	if !(greatest > 0) {
		return nil
	}
	power := math.Pow(10, math.Floor(math.Log10(greatest)))
	var steps []float64
	for len(steps) < len(shareFills) {
		for _, step := range []float64{3 * power, power} {
			if step <= greatest && len(steps) < len(shareFills) {
				steps = append(steps, step)
			}
		}
		power /= 10
	}
	return steps
}

// Plot implements [plot.Plotter]. All states of a colour and of the darker ones, which are
// painted over it, are one path: so no lines are seen between them.
func (s Shares) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	steps := s.steps()
	for i, step := range slices.Backward(steps) {
		var path vg.Path
		for column, shares := range s.Of {
			left, right := x(float64(column)-0.5), x(float64(column)+0.5)
			for from := 0; from < len(shares); from++ {
				to := from
				for to < len(shares) && shares[to] >= step {
					to++
				}
				if to > from {
					bottom, top := y(float64(from)-0.5), y(float64(to)-0.5)
					path.Move(vg.Point{X: left, Y: bottom})
					path.Line(vg.Point{X: right, Y: bottom})
					path.Line(vg.Point{X: right, Y: top})
					path.Line(vg.Point{X: left, Y: top})
					path.Close()
					from = to
				}
			}
		}
		c.SetColor(shareFills[i])
		c.Fill(path)
	}
}
