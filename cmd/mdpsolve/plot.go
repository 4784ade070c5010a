package main

import (
	"fmt"
	"image/color"
	"os"
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

func plotFlag(what string) cli.Flag {
	return valueFlag("plot", "draw "+what+" to `FILE`, whose name ends in .svg or .png", "")
}

// picture is a file to draw to. It is opened before there is anything to draw,
// so that a long solve is not in vain.
type picture struct {
	file  *os.File
	fresh bool // did not exist before
	saved bool
}

const plotAllowed = "a file that can be written, with a name that ends in .svg or .png,"

// plotFile returns nil where no picture is asked for.
func (a *arguments) plotFile() *picture {
	if a.err != nil || !a.context.IsSet("plot") {
		return nil
	}
	name := a.context.String("plot")
	switch strings.ToLower(filepath.Ext(name)) {
	case ".svg", ".png":
	default:
		a.fault("plot", "%q found; %s is allowed", name, plotAllowed)
		return nil
	}
	_, err := os.Stat(name)
	fresh := os.IsNotExist(err)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666) // users' own masks apply
	if err != nil {
		a.fault("plot", "%q found; %s is allowed (%v)", name, plotAllowed, err)
		return nil
	}
	return &picture{file: file, fresh: fresh}
}

// discard removes what has been created and not been drawn to.
func (p *picture) discard() {
	if p == nil || p.saved {
		return
	}
	_ = p.file.Close() // nothing was written
	if p.fresh {
		_ = os.Remove(p.file.Name()) // at worst an empty file stays behind
	}
}

// save draws panels on top of each other.
func (p *picture) save(panels []*plot.Plot) error {
	const width = 16 * vg.Centimeter
	height := vg.Length(len(panels)) * 8 * vg.Centimeter
	var canvas vg.CanvasWriterTo
	if strings.EqualFold(filepath.Ext(p.file.Name()), ".svg") {
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
	if err := p.file.Truncate(0); err != nil {
		return err
	}
	if _, err := canvas.WriteTo(p.file); err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	p.saved = true
	return p.file.Close()
}

// The colours of curves are told apart by everyone, also in grey.
var (
	blue   = color.NRGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff}
	orange = color.NRGBA{R: 0xe0, G: 0x82, B: 0x14, A: 0xff}
)

func newPanel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = 3 * vg.Millimeter
	p.Legend.Top = true
	p.Legend.Padding = vg.Millimeter
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = niceTicks{}, niceTicks{}
	grid := plotter.NewGrid()
	faintGrey := color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
	grid.Horizontal.Color, grid.Vertical.Color = faintGrey, faintGrey
	p.Add(grid)
	return p
}

// dot is how single points are drawn.
func dot(fill color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: fill, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
}

// addLine adds a line through points; step says how values between them go.
func addLine(p *plot.Plot, name string, points plotter.XYs, step plotter.StepKind, stroke color.Color, dashes ...vg.Length) {
	line := &plotter.Line{XYs: points, StepStyle: step, LineStyle: plotter.DefaultLineStyle}
	line.Color, line.Width, line.Dashes = stroke, vg.Points(1.6), dashes
	p.Add(line)
	if len(points) == 1 { // a line of no length cannot be seen
		p.Add(&plotter.Scatter{XYs: points, GlyphStyle: dot(stroke)})
	}
	if name != "" {
		p.Legend.Add(name, line)
	}
}
