package figure

// Pictures as PDF.

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas writes PDF. Unlike gonum's it writes Greek letters: it embeds the characters
// in use as Unicode.
type pdfCanvas struct {
	file          *fpdf.Fpdf
	width, height vg.Length
	stroke        vg.Length
	fonts         map[string]bool
}

// newPDF returns a file with an empty page.
func newPDF(width, height, scale vg.Length, title string) *pdfCanvas {
	file := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: (scale * width).Points(), Ht: (scale * height).Points()}})
	file.SetMargins(0, 0, 0)
	file.SetAutoPageBreak(false, 0)
	file.SetTitle(title, true)
	file.SetCreator("mdpsolve", true)
	file.SetCatalogSort(true)
	never := time.Unix(0, 0).UTC() // the same picture is the same file
	file.SetCreationDate(never)
	file.SetModificationDate(never)
	file.AddPage()
	file.SetLineCapStyle("butt")
	file.TransformBegin()
	const percent = 100
	file.TransformScaleXY(percent*float64(scale), 0, 0)
	file.SetFillColor(0xff, 0xff, 0xff)
	file.Rect(0, 0, width.Points(), height.Points(), "F")
	return &pdfCanvas{file: file, width: width, height: height, fonts: map[string]bool{}}
}

// Size implements [vg.CanvasSizer].
func (c *pdfCanvas) Size() (x, y vg.Length) { return c.width, c.height }

// SetLineWidth implements [vg.Canvas].
func (c *pdfCanvas) SetLineWidth(width vg.Length) {
	c.stroke = width
	c.file.SetLineWidth(width.Points())
}

// SetLineDash implements [vg.Canvas].
func (c *pdfCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(dashes))
	for i, d := range dashes {
		lengths[i] = d.Points()
	}
	c.file.SetDashPattern(lengths, offset.Points())
}

// SetColor implements [vg.Canvas].
func (c *pdfCanvas) SetColor(ink color.Color) {
	if ink == nil {
		ink = color.Black
	}
	n := color.NRGBAModel.Convert(ink).(color.NRGBA) //nolint:forcetypeassert // the model's own type
	r, g, b := int(n.R), int(n.G), int(n.B)
	c.file.SetFillColor(r, g, b)
	c.file.SetDrawColor(r, g, b)
	c.file.SetTextColor(r, g, b)
}

// Rotate implements [vg.Canvas].
func (c *pdfCanvas) Rotate(angle float64) {
	c.file.TransformRotate(angle*180/math.Pi, 0, c.height.Points())
}

// Translate implements [vg.Canvas].
func (*pdfCanvas) Translate(vg.Point) { panic("figure: nothing is translated") }

// Scale implements [vg.Canvas].
func (*pdfCanvas) Scale(float64, float64) { panic("figure: nothing is scaled") }

// Push implements [vg.Canvas].
func (c *pdfCanvas) Push() { c.file.TransformBegin() }

// Pop implements [vg.Canvas].
func (c *pdfCanvas) Pop() { c.file.TransformEnd() }

// Stroke implements [vg.Canvas].
func (c *pdfCanvas) Stroke(path vg.Path) {
	if c.stroke > 0 {
		c.path(path)
		c.file.DrawPath("D")
	}
}

// Fill implements [vg.Canvas].
func (c *pdfCanvas) Fill(path vg.Path) {
	c.path(path)
	c.file.DrawPath("F")
}

// path writes a path that is then to be drawn.
func (c *pdfCanvas) path(path vg.Path) {
	for _, part := range path {
		x, y := c.point(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			c.file.MoveTo(x, y)
		case vg.LineComp:
			c.file.LineTo(x, y)
		case vg.ArcComp: // gonum draws whole circles: four cubic quarters
			r := part.Radius.Points()
			control := r * 4 / 3 * (math.Sqrt2 - 1)
			c.file.MoveTo(x+r, y)
			c.file.CurveBezierCubicTo(x+r, y+control, x+control, y+r, x, y+r)
			c.file.CurveBezierCubicTo(x-control, y+r, x-r, y+control, x-r, y)
			c.file.CurveBezierCubicTo(x-r, y-control, x-control, y-r, x, y-r)
			c.file.CurveBezierCubicTo(x+control, y-r, x+r, y-control, x+r, y)
		case vg.CloseComp:
			c.file.ClosePath()
		default:
			panic("figure: no curves are drawn")
		}
	}
}

// point returns coordinates with y downward.
func (c *pdfCanvas) point(p vg.Point) (x, y float64) { return p.X.Points(), (c.height - p.Y).Points() }

// FillString implements [vg.Canvas].
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, s string) {
	name := face.Name()
	if !c.fonts[name] {
		var file bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &file); err != nil {
			panic("figure: " + err.Error()) // the font is part of this program
		}
		c.file.AddUTF8FontFromBytes(name, "", file.Bytes())
		c.fonts[name] = true
	}
	c.file.SetFont(name, "", face.Font.Size.Points())
	x, y := c.point(at)
	c.file.Text(x, y, s)
}

// DrawImage implements [vg.Canvas].
func (*pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("figure: no images are drawn") }

// WriteTo implements [io.WriterTo].
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	c.file.TransformEnd()
	var file bytes.Buffer
	if err := c.file.Output(&file); err != nil {
		return 0, err
	}
	return file.WriteTo(w)
}
