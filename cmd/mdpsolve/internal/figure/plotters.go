package figure

// What is drawn inside the axes.

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// shade fills an outline.
type shade []XY

// Plot implements [plot.Plotter].
func (s shade) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	outline := make([]vg.Point, len(s))
	for i, at := range s {
		outline[i] = vg.Point{X: x(at.X), Y: y(at.Y)}
	}
	c.FillPolygon(shaded, c.ClipPolygonXY(outline))
}

// stroke draws a curve.
type stroke struct {
	Curve
	look look
}

// DataRange implements [plot.DataRanger].
func (s stroke) DataRange() (left, right, bottom, top float64) {
	return plotter.XYRange(plotter.XYs(s.Points))
}

// Plot implements [plot.Plotter].
func (s stroke) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	points := make([]vg.Point, len(s.Points))
	for i, at := range s.Points {
		points[i] = vg.Point{X: x(at.X), Y: y(at.Y)}
	}
	const apart = 1.6 * vg.Millimeter // marks that are nearer to each other run together
	marks := s.Kind == Dots || len(points) == 1
	style := draw.LineStyle{Color: s.look.ink, Width: lineWidth, Dashes: s.look.dashes}
	switch s.Kind {
	case Line:
		c.StrokeLines(style, c.ClipLinesXY(points)...)
	case Whole:
		marks = len(points) < 2 || points[1].X-points[0].X >= apart
		if marks {
			style.Width = faintWidth
		}
		c.StrokeLines(style, c.ClipLinesXY(steps(points))...)
	}
	if marks {
		const many = 80
		radius := markRadius
		if len(points) > many {
			radius /= 2
		}
		for _, at := range points {
			c.DrawGlyph(draw.GlyphStyle{Color: s.look.ink, Radius: radius, Shape: s.look.mark}, at)
		}
	}
	s.label(c, points)
}

// steps returns a line that steps half-way between points.
func steps(points []vg.Point) []vg.Point {
	if len(points) < 2 {
		return points
	}
	half := (points[1].X - points[0].X) / 2
	var line []vg.Point
	for _, at := range points {
		line = append(line, vg.Point{X: at.X - half, Y: at.Y}, vg.Point{X: at.X + half, Y: at.Y})
	}
	return line
}

// label writes the labels of points beside them, but for those that would run into one
// that is there.
func (s stroke) label(c draw.Canvas, points []vg.Point) {
	const aside = 1.2 * vg.Millimeter
	style := words(textSize-1, s.look.ink, text.XLeft, text.YBottom)
	var taken []vg.Rectangle
	for i, label := range s.Labels {
		at := points[i].Add(vg.Point{X: aside, Y: aside / 4})
		box := style.Rectangle(label).Add(at)
		free := box.Max.X <= c.Max.X && box.Max.Y <= c.Max.Y && c.Contains(points[i])
		for _, other := range taken {
			free = free && (box.Min.X > other.Max.X || other.Min.X > box.Max.X || box.Min.Y > other.Max.Y || other.Min.Y > box.Max.Y)
		}
		if free {
			taken = append(taken, box)
			c.FillText(style, at, label)
		}
	}
}

// ends writes the names of curves beside their ends, in the margin, each behind a sample
// of its curve.
type ends struct {
	curves []Curve
	shares *Shares
}

const (
	sampleGap   = 2.5 * vg.Millimeter // between the axes and the sample: the leader
	sampleWidth = 8 * vg.Millimeter
	nameGap     = 1.5 * vg.Millimeter
	nameWidth   = 4.2 * vg.Centimeter // of a name: longer ones go on below
)

// name is that of a curve, or of a range of shares, in the margin.
type name struct {
	curve  Curve
	look   look
	fill   color.Color // of the range of shares; nil for a curve
	lines  []string
	wanted vg.Length // height of the end of the curve
	middle vg.Length // height of the name
}

func (n name) height() vg.Length { return leading * textSize * vg.Length(len(n.lines)) }

