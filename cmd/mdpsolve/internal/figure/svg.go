package figure

// Pictures as SVG.

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// svgCanvas writes SVG. Unlike gonum's it anchors text at its beginning, middle or end,
// so that viewers with other fonts draw it in its place. It draws what the figures of
// this package consist of: no transformations but those of text.
type svgCanvas struct {
	width, height vg.Length // of what is drawn, before it is scaled
	scale         vg.Length
	title         string
	body          bytes.Buffer
	pen           pen
	pens          []pen
}

// pen is how a canvas draws.
type pen struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
}

// newSVG returns an empty picture; title is what screen readers say of it.
func newSVG(width, height, scale vg.Length, title string) *svgCanvas {
	return &svgCanvas{width: width, height: height, scale: scale, title: title}
}

// Size implements [vg.CanvasSizer].
func (c *svgCanvas) Size() (x, y vg.Length) { return c.width, c.height }

// SetLineWidth implements [vg.Canvas].
func (c *svgCanvas) SetLineWidth(width vg.Length) { c.pen.width = width }

// SetLineDash implements [vg.Canvas].
func (c *svgCanvas) SetLineDash(dashes []vg.Length, _ vg.Length) { c.pen.dashes = dashes }

// SetColor implements [vg.Canvas].
func (c *svgCanvas) SetColor(ink color.Color) { c.pen.color = ink }

// Rotate implements [vg.Canvas].
func (*svgCanvas) Rotate(float64) { panic("figure: only text is rotated") }

// Translate implements [vg.Canvas].
func (*svgCanvas) Translate(vg.Point) { panic("figure: nothing is translated") }

// Scale implements [vg.Canvas].
func (*svgCanvas) Scale(float64, float64) { panic("figure: nothing is scaled") }

// Push implements [vg.Canvas].
func (c *svgCanvas) Push() { c.pens = append(c.pens, c.pen) }

// Pop implements [vg.Canvas].
func (c *svgCanvas) Pop() {
	last := len(c.pens) - 1
	c.pen, c.pens = c.pens[last], c.pens[:last]
}

// Stroke implements [vg.Canvas].
func (c *svgCanvas) Stroke(path vg.Path) {
	if c.pen.width <= 0 {
		return
	}
	dashes := ""
	if len(c.pen.dashes) > 0 {
		lengths := make([]string, len(c.pen.dashes))
		for i, d := range c.pen.dashes {
			lengths[i] = decimal(d)
		}
		dashes = ` stroke-dasharray="` + strings.Join(lengths, " ") + `"`
	}
	fmt.Fprintf(&c.body, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"%s/>`+"\n",
		c.data(path), ink(c.pen.color), decimal(c.pen.width), dashes)
}

// Fill implements [vg.Canvas].
func (c *svgCanvas) Fill(path vg.Path) {
	fmt.Fprintf(&c.body, `<path d="%s" fill="%s"/>`+"\n", c.data(path), ink(c.pen.color))
}

// data returns the d of a path.
func (c *svgCanvas) data(path vg.Path) string {
	var d strings.Builder
	for _, part := range path {
		switch part.Type {
		case vg.MoveComp:
			d.WriteString("M" + c.point(part.Pos))
		case vg.LineComp:
			d.WriteString("L" + c.point(part.Pos))
		case vg.ArcComp: // gonum draws whole circles: two half ones
			r := decimal(part.Radius)
			at := func(angle float64) string {
				sin, cos := math.Sincos(angle)
				return c.point(vg.Point{X: part.Pos.X + part.Radius*vg.Length(cos), Y: part.Pos.Y + part.Radius*vg.Length(sin)})
			}
			for _, share := range []float64{0.5, 1} {
				fmt.Fprintf(&d, "A%s %s 0 0 0 %s", r, r, at(part.Start+share*part.Angle))
			}
		case vg.CloseComp:
			d.WriteString("Z")
		default:
			panic("figure: no curves are drawn")
		}
	}
	return d.String()
}

// point returns coordinates with y downward.
func (c *svgCanvas) point(p vg.Point) string { return decimal(p.X) + "," + decimal(c.height-p.Y) }

// decimal returns a length in points, to a thousandth.
func decimal(l vg.Length) string {
	return strconv.FormatFloat(math.Round(l.Points()*1000)/1000+0, 'f', -1, 64)
}

// ink returns a colour in SVG.
func ink(c color.Color) string {
	if c == nil {
		c = color.Black
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA) //nolint:forcetypeassert // the model's own type
	return fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
}

// line draws a line of text whose base line begins, ends or is centred at a point.
func (c *svgCanvas) line(pieces []piece, style text.Style, at vg.Point) {
	anchor := ""
	switch style.XAlign {
	case text.XCenter:
		anchor = ` text-anchor="middle"`
	case text.XRight:
		anchor = ` text-anchor="end"`
	}
	x, y := decimal(at.X), decimal(c.height-at.Y)
	turn := ""
	if style.Rotation != 0 {
		turn = fmt.Sprintf(` transform="rotate(%s %s %s)"`, decimal(vg.Length(-style.Rotation*180/math.Pi)), x, y)
	}
	weight := ""
	if style.Font.Weight == bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&c.body, `<text x="%s" y="%s" font-size="%s" fill="%s"%s%s%s>`,
		x, y, decimal(style.Font.Size), ink(style.Color), weight, anchor, turn)
	lift := 0.0
	for _, p := range pieces {
		if p.shift == lift {
			c.escape(p.text)
			continue
		}
		fmt.Fprintf(&c.body, `<tspan dy="%s" font-size="%s">`,
			decimal(vg.Length(lift-p.shift)*style.Font.Size), decimal(vg.Length(p.scale)*style.Font.Size))
		c.escape(p.text)
		c.body.WriteString("</tspan>")
		lift = p.shift
	}
	c.body.WriteString("</text>\n")
}

func (c *svgCanvas) escape(s string) {
	if err := xml.EscapeText(&c.body, []byte(s)); err != nil {
		panic(err) // a buffer takes all
	}
}

// FillString implements [vg.Canvas].
func (*svgCanvas) FillString(font.Face, vg.Point, string) { panic("figure: text is drawn by line") }

// DrawImage implements [vg.Canvas].
func (*svgCanvas) DrawImage(vg.Rectangle, image.Image) { panic("figure: no images are drawn") }

// WriteTo implements [io.WriterTo].
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var title bytes.Buffer
	if err := xml.EscapeText(&title, []byte(c.title)); err != nil {
		return 0, err
	}
	n, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" role="img"
	font-family="'Liberation Sans', Arial, Helvetica, 'DejaVu Sans', sans-serif">
<title>%s</title>
<rect width="100%%" height="100%%" fill="#ffffff"/>
%s</svg>
`, decimal(c.scale*c.width), decimal(c.scale*c.height), decimal(c.width), decimal(c.height), title.String(), c.body.String())
	return int64(n), err
}
