package figure

// Panels are drawn.

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// drawPanels draws panels one below the other, with their axes in line and their legends
// on the right.
func drawPanels(whole draw.Canvas, panels []Panel) {
	const edge, between, legendGap = 3 * vg.Millimeter, 5 * vg.Millimeter, 3 * vg.Millimeter
	whole.SetColor(white)
	whole.Fill(whole.Path())
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadY: between, PadTop: edge, PadBottom: edge, PadLeft: edge, PadRight: edge}
	plots, parts := make([]*plot.Plot, len(panels)), make([]draw.Canvas, len(panels))
	var left, right vg.Length // of the widest axis and the widest legend
	for i, panel := range panels {
		parts[i] = panel.heading(tiles.At(whole, 0, i))
		legend := panel.plot(parts[i].Size(), namesWithin(whole)).Legend
		if width := legend.Rectangle(parts[i]).Size().X; width > 0 {
			right = max(right, width+legendGap)
		}
	}
	for i, panel := range panels {
		part := draw.Crop(parts[i], 0, -right, 0, 0)
		plots[i] = panel.plot(part.Size(), namesWithin(whole))
		panel.Y.setTicks(&plots[i].Y, plots[i].DataCanvas(part).Size().Y, func(string) vg.Length { return 2 * textSize })
		left = max(left, plots[i].DataCanvas(part).Min.X-part.Min.X)
	}
	for i, part := range parts {
		part = draw.Crop(part, left-(plots[i].DataCanvas(part).Min.X-part.Min.X), -right, 0, 0)
		across := part.Max.X - parts[i].Min.X - left
		panels[i].X.setTicks(&plots[i].X, across, func(label string) vg.Length { return words(textSize, black, 0, 0).Width(label) + textSize })
		plots[i].Legend.XOffs = plots[i].DataCanvas(part).Size().X + legendGap
		plots[i].Draw(part)
	}
}

// heading draws the title and the parameters, and returns the rest of a canvas.
func (p Panel) heading(c draw.Canvas) draw.Canvas {
	title := words(titleSize, black, text.XLeft, text.YTop)
	title.Font.Weight = bold
	for i, style := range []text.Style{title, words(textSize, darkGrey, text.XLeft, text.YTop)} {
		for _, line := range wrap([]string{p.Title, p.Given}[i], style, c.Max.X-c.Min.X) {
			c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
			c.Max.Y -= leading * style.Font.Size
		}
	}
	c.Max.Y -= 2 * vg.Millimeter
	return c
}

// wrap breaks text into lines of at most a width. It breaks at spaces.
func wrap(text string, style text.Style, width vg.Length) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// even is wrap with lines of about the same width.
func even(text string, style text.Style, width vg.Length) []string {
	lines := wrap(text, style, width)
	for share := vg.Length(0.95); share > 0.5; share -= 0.05 {
		if narrower := wrap(text, style, share*width); len(narrower) == len(lines) {
			lines = narrower
		}
	}
	return lines
}

// namesWithin returns the width of names in the legend of a picture: longer ones are
// wrapped.
func namesWithin(whole draw.Canvas) vg.Length {
	const share, most = 0.3, 4.2 * vg.Centimeter
	return min(most, share*whole.Size().X)
}

// plot returns what gonum draws of a panel in a size, with legend names up to a width.
func (p Panel) plot(size vg.Point, names vg.Length) *plot.Plot {
	const between = 0.75 // share of the room that axes span, about
	p.Curves = p.logarithms()
	g := plot.New()
	g.BackgroundColor = nil
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faintGrey, faintGrey
	g.Add(grid)
	g.Legend.TextStyle = words(textSize, black, text.XLeft, text.YBottom)
	g.Legend.Top, g.Legend.Left, g.Legend.ThumbnailWidth, g.Legend.Padding = true, true, sampleWidth, 0.3*textSize
	acting := &plotter.Polygon{XYs: []plotter.XYs{p.Acting}, Color: shaded}
	if len(p.Acting) > 0 {
		g.Add(acting)
	}
	var shares []*plotter.Polygon
	if p.Shares != nil {
		for i, step := range p.Shares.steps() {
			shares = append(shares, p.Shares.region(step, shareFills[i]))
		}
	}
	for _, region := range slices.Backward(shares) { // darker ones are painted over lighter ones
		g.Add(region)
	}
	for i, c := range p.Curves {
		drawn := c.plotters(i, between*size.X)
		g.Add(drawn...)
		sample := samples(drawn)
		for _, line := range wrap(c.Name, g.Legend.TextStyle, names) {
			g.Legend.Add(line, sample...)
			sample = nil // beside the first line
		}
	}
	if len(p.Acting) > 0 {
		for i, line := range wrap(p.Action, g.Legend.TextStyle, names) {
			g.Legend.Add(line, []plot.Thumbnailer{acting}[min(i, 1):]...)
		}
	}
	if p.Shares != nil {
		g.Legend.Add(p.Shares.What + ":")
		for i, step := range p.Shares.steps() {
			g.Legend.Add(ui.PercentText(step)+" and more", shares[i])
		}
	}
	p.X.adjust(&g.X, between*size.X)
	p.Y.adjust(&g.Y, between*size.Y)
	if !p.Y.fixed() {
		p.Y.pad(&g.Y)
	}
	if !p.X.fixed() && !p.X.Whole && slices.ContainsFunc(p.Curves, func(c Curve) bool { return c.Kind == Dots }) {
		p.X.pad(&g.X)
	}
	return g
}

