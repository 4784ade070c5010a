package figure

// Cells: the part of a panel that is filled, over one or two variables.

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cells fill a panel with rectangles of one size, each by its kind.
type Cells struct {
	Title        string  // of the legend; "" for none
	Kinds        []Fill  // in the order of the legend
	Of           [][]int // the kind of each cell, by column and row; -1 for an empty one
	Left, Bottom float64 // the corner of the first cell
	Wide, High   float64 // the size of a cell
	Nested       bool    // kinds are levels, from low to high

	// Lines are drawn between neighbours of different kinds: thin ones, or with the look of the
	// curve in that place, counted from 1. LineName says in the legend what they separate.
	Lines    bool
	Look     int
	LineName string
}

// Fill is a kind of cells.
type Fill struct {
	Name  string // in the legend; "" if it is not there
	ink   color.Color
	hatch hatch
}

// hatch is a pattern of thin lines on a fill: by its turns it tells kinds apart where colours repeat.
type hatch struct{ x, y float64 } // the direction of the lines; none if both are 0

var hatches = []hatch{{}, {1, 1}, {1, -1}, {1, 0}, {0, 1}}

// tones are the colours of actions, by falling brightness, so that they differ in grey, too.
var tones = []color.Color{rgb(0xe3ebf5), rgb(0xf0c987), rgb(0x7fb8a4), rgb(0xcc6a45), rgb(0x5a5c9e), rgb(0x1f3550)}

var (
	noDecision = Fill{Name: "nothing to decide", ink: rgb(0xffffff), hatch: hatch{1, 1}}
	several    = Fill{Name: "several of these", ink: rgb(0xbdbdbd), hatch: hatch{1, -1}}
	above      = Fill{Name: "∞", ink: rgb(0x444444), hatch: hatch{1, 1}}
	below      = Fill{Name: "−∞", ink: rgb(0xffffff), hatch: hatch{1, -1}}
)

// mostFills is how many actions a picture tells apart.
var mostFills = len(tones) * len(hatches)

// fills returns the kinds of actions. A few have tones far apart.
func fills(names []string) []Fill {
	far := map[int][]int{1: {2}, 2: {0, 2}, 3: {0, 2, 4}, 4: {0, 2, 3, 5}}[len(names)]
	all := make([]Fill, len(names))
	for i, name := range names {
		tone := i % len(tones)
		if far != nil {
			tone = far[i]
		}
		all[i] = Fill{name, tones[tone], hatches[i/len(tones)%len(hatches)]}
	}
	return all
}

// ramp returns the kinds of levels, from light to dark.
func ramp(names []string) []Fill {
	all := make([]Fill, len(names))
	for i, name := range names {
		at := float64(i) / math.Max(1, float64(len(names)-1))
		mix := func(light, dark float64) uint8 { return uint8(light + at*(dark-light)) }
		all[i] = Fill{Name: name, ink: color.NRGBA{mix(0xf3, 0x23), mix(0xf6, 0x4a), mix(0xe8, 0x7d), 0xff}}
	}
	return all
}

// layer draws one kind of cells; of levels, all from that one up, so that no line shows between
// neighbouring levels.
type layer struct {
	*Cells
	kind int
}

// layers returns what draws the cells, in the order of drawing.
func (c *Cells) layers() []layer {
	all := make([]layer, len(c.Kinds))
	for kind := range all {
		all[kind] = layer{c, kind}
	}
	return all
}

