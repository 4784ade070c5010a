package figure

// How panels are drawn.

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

const (
	edge      = 3 * vg.Millimeter
	between   = 5 * vg.Millimeter
	legendGap = 3 * vg.Millimeter

	underHeading = 2 * vg.Millimeter

	// The least room between the axes of a panel.
	leastAcross = 15 * vg.Millimeter
	leastUp     = 10 * vg.Millimeter
)

// block is a part of a picture with one heading and one legend: a panel, or the parts of one subject.
type block struct {
	spot
	panels []Panel
	titles vg.Length   // the height of the headings of single panels; 0 if no block in the row has them
	area   draw.Canvas // below the heading
	legend plot.Legend
}

// spot is the place of a block in a grid of panels: where it begins, and over how many rows and columns.
type spot struct{ row, column, down, across int }

// pack puts blocks into a grid of columns; sizes are their numbers of panels. A block of one row goes
// into the first row with room for it; a block of several rows gets new rows for itself. used has the
// number of columns taken in each row.
func pack(sizes []int, columns int) (spots []spot, used []int) {
	var room []int // columns for other blocks in each row
	for _, n := range sizes {
		across := min(n, columns)
		down := (n + across - 1) / across
		row := slices.IndexFunc(room, func(free int) bool { return down == 1 && across <= free })
		if row < 0 {
			row = len(used)
			used, room = append(used, make([]int, down)...), append(room, make([]int, down)...)
			if down == 1 {
				room[row] = columns
			}
		}
		spots = append(spots, spot{row, used[row], down, across})
		for i := range down {
			taken := min(across, n-i*across)
			used[row+i] += taken
			room[row+i] -= taken
		}
	}
	return spots, used
}

// haveParts reports whether there are subjects, and each has several panels.
func haveParts(sizes []int) bool { return sizes != nil && slices.Min(sizes) > 1 }

// drawPanels draws panels in rows, with their axes in line. In several columns, the panels of a subject
// are side by side under one heading; subjects of several panels each are one below the other. Legends
// are on the right or, of narrow panels, below; in rows and columns, one legend serves all panels where
// there is room. It reports whether titles, axes and legends leave room for all that is drawn.
func drawPanels(whole draw.Canvas, panels []Panel, columns int) (fits bool) {
	whole.SetColor(white)
	whole.Fill(whole.Path())
	blank := draw.Canvas{Canvas: new(recorder.Canvas), Rectangle: whole.Rectangle}
	blocks, rows, _ := arrange(blank, panels, columns, nil)
	blocks, _, fits = arrange(whole, panels, columns, level(blocks, rows))
	return drawAxes(blocks, namesWithin(whole)) && fits
}

// level returns heights of rows with which the axes of all rows are equally high. Headings and legends take
// as much of a row as they do in blocks, which have been arranged in rows.
func level(blocks []*block, rows []vg.Length) []vg.Length {
	lowest := map[int]*block{} // the block with the lowest axes, by its first row
	for _, b := range blocks {
		if other := lowest[b.row]; other == nil || b.area.Size().Y < other.area.Size().Y {
			lowest[b.row] = b
		}
	}
	up := vg.Length(0) // the mean height of the axes of a row
	axes := func(b *block) vg.Length {
		return b.area.Size().Y - vg.Length(b.down-1)*between - vg.Length(b.down)*b.titles
	}
	for _, b := range lowest {
		up += axes(b) / vg.Length(len(rows))
	}
	heights := slices.Clone(rows)
	for _, b := range lowest {
		for i := range b.down {
			heights[b.row+i] += up - axes(b)/vg.Length(b.down)
		}
	}
	return heights
}

