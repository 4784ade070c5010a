package figure

// Panels become pictures.

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// newCanvas returns an empty, white picture. Its title is that of its panels.
func newCanvas(extension string, width, height vg.Length, dpi int, panels []Panel) vg.CanvasWriterTo {
	scale := shrink(width, height, len(panels))
	if extension == ".png" {
		scale = vg.Length(math.Round(float64(dpi)*float64(scale))) / vg.Length(dpi) // whole dots
	}
	width, height = width/scale, height/scale
	titles := make([]string, len(panels))
	for i, p := range panels {
		titles[i] = p.Title
		if p.Given != "" {
			titles[i] += " (" + p.Given + ")"
		}
	}
	title := strings.Join(titles, "; ")
	switch extension {
	case ".svg":
		return newSVG(width, height, scale, title)
	case ".pdf":
		return newPDF(width, height, scale, title)
	}
	return pngCanvas{vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(int(math.Round(float64(dpi)*float64(scale)))))}, dpi}
}

// shrink returns the scale of pictures that are too small for text of full size.
func shrink(width, height vg.Length, panels int) vg.Length {
	const enoughWidth, enoughHeight, least = 13 * vg.Centimeter, 6 * vg.Centimeter, 0.7
	return min(1, max(least, min(width/enoughWidth, height/vg.Length(panels)/enoughHeight)))
}

// drawPanels draws panels on top of each other, with their axes in line.
func drawPanels(canvas vg.CanvasWriterTo, panels []Panel) {
	const edge, between = 3 * vg.Millimeter, 5 * vg.Millimeter
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadY: between, PadTop: edge, PadBottom: edge, PadLeft: edge, PadRight: edge}
	whole := draw.New(canvas)
	plots, parts := make([]*plot.Plot, len(panels)), make([]draw.Canvas, len(panels))
	var left, right vg.Length // of the widest axis and the widest margin
	for i, panel := range panels {
		parts[i] = panel.heading(tiles.At(whole, 0, i))
		size := parts[i].Size()
		plots[i] = panel.plot(size.X, size.Y)
		data := plots[i].DataCanvas(parts[i])
		left, right = max(left, data.Min.X-parts[i].Min.X), max(right, parts[i].Max.X-data.Max.X)
	}
	for i, part := range parts {
		data, across := plots[i].DataCanvas(part), part.Size().X-left-right
		part = draw.Crop(part, left-(data.Min.X-part.Min.X), part.Max.X-data.Max.X-right, 0, 0)
		panels[i].X.setTicks(&plots[i].X, across, func(label string) vg.Length {
			width, _, _ := handler.Box(label, sans(textSize))
			return width + textSize/2
		})
		plots[i].Draw(part)
	}
}

// heading draws what is seen and what for, and returns the rest of a canvas.
func (p Panel) heading(c draw.Canvas) draw.Canvas {
	title := words(titleSize, black, text.XLeft, text.YTop)
	title.Font.Weight = bold
	for i, style := range []text.Style{title, words(textSize, darkGrey, text.XLeft, text.YTop)} {
		for _, line := range handler.wrap([]string{p.Title, p.Given}[i], style.Font, c.Max.X-c.Min.X) {
			c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, line)
			c.Max.Y -= leading * style.Font.Size
		}
	}
	c.Max.Y -= 2 * vg.Millimeter
	return c
}

// plot returns what gonum draws of a panel in so much room.
func (p Panel) plot(width, height vg.Length) *plot.Plot {
	p.Curves = p.logarithms()
	g := plot.New()
	g.BackgroundColor = nil
	g.TextHandler, g.Legend.TextStyle.Handler, g.Title.TextStyle.Handler = handler, handler, handler
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faintGrey, faintGrey
	g.Add(grid)
	if len(p.Acting) > 0 {
		g.Add(shade(p.Acting))
	}
	if p.Shares != nil {
		g.Add(p.Shares)
	}
	for i, c := range p.Curves {
		g.Add(stroke{c, c.look(i)})
	}
	const axes = 0.75 // of the room is between the axes, about
	p.X.adjust(&g.X, axes*width)
	p.Y.adjust(&g.Y, axes*height)
	g.Y.Tick.Label.YAlign = besideTick
	if !p.Y.fixed() {
		pad(&g.Y, p.Y)
	}
	p.Y.setTicks(&g.Y, axes*height, func(string) vg.Length { return 2 * textSize })
	if slices.ContainsFunc(p.Curves, func(c Curve) bool { return len(c.Labels) > 0 }) {
		pad(&g.X, p.X)
	}
	g.Add(ends{p.Curves, p.Shares})
	return g
}

// logarithms returns the curves as they are drawn: over logarithmic axes what is drawn is
// the decimal logarithm.
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

// adjust gives an axis of about a length its label and range.
func (a Axis) adjust(axis *plot.Axis, length vg.Length) {
	axis.Label.Text = strings.Join(handler.wrap(a.Label, sans(textSize), length), "\n")
	align := axis.Label.TextStyle
	axis.Label.TextStyle = words(textSize, black, align.XAlign, align.YAlign)
	align = axis.Tick.Label
	axis.Tick.Label = words(textSize-0.5, black, align.XAlign, align.YAlign)
	axis.Width, axis.Tick.Width = faintWidth, faintWidth
	axis.Tick.Length, axis.Label.Padding = tickLength, labelPadding
	axis.Padding = 0
	if a.Zero {
		axis.Min = 0
	}
	switch {
	case a.fixed():
		axis.Min, axis.Max = a.From, a.To
	case math.IsInf(axis.Min, 1): // there are no curves
		axis.Min, axis.Max = 0, 1
	case a.Whole:
		axis.Min, axis.Max = axis.Min-0.5, axis.Max+0.5
	}
	a.setTicks(axis, length, func(string) vg.Length { return 0 })
}

// setTicks gives an axis as many ticks as there is room for: room is what a label needs
// along the axis.
func (a Axis) setTicks(axis *plot.Axis, length vg.Length, room func(label string) vg.Length) {
	const most, least = 11, 2
	for count := most; count >= least; count-- {
		axis.Tick.Marker = NiceTicks{Whole: a.Whole, Never: a.Never, Most: count}
		if a.Log {
			axis.Tick.Marker = decades{count}
		}
		free, ticks := true, axis.Tick.Marker.Ticks(axis.Min, axis.Max)
		for i := 1; i < len(ticks); i++ {
			apart := vg.Length(axis.Norm(ticks[i].Value)-axis.Norm(ticks[i-1].Value)) * length
			free = free && apart >= (room(ticks[i].Label)+room(ticks[i-1].Label))/2
		}
		if free {
			return
		}
	}
}

// pad leaves room above and below curves, though not below 0 where they are above.
func pad(axis *plot.Axis, a Axis) {
	const share, level = 0.06, 1e-9
	room := share * (axis.Max - axis.Min)
	if axis.Max-axis.Min <= level*math.Abs(axis.Max) {
		room = max(share*math.Abs(axis.Max), share)
	}
	if axis.Min >= 0 && !a.Log {
		axis.Min = max(0, axis.Min-room)
	} else if !a.Never {
		axis.Min -= room
	}
	axis.Max += room
}