// names returns those of the curves that have one.
func (e ends) names() []name {
	var names []name
	for i, c := range e.curves {
		if c.Name != "" && len(c.Points) > 0 {
			names = append(names, name{curve: c, look: c.look(i), lines: handler.wrap(c.Name, sans(textSize), nameWidth)})
		}
	}
	if e.shares != nil {
		names = append(names, name{lines: handler.wrap(e.shares.What+":", sans(textSize), nameWidth)})
		for i, step := range e.shares.steps() {
			names = append(names, name{lines: []string{ui.PercentText(step) + " and more"}, fill: shareFills[i]})
		}
	}
	return names
}

// GlyphBoxes implements [plot.GlyphBoxer]: it asks for the margin.
func (e ends) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var width vg.Length
	for _, n := range e.names() {
		for _, line := range n.lines {
			width = max(width, wider*handler.width(line, sans(textSize)))
		}
	}
	if width == 0 {
		return nil
	}
	right := sampleGap + sampleWidth + nameGap + width
	return []plot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: right}}}}
}

// Plot implements [plot.Plotter].
func (e ends) Plot(c draw.Canvas, p *plot.Plot) {
	names := e.names()
	x, y := p.Transforms(&c)
	for i, n := range names {
		names[i].wanted = c.Min.Y // shares are named at the bottom
		if points := n.curve.Points; len(points) > 0 {
			names[i].wanted = min(max(y(points[len(points)-1].Y), c.Min.Y), c.Max.Y)
		}
	}
	spread(names, c.Min.Y, c.Max.Y)
	style := words(textSize, black, text.XLeft, text.YCenter)
	begin := c.Max.X + sampleGap
	for _, n := range names {
		n.leader(c, x, begin)
		n.sample(c, begin)
		for i, line := range n.lines {
			lift := leading * textSize * (vg.Length(len(n.lines)-1)/2 - vg.Length(i))
			c.FillText(style, vg.Point{X: begin + sampleWidth + nameGap, Y: n.middle + lift}, line)
		}
	}
}

// leader joins the end of a curve to its name, where it ends near the margin.
func (n name) leader(c draw.Canvas, x func(float64) vg.Length, begin vg.Length) {
	points := n.curve.Points
	if len(points) == 0 {
		return
	}
	const near = vg.Centimeter
	if end := min(x(points[len(points)-1].X), c.Max.X); end > c.Max.X-near {
		c.StrokeLine2(draw.LineStyle{Color: n.look.ink, Width: faintWidth / 2}, end, n.wanted, begin, n.middle)
	}
}

// sample shows how a curve is drawn, or the colour of a range of shares.
func (n name) sample(c draw.Canvas, begin vg.Length) {
	const half = textSize / 2
	switch {
	case n.fill != nil:
		c.FillPolygon(n.fill, []vg.Point{
			{X: begin, Y: n.middle - half},
			{X: begin + sampleWidth, Y: n.middle - half},
			{X: begin + sampleWidth, Y: n.middle + half},
			{X: begin, Y: n.middle + half},
		})
		return
	case len(n.curve.Points) == 0:
		return
	case n.curve.Kind != Dots:
		c.StrokeLine2(draw.LineStyle{Color: n.look.ink, Width: lineWidth, Dashes: n.look.dashes}, begin, n.middle, begin+sampleWidth, n.middle)
	}
	if n.curve.Kind != Line {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: n.look.ink, Radius: markRadius, Shape: n.look.mark},
			vg.Point{X: begin + sampleWidth/2, Y: n.middle})
	}
}

// spread puts names at the ends of their curves, and moves them apart where they would
// overlap: from the top down, then up from the bottom where that went too far.
func spread(names []name, bottom, top vg.Length) {
	order := make([]*name, len(names))
	for i := range names {
		order[i] = &names[i]
	}
	slices.SortStableFunc(order, func(a, b *name) int { return cmp.Compare(b.wanted, a.wanted) })
	limit := vg.Length(math.Inf(1))
	for _, n := range order {
		half := n.height() / 2
		n.middle = min(n.wanted, limit-half, top+half)
		limit = n.middle - half
	}
	limit = bottom - textSize
	for _, n := range slices.Backward(order) {
		half := n.height() / 2
		n.middle = max(n.middle, limit+half)
		limit = n.middle + half
	}
}