// Plot implements [plot.Plotter].
func (l layer) Plot(canvas draw.Canvas, p *plot.Plot) {
	fill := l.Kinds[l.kind]
	if fill.ink == nil {
		return
	}
	x, y := p.Transforms(&canvas)
	var path vg.Path // one for all cells: there is no line between neighbours
	var all []vg.Rectangle
	for i, column := range l.Of {
		left, right := x(l.Left+float64(i)*l.Wide), x(l.Left+float64(i+1)*l.Wide)
		for from := 0; from < len(column); from++ {
			to := from
			for to < len(column) && (column[to] == l.kind || l.Nested && column[to] > l.kind) {
				to++
			}
			if to > from {
				box := vg.Rectangle{Min: vg.Point{X: left, Y: y(l.Bottom + float64(from)*l.High)}, Max: vg.Point{X: right, Y: y(l.Bottom + float64(to)*l.High)}}
				path = append(path, box.Path()...)
				all = append(all, box)
				from = to
			}
		}
	}
	if len(path) > 0 {
		canvas.SetColor(fill.ink)
		canvas.Fill(path)
		fill.strokes(canvas, all)
	}
}

// DataRange implements [plot.DataRanger].
func (l layer) DataRange() (left, right, bottom, top float64) {
	rows := 0
	for _, column := range l.Of {
		rows = max(rows, len(column))
	}
	return l.Left, l.Left + float64(len(l.Of))*l.Wide, l.Bottom, l.Bottom + float64(rows)*l.High
}

// Thumbnail implements [plot.Thumbnailer].
func (l layer) Thumbnail(c *draw.Canvas) {
	fill := l.Kinds[l.kind]
	c.SetColor(fill.ink)
	c.Fill(c.Path())
	fill.strokes(*c, []vg.Rectangle{c.Rectangle})
	c.SetLineStyle(draw.LineStyle{Color: darkGrey, Width: hatchWidth})
	c.Stroke(c.Path())
}

const (
	hatchApart vg.Length = 3.5
	hatchWidth vg.Length = 0.4
)

// strokes draws the hatch of a fill in boxes. Its lines have the same places in all boxes.
func (f Fill) strokes(c draw.Canvas, boxes []vg.Rectangle) {
	if f.hatch == (hatch{}) {
		return
	}
	ink := darkGrey
	if color.GrayModel.Convert(f.ink).(color.Gray).Y < 0x80 {
		ink = white
	}
	var path vg.Path
	for _, box := range boxes {
		// A line has the points with y·hx − x·hy = k·apart.
		hx, hy := vg.Length(f.hatch.x), vg.Length(f.hatch.y)
		least, most := vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
		for _, corner := range []vg.Point{box.Min, box.Max, {X: box.Min.X, Y: box.Max.Y}, {X: box.Max.X, Y: box.Min.Y}} {
			at := corner.Y*hx - corner.X*hy
			least, most = min(least, at), max(most, at)
		}
		for k := vg.Length(math.Ceil(float64(least / hatchApart))); k*hatchApart <= most; k++ {
			at := k * hatchApart
			from, to := vg.Point{X: box.Min.X, Y: at}, vg.Point{X: box.Max.X, Y: at} // a level line
			switch {
			case hx == 0:
				from, to = vg.Point{X: -at, Y: box.Min.Y}, vg.Point{X: -at, Y: box.Max.Y}
			case hy > 0: // y = x + at
				left, right := max(box.Min.X, box.Min.Y-at), min(box.Max.X, box.Max.Y-at)
				from, to = vg.Point{X: left, Y: left + at}, vg.Point{X: right, Y: right + at}
			case hy < 0: // y = at − x
				left, right := max(box.Min.X, at-box.Max.Y), min(box.Max.X, at-box.Min.Y)
				from, to = vg.Point{X: left, Y: at - left}, vg.Point{X: right, Y: at - right}
			}
			path.Move(from)
			path.Line(to)
		}
	}
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: hatchWidth})
	c.Stroke(path)
}

// corner is a corner of cells, by column and row.
type corner struct{ x, y int }

