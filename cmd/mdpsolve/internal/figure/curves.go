package figure

// Curves, by gonum's own plotters.

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// plotters returns what draws the curve at its place in the list, over an axis of a width.
func (c Curve) plotters(place int, width vg.Length) []plot.Plotter {
	const (
		dense      = 1.6 * vg.Millimeter // a Whole curve has no marks where points are nearer to each other
		sparse     = 4 * vg.Millimeter   // Steps have no marks where points are nearer
		marksApart = 5                   // how many radii neighbouring marks are apart, at least
	)
	look := c.look(place)
	line := &plotter.Line{XYs: c.Points, LineStyle: draw.LineStyle{Color: look.ink, Width: lineWidth, Dashes: look.dashes}}
	marks := &plotter.Scatter{XYs: c.Points, GlyphStyle: draw.GlyphStyle{Color: look.ink, Radius: markRadius, Shape: look.mark}}
	apart := width / vg.Length(len(c.Points))
	marks.Radius = look.size * min(marks.Radius, max(apart/marksApart, markRadius/2))
	var drawn []plot.Plotter
	switch {
	case c.Kind == Whole && apart >= dense:
		line.XYs, line.Width = c.steps(), faintWidth
		drawn = []plot.Plotter{line, marks}
	case (c.Kind == Whole || c.Kind == Steps) && len(c.Points) > 1:
		line.XYs = c.steps()
		drawn = []plot.Plotter{line}
		if c.Kind == Steps && apart >= sparse {
			drawn = append(drawn, marks)
		}
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

// samples returns what stands for plotters in a legend.
func samples(drawn []plot.Plotter) []plot.Thumbnailer {
	var samples []plot.Thumbnailer
	for _, one := range drawn {
		if sample, has := one.(plot.Thumbnailer); has {
			samples = append(samples, sample)
		}
	}
	return samples
}

// steps returns a line that steps half-way between points. Over whole numbers it goes
// half a step beyond them.
func (c Curve) steps() []XY {
	if len(c.Points) < 2 {
		return c.Points
	}
	half := (c.Points[1].X - c.Points[0].X) / 2
	first, last := c.Points[0].X, c.Points[len(c.Points)-1].X
	if c.Kind == Whole {
		first, last = first-half, last+half
	}
	var line []XY
	for _, at := range c.Points {
		line = append(line, XY{X: max(first, at.X-half), Y: at.Y}, XY{X: min(last, at.X+half), Y: at.Y})
	}
	return line
}

// labels writes the labels of a curve beside its points. A label that would overlap an
// earlier one is left out; gonum's labels overlap.
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
