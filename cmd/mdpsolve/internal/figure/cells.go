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

	// Lines are drawn between neighbours of different kinds. LineName says in the legend what they
	// separate.
	Lines    bool
	LineName string
}

// Fill is a kind of cells.
type Fill struct {
	Name  string // in the legend; "" if it is not there
	ink   color.Color
	hatch hatch
	rare  bool // in the legend only if there are cells of it

	stripes color.Color // if not nil, the hatch has broad lines of this colour
}

// hatch is a pattern of thin lines on a fill, which tells kinds apart where colours repeat.
type hatch int

const (
	plain   hatch = 0
	rising  hatch = 1 // the slope of its lines
	falling hatch = -1
)

var hatches = []hatch{plain, rising, falling}

// tones are the colours of actions, by falling brightness, so that they differ in grey, too.
var tones = []color.Color{rgb(0xe3ebf5), rgb(0xf0c987), rgb(0x7fb8a4), rgb(0xcc6a45), rgb(0x5a5c9e), rgb(0x1f3550)}

var (
	noDecision = Fill{Name: "nothing to decide", ink: rgb(0xffffff), hatch: rising, rare: true}
	several    = Fill{Name: "several of these", ink: rgb(0xbdbdbd), hatch: falling, rare: true}
	above      = Fill{Name: "∞", ink: rgb(0x444444), hatch: rising, rare: true}
	below      = Fill{Name: "−∞", ink: rgb(0xffffff), hatch: falling, rare: true}
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
		all[i] = Fill{Name: name, ink: tones[tone], hatch: hatches[i/len(tones)%len(hatches)]}
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

// layer draws the cells of one kind. If kinds are levels, it draws all cells of that level or a
// higher one, so that no gap shows between neighbouring levels.
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
	hatchApart  vg.Length = 3.5
	hatchWidth  vg.Length = 0.4
	stripeWidth vg.Length = 1.2
)

// strokes draws the hatch of a fill in boxes. Its lines have the same places in all boxes.
func (f Fill) strokes(c draw.Canvas, boxes []vg.Rectangle) {
	if f.hatch == plain {
		return
	}
	ink, width := darkGrey, hatchWidth
	if color.GrayModel.Convert(f.ink).(color.Gray).Y < 0x80 {
		ink = white
	}
	if f.stripes != nil {
		ink, width = f.stripes, stripeWidth
	}
	slope := vg.Length(f.hatch)
	var path vg.Path
	for _, box := range boxes {
		// A line has the points with y − slope·x = at, a multiple of the distance between lines.
		corners := []vg.Length{box.Min.Y - slope*box.Min.X, box.Min.Y - slope*box.Max.X, box.Max.Y - slope*box.Min.X, box.Max.Y - slope*box.Max.X}
		for k := vg.Length(math.Ceil(float64(slices.Min(corners) / hatchApart))); k*hatchApart <= slices.Max(corners); k++ {
			at := k * hatchApart
			bottom, top := (box.Min.Y-at)/slope, (box.Max.Y-at)/slope // x where the line meets them
			left, right := max(box.Min.X, min(bottom, top)), min(box.Max.X, max(bottom, top))
			path.Move(vg.Point{X: left, Y: slope*left + at})
			path.Line(vg.Point{X: right, Y: slope*right + at})
		}
	}
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: width})
	c.Stroke(path)
}

// corner is a corner of cells, by column and row.
type corner struct{ x, y int }

// lines returns the straight lines between neighbours of different kinds: from, to.
func (c *Cells) lines() (lines [][2]corner) {
	differ := func(i, j, x, y int) bool {
		return x >= 0 && y >= 0 && c.Of[i][j] >= 0 && c.Of[x][y] >= 0 && c.Of[i][j] != c.Of[x][y]
	}
	upwards, across := map[corner]int{}, map[corner]int{} // lines by where they end
	extend := func(ending map[corner]int, from, to corner) {
		line, goesOn := ending[from]
		if !goesOn {
			line = len(lines)
			lines = append(lines, [2]corner{from, to})
		}
		lines[line][1], ending[to] = to, line
	}
	for i, column := range c.Of {
		for j := range column {
			if differ(i, j, i-1, j) {
				extend(upwards, corner{i, j}, corner{i, j + 1})
			}
			if differ(i, j, i, j-1) {
				extend(across, corner{i, j}, corner{i + 1, j})
			}
		}
	}
	return lines
}

// separators draws the lines between cells of different kinds.
type separators struct{ *Cells }

// Plot implements [plot.Plotter].
func (s separators) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	cell := min(x(s.Wide)-x(0), y(s.High)-y(0))
	lines := s.lines()
	const small, many = vg.Length(3), 10_000
	if cell < small && len(lines) > many { // they would cover the cells
		return
	}
	at := func(c corner) vg.Point {
		return vg.Point{X: x(s.Left + float64(c.x)*s.Wide), Y: y(s.Bottom + float64(c.y)*s.High)}
	}
	var path vg.Path
	for _, line := range lines {
		path.Move(at(line[0]))
		path.Line(at(line[1]))
	}
	canvas.SetLineStyle(draw.LineStyle{Color: darkGrey, Width: min(mostBorder, max(leastBorder, cell/8))})
	canvas.Stroke(path)
}

// The widths of lines between cells, by the size of the cells.
const (
	leastBorder vg.Length = 0.15
	mostBorder  vg.Length = 1.2
)

// Thumbnail implements [plot.Thumbnailer].
func (s separators) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(draw.LineStyle{Color: darkGrey, Width: mostBorder}, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
}

// legend calls add with the names of the kinds that have one, and with their samples.
func (c *Cells) legend(add func(name string, sample ...plot.Thumbnailer)) {
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

// isLike reports whether other cells have the same legend.
func (c *Cells) isLike(other *Cells) bool {
	return c.Title == other.Title && c.LineName == other.LineName &&
		slices.EqualFunc(c.Kinds, other.Kinds, func(x, y Fill) bool {
			return x.Name == y.Name && x.ink == y.ink && x.hatch == y.hatch && x.stripes == y.stripes
		})
}

// Bordered adds to panels of shares the lines between different actions, from panels of actions over
// the same variables. name stands for these lines in the legend.
func Bordered(panels, actions []Panel, name string) []Panel {
	for i, p := range actions {
		if len(panels[i].Cells) > 0 {
			borders := *p.Cells[0]
			borders.Kinds, borders.LineName = nil, name
			panels[i].Cells = append(panels[i].Cells, &borders)
		}
	}
	return panels
}