// lines returns the lines between neighbours of different kinds, and their number of edges of
// cells. Edges that meet are joined.
func (c *Cells) lines() (lines [][]corner, edges int) {
	next := map[corner][]corner{} // edges in a direction: up, or to the right
	kind := func(i, j int) int {
		if i < 0 || j < 0 || i >= len(c.Of) || j >= len(c.Of[i]) {
			return -1
		}
		return c.Of[i][j]
	}
	differ := func(a, b int) bool { return a != b && a >= 0 && b >= 0 }
	join := func(a, b corner) {
		next[a], next[b] = append(next[a], b), append(next[b], a)
		edges++
	}
	var starts []corner
	for i, column := range c.Of {
		for j := range column {
			starts = append(starts, corner{i, j}, corner{i + 1, j + 1})
			if differ(kind(i, j), kind(i+1, j)) {
				join(corner{i + 1, j}, corner{i + 1, j + 1})
			}
			if differ(kind(i, j), kind(i, j+1)) {
				join(corner{i, j + 1}, corner{i + 1, j + 1})
			}
		}
	}
	take := func(from, to corner) {
		for i, at := range next[from] {
			if at == to {
				next[from] = append(next[from][:i], next[from][i+1:]...)
				return
			}
		}
	}
	walk := func(at corner) {
		for len(next[at]) > 0 {
			line := []corner{at}
			for end := at; len(next[end]) > 0; {
				to := next[end][0]
				if n := len(line); n > 1 { // straight on, if that is possible
					for _, other := range next[end] {
						if other.x-end.x == end.x-line[n-2].x && other.y-end.y == end.y-line[n-2].y {
							to = other
						}
					}
				}
				take(end, to)
				take(to, end)
				line, end = append(line, to), to
			}
			lines = append(lines, line)
		}
	}
	for _, ends := range []bool{true, false} { // lines that end somewhere, then circles
		for _, at := range starts {
			if !ends || len(next[at]) == 1 {
				walk(at)
			}
		}
	}
	return lines, edges
}

// separators draws the lines between cells of different kinds.
type separators struct{ *Cells }

// style returns the style of the lines in cells of a size.
func (s separators) style(cell vg.Length) draw.LineStyle {
	if s.Look > 0 {
		look := looks[(s.Look-1)%len(looks)]
		return draw.LineStyle{Color: look.ink, Width: lineWidth, Dashes: look.dashes}
	}
	return draw.LineStyle{Color: darkGrey, Width: min(0.8, max(0.15, cell/8))}
}

// Plot implements [plot.Plotter].
func (s separators) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	cell := min(x(s.Wide)-x(0), y(s.High)-y(0))
	lines, edges := s.lines()
	const small, many = vg.Length(3), 20_000
	if s.Look == 0 && cell < small && edges > many { // they would cover the cells
		return
	}
	canvas.SetLineStyle(s.style(cell))
	for _, line := range lines {
		var path vg.Path
		for i, at := range line {
			point := vg.Point{X: x(s.Left + float64(at.x)*s.Wide), Y: y(s.Bottom + float64(at.y)*s.High)}
			if i == 0 {
				path.Move(point)
				continue
			}
			path.Line(point)
		}
		canvas.Stroke(path)
	}
}

// Thumbnail implements [plot.Thumbnailer].
func (s separators) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(s.style(hatchApart*2), c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
}

// legend adds the kinds that have names to a legend, with names up to a width.
func (c *Cells) legend(l *plot.Legend, width vg.Length) {
	add := func(name string, sample ...plot.Thumbnailer) {
		for _, line := range wrap(name, l.TextStyle, width) {
			l.Add(line, sample...)
			sample = nil // beside the first line
		}
	}
	all := c.layers()
	if c.Nested {
		slices.Reverse(all) // the greatest first
	}
	all = slices.DeleteFunc(all, func(one layer) bool { return c.Kinds[one.kind].Name == "" })
	if c.Title != "" && len(all) > 0 {
		add(c.Title + ":")
	}
	for _, one := range all {
		add(c.Kinds[one.kind].Name, one)
	}
	if c.LineName != "" {
		add(c.LineName, separators{c})
	}
}