// arrange draws the headings and legends of panels, in rows of given heights; nil stands for equal ones. It
// returns the blocks, whose areas are left for the axes, the heights, and whether all fits.
func arrange(whole draw.Canvas, panels []Panel, columns int, rows []vg.Length) (blocks []*block, heights []vg.Length, fits bool) {
	page, names, given := draw.Crop(whole, edge, -edge, edge, -edge), namesWithin(whole), panels[0].Given
	if len(panels) > 1 && !slices.ContainsFunc(panels, func(p Panel) bool { return p.Given != given }) { // all have the same: it is drawn once
		page = heading(page, "", given)
		panels = slices.Clone(panels)
		for i := range panels {
			panels[i].Given = ""
		}
	}
	blocks, used, columns := blocksOf(panels, columns)
	row := (page.Size().Y - vg.Length(len(used)-1)*between) / vg.Length(len(used)) // the mean height
	if rows == nil {
		rows = slices.Repeat([]vg.Length{row}, len(used))
	}
	above := func(i int) (sum vg.Length) { // the distance from the top of the page to row i
		for _, height := range rows[:i] {
			sum += height + between
		}
		return sum
	}
	wide := func() vg.Length { return (page.Size().X - vg.Length(columns-1)*between) / vg.Length(columns) }
	const most, mostHigh = 0.35, 0.4 // the greatest width and height of a legend, as shares of its block
	const mostShared = 0.25          // the greatest width of a legend for all, as a share of the page
	fits = true
	shared, isShared, rest := plot.Legend{}, false, page
	isBeside := slices.ContainsFunc(blocks, func(b *block) bool { return b.column > 0 })
	if free := slices.IndexFunc(used, func(taken int) bool { return taken < columns }); isBeside && free >= 0 { // a row has free places
		rest.Min.X += vg.Length(used[free]) * (wide() + between)
		rest.Max.Y -= above(free)
		shared, isShared = sharedLegend(panels, vg.Point{X: rest.Size().X, Y: rows[free]})
	}
	if !isShared && isBeside && len(used) > 1 { // to the right of all
		rest = page
		if shared, isShared = sharedLegend(panels, vg.Point{X: mostShared * page.Size().X, Y: page.Size().Y}); isShared {
			rest.Min.X = page.Max.X - shared.Rectangle(page).Size().X
			page.Max.X = rest.Min.X - legendGap
		}
	}
	right, narrowest := vg.Length(0), page.Size().X
	for _, b := range blocks {
		b.area = page
		b.area.Min.X += vg.Length(b.column) * (wide() + between)
		b.area.Max.X = b.area.Min.X + vg.Length(b.across)*(wide()+between) - between
		b.area.Max.Y -= above(b.row)
		b.area.Min.Y = page.Max.Y - above(b.row+b.down) + between
		narrowest = min(narrowest, b.area.Size().X)
		b.area = heading(b.area, b.title(), b.panels[0].Given)
		g, isWhole := b.panels[0].plot(b.area.Size(), names)
		if b.legend = g.Legend; isShared {
			b.legend, isWhole = plot.NewLegend(), true
		}
		fits = fits && isWhole
		if across := b.legend.Rectangle(b.area).Size().X; across > 0 {
			right = max(right, across+legendGap)
		}
	}
	isNarrow := isBeside && narrowest < row || right > most*narrowest
	for _, b := range blocks {
		isNarrow = isNarrow && b.legend.Rectangle(b.area).Size().Y < mostHigh*b.area.Size().Y
	}
	if isNarrow && !isShared { // below a panel, names have its whole width
		for _, b := range blocks {
			g, _ := b.panels[0].plot(b.area.Size(), b.area.Size().X-sampleWidth-textSize)
			b.legend = g.Legend
		}
	}
	// By row: the top of its axes, below the tallest heading, and the height of its tallest legend.
	top, high := make([]vg.Length, len(used)), make([]vg.Length, len(used))
	for _, b := range blocks {
		if top[b.row] == 0 || b.area.Max.Y < top[b.row] {
			top[b.row] = b.area.Max.Y
		}
		high[b.row] = max(high[b.row], b.legend.Rectangle(b.area).Size().Y)
	}
	for _, b := range blocks {
		b.area.Max.Y = top[b.row]
		rest := b.area
		if isNarrow {
			if below := high[b.row]; below > 0 {
				rest.Max.Y = rest.Min.Y + below
				b.area.Min.Y = rest.Max.Y + legendGap
			}
		} else {
			b.area.Max.X -= right
			rest.Min.X = b.area.Max.X + legendGap
		}
		b.legend.Draw(rest)
	}
	if isShared {
		shared.Draw(rest)
	}
	return blocks, rows, fits
}

// blocksOf puts panels into blocks, and these into a grid of columns or fewer. used has the number of columns
// taken in each row, and most that of the grid.
func blocksOf(panels []Panel, columns int) (blocks []*block, used []int, most int) {
	subjects := subjectsOf(panels)
	if columns == 1 {
		subjects = slices.Collect(slices.Chunk(panels, 1))
	}
	sizes := make([]int, len(subjects))
	for i, s := range subjects {
		sizes[i] = len(s)
	}
	if haveParts(sizes) {
		columns = min(columns, slices.Max(sizes))
	}
	spots, used := pack(sizes, columns)
	titles := make([]vg.Length, len(used))
	for i, s := range subjects {
		if len(s) > 1 {
			titles[spots[i].row] = leading*titleSize + underHeading
		}
	}
	for i, s := range subjects {
		blocks = append(blocks, &block{spot: spots[i], panels: s, titles: titles[spots[i].row]})
	}
	return blocks, used, columns
}

// sharedLegend returns one legend for all panels, with each kind of cells once, if it is no larger than
// most. Panels with curves need legends of their own: how a curve looks depends on its place in the panel.
func sharedLegend(panels []Panel, most vg.Point) (legend plot.Legend, is bool) {
	var all Panel
	for _, p := range panels {
		if len(p.Curves) > 0 {
			return legend, false
		}
		for _, cells := range p.Cells {
			if !slices.ContainsFunc(all.Cells, cells.isLike) {
				all.Cells = append(all.Cells, cells)
			}
		}
	}
	g, isWhole := all.plot(vg.Point{X: most.X, Y: 2 * most.Y}, most.X-sampleWidth) // with room for the whole legend, whose size decides
	size := g.Legend.Rectangle(draw.Canvas{Rectangle: vg.Rectangle{Max: most}}).Size()
	return g.Legend, isWhole && size.X <= most.X && size.Y <= most.Y
}