// logarithms returns the curves as they are drawn. Logarithmic axes show the decimal
// logarithm of the data, since gonum misplaces the label of its own logarithmic axes.
func (p Panel) logarithms() []Curve {
	if !p.X.Log && !p.Y.Log {
		return p.Curves
	}
	curves := slices.Clone(p.Curves)
	for i, c := range curves {
		curves[i].Points = slices.Clone(c.Points)
		for k, at := range c.Points {
			if p.X.Log {
				curves[i].Points[k].X = math.Log10(at.X)
			}
			if p.Y.Log {
				curves[i].Points[k].Y = math.Log10(at.Y)
			}
		}
	}
	return curves
}

// fixed reports whether the ends of an axis are given.
func (a Axis) fixed() bool { return a.From != 0 || a.To != 0 }

// adjust sets the label and the range of an axis; its length is approximate.
func (a Axis) adjust(axis *plot.Axis, length vg.Length) {
	old := axis.Label.TextStyle
	axis.Label.TextStyle = words(textSize, black, old.XAlign, old.YAlign)
	axis.Label.TextStyle.Rotation = old.Rotation
	axis.Label.Text = strings.Join(even(a.Label, axis.Label.TextStyle, length), "\n")
	old = axis.Tick.Label
	axis.Tick.Label = words(textSize-0.5, black, old.XAlign, old.YAlign)
	axis.Tick.Label.Handler = raised{plot.DefaultTextHandler}
	if old.YAlign == text.YTop {
		axis.Tick.Label.YAlign -= 0.15 // clear of the tick marks above
	}
	axis.Width, axis.Tick.Width = faintWidth, faintWidth
	axis.Tick.Length, axis.Label.Padding, axis.Padding = tickLength, labelPadding, 0
	if a.Zero {
		axis.Min = 0
	}
	switch {
	case a.fixed():
		axis.Min, axis.Max = a.From, a.To
	case math.IsInf(axis.Min, 1): // there are no curves
		axis.Min, axis.Max = 0, 1
	case a.Whole:
		axis.Min, axis.Max = math.Ceil(axis.Min)-0.5, math.Floor(axis.Max)+0.5
	}
	a.setTicks(axis, length, func(string) vg.Length { return 2 * textSize }) // until the length is known
}

// setTicks gives an axis as many ticks as fit; room is what a label needs along the axis.
func (a Axis) setTicks(axis *plot.Axis, length vg.Length, room func(label string) vg.Length) {
	const most, least = 11, 2
	for count := most; count >= least; count-- {
		ticks := niceTicks(a, axis.Min, axis.Max, count)
		if a.Log {
			ticks = decades(axis.Min, axis.Max, count)
		}
		axis.Tick.Marker = plot.ConstantTicks(ticks)
		free := true
		for i := 1; i < len(ticks); i++ {
			apart := vg.Length(axis.Norm(ticks[i].Value)-axis.Norm(ticks[i-1].Value)) * length
			free = free && apart >= (room(ticks[i].Label)+room(ticks[i-1].Label))/2
		}
		if free {
			return
		}
	}
}

// pad leaves room at both ends of an axis, but not below 0 where all values are above.
func (a Axis) pad(axis *plot.Axis) {
	const share, level = 0.06, 1e-9
	room := share * (axis.Max - axis.Min)
	if axis.Max-axis.Min <= level*math.Abs(axis.Max) {
		room = max(share*math.Abs(axis.Max), share)
	}
	if axis.Min >= 0 && !a.Log {
		axis.Min = max(0, axis.Min-room)
	} else {
		axis.Min -= room
	}
	axis.Max += room
}
