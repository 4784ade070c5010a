package figure

// The three kinds of files, by gonum's own writers.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"math"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// fileOf returns the file of a picture; only a .pdf has more than one page. All pages are as large
// as the largest; a smaller picture stands at the top of its page. If something does not fit, all is
// drawn smaller, down to a least size of text. fits says whether all fits at last.
func fileOf(extension string, shape shape, dpi int, pages [][]Panel) (content []byte, fits bool, err error) {
	const smaller, least = 0.9, 0.55
	for zoom := vg.Length(1); ; zoom *= smaller {
		content, fits, err := drawnFile(extension, shape, zoom*max(shape.zoom, 1), dpi, pages)
		if fits || zoom*smaller < least || err != nil {
			return content, fits, err
		}
	}
}

// drawnFile returns the file of a picture whose text has a scale. fits is what [drawPanels] reports.
func drawnFile(extension string, shape shape, scale vg.Length, dpi int, pages [][]Panel) (content []byte, fits bool, err error) {
	var width, height vg.Length
	for _, panels := range pages {
		wide, tall := shape.size(len(panels))
		width, height = max(width, wide), max(height, tall)
	}
	var canvas vg.CanvasWriterTo
	switch extension {
	case ".svg":
		canvas = vgsvg.New(width, height)
	case ".pdf":
		never := time.Unix(0, 0).UTC() // the same picture is the same file
		fpdf.SetDefaultCreationDate(never)
		fpdf.SetDefaultModificationDate(never)
		canvas = vgpdf.New(width, height)
	default:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	}
	texts := &measured{Canvas: canvas}
	text := vg.Canvas(texts)
	if extension != ".svg" {
		text = outlines{canvas}
	}
	fits = true
	for i, panels := range pages {
		if i > 0 {
			canvas.(*vgpdf.Canvas).NextPage()
		}
		_, tall := shape.size(len(panels))
		canvas.Push()
		canvas.Scale(float64(scale), float64(scale))
		page := draw.NewCanvas(text, width/scale, height/scale)
		fits = drawPanels(draw.Crop(page, 0, 0, (height-tall)/scale, 0), panels, shape.columnsOf(len(panels))) && fits
		canvas.Pop()
	}
	var file bytes.Buffer
	if _, err := canvas.WriteTo(&file); err != nil {
		return nil, false, err
	}
	switch extension {
	case ".svg":
		return withTitle(texts.fitted(file.Bytes()), pages[0]), fits, nil
	case ".png":
		return withDensity(file.Bytes(), dpi), fits, nil
	}
	return file.Bytes(), fits, nil
}

// measured keeps the widths of texts in an SVG, which has them as text. Viewers that have neither the
// font nor one of the same widths then fit their own font to these widths.
type measured struct {
	vg.Canvas
	widths []vg.Length
}

// FillString implements [vg.Canvas].
func (m *measured) FillString(face font.Face, at vg.Point, s string) {
	m.widths = append(m.widths, face.Width(s))
	m.Canvas.FillString(face, at, s)
}

// fitted adds the widths and the fonts to an SVG.
func (m *measured) fitted(file []byte) []byte {
	parts := bytes.Split(file, []byte("<text "))
	for i, width := range m.widths {
		parts[i+1] = fmt.Appendf(nil, `<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" %s`, width.Points(), parts[i+1])
	}
	return bytes.ReplaceAll(bytes.Join(parts, nil), []byte("font-family:Liberation Sans;"), []byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
}

// outlines draws text as the outlines of its characters: gonum's own text in a PDF has neither Greek
// letters nor bold ones.
type outlines struct{ vg.Canvas }

// FillString implements [vg.Canvas].
func (o outlines) FillString(face font.Face, at vg.Point, s string) {
	var path vg.Path
	var buffer sfnt.Buffer
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	scale := face.Font.Size / vg.Length(em)
	previous := sfnt.GlyphIndex(0)
	for _, r := range s {
		glyph, err := face.Face.GlyphIndex(&buffer, r)
		must(err)
		if kern, err := face.Face.Kern(&buffer, previous, glyph, em, xfont.HintingNone); err == nil {
			at.X += scale * vg.Length(kern)
		}
		segments, err := face.Face.LoadGlyph(&buffer, glyph, em, nil)
		must(err)
		point := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: at.X + scale*vg.Length(p.X), Y: at.Y - scale*vg.Length(p.Y)}
		}
		for i, part := range segments {
			switch part.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					path.Close()
				}
				path.Move(point(part.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(point(part.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(point(part.Args[0]), point(part.Args[1]))
			default:
				path.CubeTo(point(part.Args[0]), point(part.Args[1]), point(part.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		advance, err := face.Face.GlyphAdvance(&buffer, glyph, em, xfont.HintingNone)
		must(err)
		at.X += scale * vg.Length(advance)
		previous = glyph
	}
	o.Fill(path)
}

func must(err error) {
	if err != nil {
		panic("figure: " + err.Error()) // the font is part of this program
	}
}

// withTitle adds to an SVG the title that screen readers read.
func withTitle(file []byte, panels []Panel) []byte {
	titles := make([]string, len(panels))
	for i, p := range panels {
		titles[i] = p.heading()
		if p.Given != "" {
			titles[i] += " (" + p.Given + ")"
		}
	}
	title := "<title>" + html.EscapeString(strings.Join(titles, "; ")) + "</title>\n"
	file = bytes.Replace(file, []byte("<svg "), []byte(`<svg role="img" `), 1)
	begin := bytes.Index(file, []byte("<g "))
	return bytes.Join([][]byte{file[:begin], []byte(title), file[begin:]}, nil)
}

// withDensity adds the resolution to a PNG, so that programs show the picture in the size
// that was given.
func withDensity(file []byte, dpi int) []byte {
	const header, metre = 33, 39.3701 // bytes of the signature and the first chunk; inches
	perMetre := uint32(math.Round(float64(dpi) * metre))
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // dots per metre
	size := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-len("pHYs")))
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
	return bytes.Join([][]byte{file[:header], size, chunk, sum, file[header:]}, nil)
}
