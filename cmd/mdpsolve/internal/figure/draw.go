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
)

const (
	edge      = 3 * vg.Millimeter
	between   = 5 * vg.Millimeter
	legendGap = 3 * vg.Millimeter

	// The least room between the axes of a panel.
	leastAcross = 15 * vg.Millimeter
	leastUp     = 10 * vg.Millimeter
)

// drawPanels draws panels in rows. In several columns, subjects with several panels each are one below
// the other. It reports whether titles, axes and legends leave room for all that is drawn.
func drawPanels(whole draw.Canvas, panels []Panel, columns int) (fits bool) {
	whole.SetColor(white)
	whole.Fill(whole.Path())
	page, names := draw.Crop(whole, edge, -edge, edge, -edge), namesWithin(whole)
	subjects := [][]Panel{panels}
	if columns > 1 {
		subjects = subjectsOf(panels)
	}
	rowsOf := func(panels []Panel) vg.Length { return vg.Length((len(panels) + columns - 1) / columns) }
	rows := vg.Length(0)
	for _, subject := range subjects {
		rows += rowsOf(subject)
	}
	row := (page.Size().Y - vg.Length(len(subjects)-1)*between) / rows
	fits = true
	for _, subject := range subjects {
		part := page
		part.Min.Y = part.Max.Y - row*rowsOf(subject)
		fits = drawSubject(part, slices.Clone(subject), columns, names) && fits
		page.Max.Y = part.Min.Y - between
	}
	return fits
}

// subjectsOf returns the subjects of panels, or all together if one of them has a single panel.
func subjectsOf(panels []Panel) (subjects [][]Panel) {
	for i, p := range panels {
		if i == 0 || !isOneSubject([]Panel{panels[i-1], p}) {
			subjects = append(subjects, nil)
		}
		last := &subjects[len(subjects)-1]
		*last = append(*last, p)
	}
	if slices.ContainsFunc(subjects, func(s []Panel) bool { return len(s) == 1 }) {
		return [][]Panel{panels}
	}
	return subjects
}

// drawSubject draws panels in rows, with their axes in line. Legends are on the right: of each panel,
// or one for all in several columns whose panels have the same. Those of narrow panels are below.
// It reports whether they leave room for the panels.
func drawSubject(page draw.Canvas, panels []Panel, columns int, names vg.Length) (fits bool) {
	if columns > 1 && len(panels) > 1 && isOneSubject(panels) {
		page = heading(page, panels[0].Title, panels[0].Given)
		for i := range panels {
			panels[i].Title, panels[i].Part, panels[i].Given = panels[i].Part, "", ""
		}
	}
	rows := (len(panels) + columns - 1) / columns
	legends, below, right := make([]plot.Legend, len(panels)), make([]vg.Length, rows), vg.Length(0) // the largest legend
	for i, panel := range panels {
		legends[i] = panel.plot(page.Size(), names).Legend
		if size := legends[i].Rectangle(page).Size(); size.X > 0 {
			right, below[i/columns] = max(right, size.X+legendGap), max(below[i/columns], size.Y+legendGap)
		}
	}
	shared := columns > 1 && len(panels) > 1 && haveOneLegend(panels)
	const wide, high = 0.35, 0.4 // of a panel
	cell := vg.Point{X: page.Size().X / vg.Length(columns), Y: page.Size().Y / vg.Length(rows)}
	isNarrow := !shared && slices.Max(below) < high*cell.Y && (right > wide*cell.X || columns > 1 && cell.X < cell.Y)
	margin := page
	if isNarrow {
		right = 0
	} else {
		clear(below)
	}
	if shared {
		page = draw.Crop(page, 0, -right, 0, 0)
		margin, right = draw.Crop(margin, page.Size().X+legendGap, 0, 0, 0), 0
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: between, PadY: between}
	plots, parts := make([]*plot.Plot, len(panels)), make([]draw.Canvas, len(panels))
	var left vg.Length // of the widest axis
	for i, panel := range panels {
		title := strings.TrimSuffix(panel.Title+", "+panel.Part, ", ")
		parts[i] = heading(tiles.At(page, i%columns, i/columns), title, panel.Given)
	}
	for i := range panels {
		top := parts[i].Max.Y
		for k := i / columns * columns; k < min(i/columns*columns+columns, len(panels)); k++ {
			top = min(top, parts[k].Max.Y) // the lowest in the row
		}
		parts[i].Max.Y = top
	}
	for i, panel := range panels {
		part := draw.Crop(parts[i], 0, -right, below[i/columns], 0)
		plots[i] = panel.plot(part.Size(), names)
		panel.Y.setTicks(&plots[i].Y, plots[i].DataCanvas(part).Size().Y, panel.Y.line)
		left = max(left, plots[i].DataCanvas(part).Min.X-part.Min.X)
	}
	fits = true
	for i, part := range parts {
		part = draw.Crop(part, left-(plots[i].DataCanvas(part).Min.X-part.Min.X), -right, below[i/columns], 0)
		across := part.Max.X - parts[i].Min.X - left
		panels[i].X.setTicks(&plots[i].X, across, func(label string) vg.Length { return words(textSize, black, 0, 0).Width(label) + textSize })
		room := plots[i].DataCanvas(part).Size()
		fits = fits && room.X >= leastAcross && room.Y >= leastUp
		plots[i].Legend.XOffs = room.X + legendGap
		if shared || isNarrow {
			plots[i].Legend = plot.NewLegend()
		}
		plots[i].Draw(part)
		if isNarrow {
			rest := parts[i]
			rest.Max.Y = rest.Min.Y + below[i/columns] - legendGap
			legends[i].Draw(rest)
		}
	}
	if shared {
		margin.Max.Y = parts[0].Max.Y
		legends[0].Draw(margin)
	}
	return fits
}

