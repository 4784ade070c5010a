package freshness

// A picture of comparisons: a panel for each, with the share that is up to date over time.

import (
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// looks tell rules apart, by colour and by dash.
var looks = map[string]struct {
	ink    color.NRGBA
	dashes []vg.Length
}{
	"store":          {color.NRGBA{0x1b, 0x3f, 0x73, 0xff}, nil},
	"store for age":  {color.NRGBA{0x1b, 0x3f, 0x73, 0xff}, []vg.Length{1.5, 2.5}},
	"uniform":        {color.NRGBA{0xd9, 0x5f, 0x02, 0xff}, []vg.Length{6, 3}},
	"proportional":   {color.NRGBA{0x2a, 0x7f, 0x62, 0xff}, []vg.Length{1.5, 2.5}},
	"Nutch":          {color.NRGBA{0xc2, 0x56, 0x9b, 0xff}, []vg.Length{9, 2.5, 1.5, 2.5}},
	"Nutch by score": {color.NRGBA{0xc2, 0x56, 0x9b, 0xff}, []vg.Length{1.5, 2.5}},
	"Nutch scaled":   {color.NRGBA{0x8a, 0x5a, 0x12, 0xff}, []vg.Length{6, 2, 1.5, 2, 1.5, 2}},
	"rates known":    {color.NRGBA{0, 0, 0, 0xff}, []vg.Length{13, 3}},
}

const (
	panelWidth, panelHeight = 8 * vg.Centimeter, 6 * vg.Centimeter
	legendLine              = 14 * vg.Length(1) // in points, as all lengths
)

// Draw draws comparisons, two in a row. The format is ".svg", ".png" or ".pdf".
func Draw(w io.Writer, format string, comparisons []Comparison) error {
	columns := min(len(comparisons), 2)
	rows := (len(comparisons) + columns - 1) / columns
	names := comparisons[0].Rules
	for _, c := range comparisons {
		if len(c.Rules) > len(names) {
			names = c.Rules
		}
	}
	perLine := 2 * columns
	legend := legendLine * vg.Length((len(names)+perLine-1)/perLine+1)
	width, height := panelWidth*vg.Length(columns), panelHeight*vg.Length(rows)
	canvas, err := draw.NewFormattedCanvas(width, height+legend, strings.TrimPrefix(format, "."))
	if err != nil {
		return err
	}
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Path())
	panels := make([][]*plot.Plot, rows)
	for i, c := range comparisons {
		p, err := panel(c)
		if err != nil {
			return err
		}
		panels[i/columns] = append(panels[i/columns], p)
	}
	for len(panels[rows-1]) < columns {
		panels[rows-1] = append(panels[rows-1], nil)
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Points(8), PadY: vg.Points(8), PadRight: vg.Points(8), PadTop: vg.Points(4)}
	for i, areas := range plot.Align(panels, tiles, draw.Crop(all, 0, 0, legend, 0)) {
		for j, area := range areas {
			if panels[i][j] != nil {
				panels[i][j].Draw(area)
			}
		}
	}
	drawLegend(draw.Crop(all, vg.Points(12), 0, 0, legend-all.Max.Y), names, perLine)
	_, err = canvas.WriteTo(w)
	return err
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// panel draws a comparison.
func panel(c Comparison) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = c.Scenario.Name
	p.Title.TextStyle.Font = sans(11)
	p.X.Label.Text = "days"
	p.Y.Label.Text = "share up to date"
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = sans(9), sans(9)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = nil, color.NRGBA{0xe4, 0xe4, 0xe4, 0xff}
	p.Add(grid)
	for _, r := range slices.Backward(c.Rules) {
		points := make(plotter.XYs, Periods)
		for part, share := range r.Periods {
			points[part] = plotter.XY{X: (float64(part) + 0.5) * c.Scenario.Days / Periods, Y: share}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		line.LineStyle = lineOf(r.Name)
		p.Add(line)
	}
	p.X.Min, p.X.Max = 0, c.Scenario.Days
	return p, nil
}

func lineOf(rule string) draw.LineStyle {
	look := looks[rule]
	return draw.LineStyle{Color: look.ink, Dashes: look.dashes, Width: 1.5}
}

// drawLegend names rules, so many in a line.
func drawLegend(c draw.Canvas, rules []Result, perLine int) {
	style := draw.TextStyle{Color: color.Black, Font: sans(9), Handler: plot.DefaultTextHandler, YAlign: -0.5}
	for i, r := range rules {
		x := c.Min.X + c.Size().X*vg.Length(i%perLine)/vg.Length(perLine)
		y := c.Max.Y - legendLine*(vg.Length(i/perLine)+0.75)
		c.StrokeLine2(lineOf(r.Name), x, y, x+vg.Points(30), y)
		c.FillText(style, vg.Point{X: x + vg.Points(35), Y: y}, r.Name)
	}
}