// title returns the heading of a block. The panels of a subject then have their parts as titles.
func (b *block) title() string {
	if len(b.panels) > 1 {
		return b.panels[0].Title
	}
	return b.panels[0].heading()
}

// heading returns what a panel shows.
func (p Panel) heading() string {
	if p.Part == "" {
		return p.Title
	}
	return p.Title + " (" + p.Part + ")"
}

// drawAxes draws the panels of blocks without headings and legends. It reports whether there is room for
// them.
func drawAxes(blocks []*block, names vg.Length) (fits bool) {
	type axes struct {
		Panel
		*plot.Plot
		part draw.Canvas
	}
	var all []axes
	var left vg.Length // of the widest axis
	for _, b := range blocks {
		tiles := draw.Tiles{Rows: b.down, Cols: b.across, PadX: between, PadY: between}
		for i, panel := range b.panels {
			part := tiles.At(b.area, i%b.across, i/b.across)
			if len(b.panels) > 1 {
				part = heading(part, panel.Part, "")
			} else {
				part.Max.Y -= b.titles
			}
			g, _ := panel.plot(part.Size(), names)
			g.Legend = plot.NewLegend()
			panel.Y.setTicks(&g.Y, g.DataCanvas(part).Size().Y, panel.Y.line)
			left = max(left, g.DataCanvas(part).Min.X-part.Min.X)
			all = append(all, axes{panel, g, part})
		}
	}
	fits = true
	for _, a := range all {
		part := draw.Crop(a.part, left-(a.DataCanvas(a.part).Min.X-a.part.Min.X), 0, 0, 0)
		a.Panel.X.setTicks(&a.Plot.X, a.part.Max.X-a.part.Min.X-left, func(label string) vg.Length { return words(textSize, black, 0, 0).Width(label) + textSize })
		room := a.DataCanvas(part).Size()
		fits = fits && room.X >= leastAcross && room.Y >= leastUp
		a.Draw(part)
	}
	return fits
}

// subjectsOf returns panels by subject: those in a row that differ in their parts alone.
func subjectsOf(panels []Panel) (subjects [][]Panel) {
	for i, p := range panels {
		if i == 0 || p.Part == "" || p.Title != panels[i-1].Title || p.Given != panels[i-1].Given {
			subjects = append(subjects, nil)
		}
		last := &subjects[len(subjects)-1]
		*last = append(*last, p)
	}
	return subjects
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
	c.Max.Y -= underHeading
	return c
}

// wrap breaks text into lines of at most a width. It breaks at spaces, but not at those of "phase = 1".
func wrap(text string, style text.Style, width vg.Length) []string {
	const equals, joined = " = ", "\x00"
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(strings.ReplaceAll(text, equals, joined)) {
		word = strings.ReplaceAll(word, joined, equals)
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

// plot returns what gonum draws of a panel in a size, with legend names up to a width. A legend that
// would be longer than the panel is not whole: it ends with an ellipsis.
func (p Panel) plot(size vg.Point, names vg.Length) (g *plot.Plot, isWhole bool) {
	const inner = 0.75 // share of the room that axes span, about
	p.Curves = p.logarithms()
	g = plot.New()
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
	line := g.Legend.TextStyle.Rectangle("Å").Size().Y + g.Legend.Padding
	room := max(3, int(size.Y/line)) // lines; more would leave the picture
	legend := func(name string, sample ...plot.Thumbnailer) {
		for _, line := range wrap(name, g.Legend.TextStyle, names) {
			switch room--; {
			case room > 0:
				g.Legend.Add(line, sample...)
				sample = nil // beside the first line
			case room == 0:
				g.Legend.Add("…")
			}
		}
	}
	for i, c := range p.Curves {
		drawn := c.plotters(i, inner*size.X)
		g.Add(drawn...)
		if len(c.Points) > 0 {
			legend(c.Name, samples(drawn)...)
		}
	}
	for _, cells := range p.Cells {
		cells.legend(legend)
	}
	p.X.adjust(&g.X, inner*size.X)
	p.Y.adjust(&g.Y, inner*size.Y)
	if !p.Y.fixed() {
		p.Y.pad(&g.Y)
	}
	if !p.X.fixed() && !p.X.Whole && slices.ContainsFunc(p.Curves, func(c Curve) bool { return c.Kind == Dots }) {
		p.X.pad(&g.X)
	}
	return g, room > 0
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
			ticks = logTicks(axis.Min, axis.Max, count)
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