// isOneSubject reports whether panels are parts of one subject.
func isOneSubject(panels []Panel) bool {
	return !slices.ContainsFunc(panels, func(p Panel) bool {
		return p.Part == "" || p.Title != panels[0].Title || p.Given != panels[0].Given
	})
}

// haveOneLegend reports whether the legends of panels are the same.
func haveOneLegend(panels []Panel) bool {
	return !slices.ContainsFunc(panels, func(p Panel) bool {
		sameCells := func(a, b *Cells) bool {
			return a.Title == b.Title && slices.EqualFunc(a.Kinds, b.Kinds, func(x, y Fill) bool { return x == y })
		}
		sameCurve := func(a, b Curve) bool { return a.Name == b.Name && a.Look == b.Look && a.Kind == b.Kind }
		return !slices.EqualFunc(p.Cells, panels[0].Cells, sameCells) || !slices.EqualFunc(p.Curves, panels[0].Curves, sameCurve)
	})
}

// heading draws a title and parameters, and returns the rest of a canvas.
func heading(c draw.Canvas, heads, given string) draw.Canvas {
	title := words(titleSize, black, text.XLeft, text.YTop)
	title.Font.Weight = bold
	for i, style := range []text.Style{title, words(textSize, darkGrey, text.XLeft, text.YTop)} {
		for _, line := range wrap([]string{heads, given}[i], style, c.Max.X-c.Min.X) {
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
	const inner = 0.75 // share of the room that axes span, about
	p.Curves = p.logarithms()
	g := plot.New()
	g.BackgroundColor = nil
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faintGrey, faintGrey
	g.Add(grid)
	g.Legend.TextStyle = words(textSize, black, text.XLeft, text.YBottom)
	g.Legend.Top, g.Legend.Left, g.Legend.ThumbnailWidth, g.Legend.Padding = true, true, sampleWidth, 0.3*textSize
	for _, cells := range p.Cells {
		for _, l := range cells.layers() {
			g.Add(l)
		}
		if cells.Lines {
			g.Add(separators{cells})
		}
	}
	for i, c := range p.Curves {
		drawn := c.plotters(i, inner*size.X)
		g.Add(drawn...)
		sample := samples(drawn)
		for _, line := range wrap(c.Name, g.Legend.TextStyle, names) {
			g.Legend.Add(line, sample...)
			sample = nil // beside the first line
		}
	}
	for _, cells := range p.Cells {
		cells.legend(&g.Legend, names)
	}
	p.X.adjust(&g.X, inner*size.X)
	p.Y.adjust(&g.Y, inner*size.Y)
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
	a.setTicks(axis, length, a.line) // until the length is known
}

// line returns the room for a label of a vertical axis.
func (a Axis) line(string) vg.Length {
	if a.Names != nil {
		return leading * textSize
	}
	return 2 * textSize
}

// setTicks gives an axis as many ticks as fit; room is what a label needs along the axis.
func (a Axis) setTicks(axis *plot.Axis, length vg.Length, room func(label string) vg.Length) {
	const most, least = 11, 2
	for count := max(most, min(len(a.Names), 2*most)); count >= least; count-- {
		ticks := niceTicks(a, axis.Min, axis.Max, count)
		switch {
		case a.Log:
			ticks = decades(axis.Min, axis.Max, count)
		case a.Names != nil:
			ticks = a.named(ticks)
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

// named returns ticks with names in place of numbers.
func (a Axis) named(ticks []plot.Tick) (named []plot.Tick) {
	for _, t := range ticks {
		if i := int(t.Value); i >= 0 && i < len(a.Names) {
			named = append(named, plot.Tick{Value: t.Value, Label: a.Names[i]})
		}
	}
	return named
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
