package figure

// Curves and shares, by gonum's own plotters.

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// plotters returns what draws the curve in a place among others, which is so wide.
func (c Curve) plotters(place int, width vg.Length) []plot.Plotter {
	const small, none = 1.9 * vg.Millimeter, 1.6 * vg.Millimeter // marks that are nearer to each other
	look := c.look(place)
	line := &plotter.Line{XYs: c.Points, LineStyle: draw.LineStyle{Color: look.ink, Width: lineWidth, Dashes: look.dashes}}
	marks := &plotter.Scatter{XYs: c.Points, GlyphStyle: draw.GlyphStyle{Color: look.ink, Radius: markRadius, Shape: look.mark}}
	apart := width / vg.Length(len(c.Points))
	if apart < small {
		marks.Radius /= 2
	}
	var drawn []plot.Plotter
	switch {
	case c.Kind == Whole && apart >= none:
		line.XYs, line.Width = steps(c.Points), faintWidth
		drawn = []plot.Plotter{line, marks}
	case c.Kind == Whole:
		line.XYs = steps(c.Points)
		drawn = []plot.Plotter{line}
	case c.Kind == Dots || len(c.Points) == 1:
		drawn = []plot.Plotter{marks}
	default:
		drawn = []plot.Plotter{line}
	}
	if len(c.Labels) > 0 {
		drawn = append(drawn, labels{c, look.ink})
	}
	return drawn
}

// samples are those of plotters in a legend.
func samples(drawn []plot.Plotter) []plot.Thumbnailer {
	var samples []plot.Thumbnailer
	for _, one := range drawn {
		if sample, has := one.(plot.Thumbnailer); has {
			samples = append(samples, sample)
		}
	}
	return samples
}

// steps returns a line that steps half-way between points.
func steps(points []XY) []XY {
	if len(points) < 2 {
		return points
	}
	half := (points[1].X - points[0].X) / 2
	var line []XY
	for _, at := range points {
		line = append(line, XY{X: at.X - half, Y: at.Y}, XY{X: at.X + half, Y: at.Y})
	}
	return line
}

// labels writes those of a curve beside its points, but for those that would run into one
// that is there, which gonum's do.
type labels struct {
	Curve
	ink color.Color
}

// Plot implements [plot.Plotter].
func (l labels) Plot(c draw.Canvas, p *plot.Plot) {
	const aside = 1.2 * vg.Millimeter
	x, y := p.Transforms(&c)
	style := words(textSize-1, l.ink, text.XLeft, text.YBottom)
	var taken []vg.Rectangle
	for i, label := range l.Labels {
		point := vg.Point{X: x(l.Points[i].X), Y: y(l.Points[i].Y)}
		at := point.Add(vg.Point{X: aside, Y: aside / 4})
		box := style.Rectangle(label).Add(at)
		free := box.Max.X <= c.Max.X && box.Max.Y <= c.Max.Y && c.Contains(point)
		for _, other := range taken {
			free = free && (box.Min.X > other.Max.X || other.Min.X > box.Max.X || box.Min.Y > other.Max.Y || other.Min.Y > box.Max.Y)
		}
		if free {
			taken = append(taken, box)
			c.FillText(style, at, label)
		}
	}
}

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

// region returns the states that have at least a share. They are one polygon, with a ring
// for each run of them: gonum's heat map leaves lines between neighbours.
func (s Shares) region(least float64, fill color.Color) *plotter.Polygon {
	region := &plotter.Polygon{Color: fill}
	for column, shares := range s.Of {
		left, right := float64(column)-0.5, float64(column)+0.5
		for from := 0; from < len(shares); from++ {
			to := from
			for to < len(shares) && shares[to] >= least {
				to++
			}
			if to > from {
				bottom, top := float64(from)-0.5, float64(to)-0.5
				region.XYs = append(region.XYs, plotter.XYs{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
				from = to
			}
		}
	}
	return region
}
