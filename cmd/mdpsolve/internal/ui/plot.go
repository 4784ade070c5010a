package ui

// The style of pictures, and their files.

import (
	"bytes"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// PlotFlag is --plot, the file of a picture.
func PlotFlag(what string) cli.Flag {
	return Group(OutputGroup, ValueFlag("plot", "draw "+what+" to `FILE`, whose name ends in .svg or .png", ""))[0]
}

// PlotFile returns the file of --plot, nil where no picture is asked for.
func (a *Arguments) PlotFile() *OutFile { return a.OutFile("plot", ".svg", ".png") }

// SavePlot draws panels on top of each other; to nil it draws nothing.
func (f *OutFile) SavePlot(draws func() []*plot.Plot) error {
	if f == nil {
		return nil
	}
	panels := draws()
	const width = 16 * vg.Centimeter
	height := vg.Length(len(panels)) * 8 * vg.Centimeter
	var canvas vg.CanvasWriterTo
	if strings.EqualFold(filepath.Ext(f.Name), ".svg") {
		canvas = vgsvg.New(width, height)
	} else {
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(150))}
	}
	grid := make([][]*plot.Plot, len(panels))
	for i, panel := range panels {
		grid[i] = []*plot.Plot{panel}
	}
	tiles := draw.Tiles{
		Rows: len(panels), Cols: 1, PadY: 6 * vg.Millimeter,
		PadTop: 4 * vg.Millimeter, PadBottom: 4 * vg.Millimeter, PadLeft: 4 * vg.Millimeter, PadRight: 6 * vg.Millimeter,
	}
	for i, row := range plot.Align(grid, tiles, draw.New(canvas)) {
		panels[i].Draw(row[0])
	}
	return f.Write(func(w io.Writer) error {
		var picture bytes.Buffer
		if _, err := canvas.WriteTo(&picture); err != nil {
			return err
		}
		// Fonts of the same widths, for viewers without the first.
		_, err := w.Write(bytes.ReplaceAll(picture.Bytes(),
			[]byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
		return err
	})
}

// The colours of curves are told apart by everyone, also in grey.
var (
	Blue   = color.NRGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	Orange = color.NRGBA{R: 0xe0, G: 0x82, B: 0x14, A: 0xff}
)

// NewPanel returns an empty plot in the common style.
func NewPanel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = 3 * vg.Millimeter
	p.Legend.Top = true
	p.Legend.Padding = vg.Millimeter
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = NiceTicks{}, NiceTicks{}
	grid := plotter.NewGrid()
	faintGrey := color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
	grid.Horizontal.Color, grid.Vertical.Color = faintGrey, faintGrey
	p.Add(grid)
	return p
}

// Dot is how single points are drawn.
func Dot(fill color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: fill, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
}

// AddLine adds a line through points; step says how values between them go.
func AddLine(p *plot.Plot, name string, points plotter.XYs, step plotter.StepKind, stroke color.Color, dashes ...vg.Length) {
	line := &plotter.Line{XYs: points, StepStyle: step, LineStyle: plotter.DefaultLineStyle}
	line.Color, line.Width, line.Dashes = stroke, vg.Points(1.6), dashes
	p.Add(line)
	if len(points) == 1 { // a line of no length cannot be seen
		p.Add(&plotter.Scatter{XYs: points, GlyphStyle: Dot(stroke)})
	}
	if name != "" {
		p.Legend.Add(name, line)
	}
}

// PadY leaves room above and below, also for a curve that is level.
func PadY(p *plot.Plot, least float64) {
	room := max(0.06*(p.Y.Max-p.Y.Min), least)
	p.Y.Min, p.Y.Max = max(0, p.Y.Min-room), p.Y.Max+room
}
