// This file draws a comparison.

package trial

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// inks are the colours of the pools, by their places.
var inks = []color.Color{
	color.NRGBA{0x1b, 0x3f, 0x73, 0xff},
	color.NRGBA{0xd9, 0x5f, 0x02, 0xff},
	color.NRGBA{0x2a, 0x7f, 0x62, 0xff},
	color.NRGBA{0xc2, 0x56, 0x9b, 0xff},
}

var (
	dark  = color.NRGBA{0x44, 0x44, 0x44, 0xff}
	faint = color.NRGBA{0xe4, 0xe4, 0xe4, 0xff}
)

// Plot writes a picture as SVG: the cost of each run, the mean with its interval, and what the
// model predicts.
func (c *Comparison) Plot(w io.Writer) error {
	p := newPlot("", "cost γS + L")
	var names []string
	top := 0.0
	for i, pool := range c.Pools {
		names = append(names, pool.Name)
		x := float64(i)
		runs := make(plotter.XYs, len(c.Runs))
		for r, run := range c.Runs {
			// Runs side by side, so that none hides another.
			runs[r] = plotter.XY{X: x - 0.3 + 0.25*(float64(r)+0.5)/float64(len(c.Runs)), Y: run[i].Cost}
			top = max(top, run[i].Cost)
		}
		dots := &plotter.Scatter{XYs: runs, GlyphStyle: draw.GlyphStyle{Color: inks[i%len(inks)], Radius: 1.8, Shape: draw.CircleGlyph{}}}
		mean := c.Of(i, func(m Measured) float64 { return m.Cost })
		bar := line(inks[i%len(inks)], 2.5, plotter.XYs{{X: x + 0.08, Y: mean.Mean - mean.HalfWidth}, {X: x + 0.08, Y: mean.Mean + mean.HalfWidth}})
		cross := line(inks[i%len(inks)], 2.5, plotter.XYs{{X: x + 0.02, Y: mean.Mean}, {X: x + 0.14, Y: mean.Mean}})
		p.Add(dots, cross)
		if len(c.Runs) > 1 { // one has no interval
			p.Add(bar)
		}
		if i == 0 {
			p.Legend.Add("a run", dots)
			p.Legend.Add("mean, 95 % confidence", bar)
		}
		if predicted := c.Of(i, func(m Measured) float64 { return m.Predicted }).Mean; !math.IsNaN(predicted) {
			level := line(dark, 1.2, plotter.XYs{{X: x - 0.35, Y: predicted}, {X: x + 0.3, Y: predicted}})
			level.Dashes = []vg.Length{4, 2}
			p.Add(level)
			if i == 0 {
				p.Legend.Add("predicted", level)
			}
		}
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5, 0, top*1.3
	return write(w, p, 3.2*vg.Inch)
}

func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, style := range []*text.Style{
		&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant, style.Font.Size = "Sans", 9
	}
	p.Legend.Top, p.Legend.Left = true, false
	p.Legend.Padding = 2
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = faint
	p.Add(grid)
	return p
}

func line(ink color.Color, width vg.Length, points plotter.XYs) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: ink, Width: width}}
}

// write writes a plot as SVG, with room around it and a white ground.
func write(w io.Writer, p *plot.Plot, height vg.Length) error {
	const room = 8
	canvas := vgsvg.New(6.5*vg.Inch, height)
	whole := draw.New(canvas)
	whole.FillPolygon(color.White, []vg.Point{whole.Min, {X: whole.Max.X, Y: whole.Min.Y}, whole.Max, {X: whole.Min.X, Y: whole.Max.Y}})
	p.Draw(draw.Crop(whole, room, -room, room, -room))
	_, err := canvas.WriteTo(w)
	return err
}
